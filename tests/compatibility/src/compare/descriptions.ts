// Comparison of two releases: descriptions, schemas, facts, formats and indexes.

import {
  type At,
  type Body,
  type Description,
  operationsOf,
  type Parameter,
  partIn,
  resolveIn,
} from '@boxoffice/codegen';
import { contentFindings, type Pair } from './content.ts';
import type { Finding } from './finding.ts';
import { responseFindings } from './responses.ts';
import { compareSchemas } from './schemas.ts';

/** A finding about an operation; `operation` is its id in the earlier release. */
export interface OperationFinding extends Finding {
  readonly operation: string;
}

const parametersOf = (description: Description, { operation }: At): Map<string, Parameter> => {
  const all = (operation.parameters ?? []).map((one) => partIn(description, one));
  // Path parameters are identified by position, and every request has them.
  let place = 0;
  return new Map(
    all.map((one) => [one.in === 'path' ? `path ${place++}` : `${one.in} ${one.name.toLowerCase()}`, one]),
  );
};

const parameterFindings = ({ before, after, was, is }: Pair): Finding[] => {
  const [earlier, later] = [parametersOf(before, was), parametersOf(after, is)];
  const added = [...later].filter(([key, { required }]) => required && !earlier.has(key));
  return [
    ...[...earlier].flatMap(([key, one]) => {
      const where = `${was.name}, ${one.in} parameter ${one.name}`;
      const now = later.get(key);
      if (!now) return [{ where, what: 'is gone' }];
      const sides = [
        { schema: one.schema, resolve: resolveIn(before) },
        { schema: now.schema, resolve: resolveIn(after) },
      ] as const;
      return [
        ...(now.required && !one.required ? [{ where, what: 'is required now' }] : []),
        ...compareSchemas(...sides, 'request').map(({ path, what }) => ({ where, what: `${path} ${what}` })),
      ];
    }),
    ...added.map(([, { name, in: place }]) => ({
      where: `${was.name}, ${place} parameter ${name}`,
      what: 'is new and required',
    })),
  ];
};

const bodyFindings = (pair: Pair): Finding[] => {
  const { before, after, was, is } = pair;
  const where = `${was.name}, body`;
  const bodyOf = (description: Description, body?: Body) => body && partIn(description, body);
  const earlier = bodyOf(before, was.operation.requestBody);
  const later = bodyOf(after, is.operation.requestBody);
  if (!earlier) return later?.required ? [{ where, what: 'is new and required' }] : [];
  if (!later) return [{ where, what: 'is no longer accepted' }];
  return [
    ...(later.required && !earlier.required ? [{ where, what: 'is required now' }] : []),
    ...contentFindings(pair, earlier.content, later.content, 'request', where),
  ];
};

const securityFindings = ({ before, after, was, is }: Pair): Finding[] => {
  const where = `${was.name}, access`;
  const wanted = is.operation.security;
  const kind = (description: Description, scheme: string) => {
    const { flows: _, ...rest } = (description.components.securitySchemes?.[scheme] ?? {}) as { flows?: object };
    return JSON.stringify(rest);
  };
  const suffices = (given: Readonly<Record<string, readonly string[]>>): boolean =>
    wanted.length === 0 ||
    wanted.some((all) =>
      Object.entries(all).every(
        ([scheme, scopes]) =>
          given[scheme] !== undefined &&
          scopes.every((scope) => given[scheme]?.includes(scope)) &&
          kind(before, scheme) === kind(after, scheme),
      ),
    );
  const shown = (security: readonly object[]): string =>
    security
      .map((one) =>
        Object.entries(one)
          .flatMap(([scheme, scopes]) => (scopes.length > 0 ? scopes : [scheme]))
          .join(' and '),
      )
      .join(' or ') || 'nothing';
  const given = was.operation.security.length > 0 ? was.operation.security : [{}];
  if (given.every(suffices)) return [];
  return [{ where, what: `needed ${shown(was.operation.security)} and needs ${shown(wanted)}` }];
};

const operationFindings = (pair: Pair): Finding[] => {
  const { was, is } = pair;
  const [id, now] = [was.operation.operationId, is.operation.operationId];
  return [
    // The gateway and other services send it to the authorizer, also while instances of both releases run.
    ...(id === now ? [] : [{ where: was.name, what: `was operation ${id} and is ${now}` }]),
    ...securityFindings(pair),
    ...parameterFindings(pair),
    ...bodyFindings(pair),
    ...responseFindings(pair),
  ];
};

/**
 * The changes of a service's operations that may break a client of the earlier release: operations, parameters, bodies,
 * responses, codes or scopes that are removed or narrowed. Optional additions are harmless.
 */
export const compareDescriptions = (before: Description, after: Description): OperationFinding[] => {
  const later = operationsOf(after);
  return [...operationsOf(before)].flatMap(([key, was]) => {
    const is = later.get(key);
    const found = is ? operationFindings({ before, after, was, is }) : [{ where: was.name, what: 'is gone' }];
    return found.map((one) => ({ ...one, operation: was.operation.operationId }));
  });
};
