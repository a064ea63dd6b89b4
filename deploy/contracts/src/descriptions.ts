import {
  type At,
  type Content,
  type Description,
  listOperations,
  type Parameter,
  type Response,
  type Schema,
} from '@boxoffice/codegen';
import { dereference } from '@boxoffice/http';
import { compareSchemas, type Direction } from './schemas.ts';

/** A change that may break a client of the earlier release. */
export interface Finding {
  /** The subject: an operation and its part, or a fact. */
  readonly where: string;
  /** The member, as a path (`$.data.lines[].amount`), and its change. */
  readonly what: string;
}

interface Pair {
  readonly before: Description;
  readonly after: Description;
  readonly was: At;
  readonly is: At;
}

/** A finding about an operation; `operation` is its id in the earlier release. */
interface OperationFinding extends Finding {
  readonly operation: string;
}

/** What is removed or narrowed. Optional additions are harmless. */
export function compareDescriptions(released: Description, now: Description): OperationFinding[] {
  const [before, after] = [dereference(released), dereference(now)];
  const later = listOperations(after);
  return [...listOperations(before)].flatMap(([key, was]) => {
    const is = later.get(key);
    const found = is ? operationFindings({ before, after, was, is }) : [{ where: was.name, what: 'is gone' }];
    return found.map((one) => ({ ...one, operation: was.operation.operationId }));
  });
}

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
  const formatSecurity = (security: readonly object[]): string =>
    security
      .map((one) =>
        Object.entries(one)
          .flatMap(([scheme, scopes]) => (scopes.length > 0 ? scopes : [scheme]))
          .join(' and '),
      )
      .join(' or ') || 'nothing';
  const given = was.operation.security.length > 0 ? was.operation.security : [{}];
  if (given.every(suffices)) return [];
  return [{ where, what: `needed ${formatSecurity(was.operation.security)} and needs ${formatSecurity(wanted)}` }];
};

const parameterFindings = ({ was, is }: Pair): Finding[] => {
  const [earlier, later] = [parametersOf(was), parametersOf(is)];
  const added = [...later].filter(([key, { required }]) => required && !earlier.has(key));
  return [
    ...[...earlier].flatMap(([key, one]) => {
      const where = `${was.name}, ${one.in} parameter ${one.name}`;
      const now = later.get(key);
      if (!now) return [{ where, what: 'is gone' }];
      return [
        ...(now.required && !one.required ? [{ where, what: 'is required now' }] : []),
        ...schemaFindings(one.schema, now.schema, 'request', where),
      ];
    }),
    ...added.map(([, { name, in: place }]) => ({
      where: `${was.name}, ${place} parameter ${name}`,
      what: 'is new and required',
    })),
  ];
};

const parametersOf = ({ operation }: At): Map<string, Parameter> => {
  // Path parameters are identified by position, and every request has them.
  let place = 0;
  return new Map(
    (operation.parameters ?? []).map((one) => [
      one.in === 'path' ? `path ${place++}` : `${one.in} ${one.name.toLowerCase()}`,
      one,
    ]),
  );
};

const schemaFindings = (was: Schema, is: Schema, direction: Direction, where: string): Finding[] =>
  compareSchemas(was, is, direction).map(({ path, what }) => ({ where, what: `${path} ${what}` }));

const bodyFindings = ({ was, is }: Pair): Finding[] => {
  const where = `${was.name}, body`;
  const { requestBody: earlier } = was.operation;
  const { requestBody: later } = is.operation;
  if (!earlier) return later?.required ? [{ where, what: 'is new and required' }] : [];
  if (!later) return [{ where, what: 'is no longer accepted' }];
  return [
    ...(later.required && !earlier.required ? [{ where, what: 'is required now' }] : []),
    ...contentFindings(earlier.content, later.content, 'request', where),
  ];
};

/** Differences of a body in the media types that the earlier release has. */
const contentFindings = (was: Content = {}, is: Content = {}, direction: Direction, where: string): Finding[] =>
  Object.entries(was).flatMap(([type, { schema }]) => {
    const now = is[type];
    return now ? schemaFindings(schema, now.schema, direction, where) : [{ where, what: `${type} is gone` }];
  });

/** A new kind of error is harmless: callers treat it by its HTTP status. A new success or a removed code is not. */
const responseFindings = ({ was, is }: Pair): Finding[] => {
  const { responses: earlier } = was.operation;
  const { responses: later } = is.operation;
  const added = Object.keys(later).filter((status) => isSuccess(status) && !earlier[status]);
  return [
    ...Object.entries(earlier).flatMap(([status, response]) => {
      const where = `${was.name}, answer ${status}`;
      const now = later[status];
      if (!now) return [{ where, what: 'is gone' }];
      const codes = isSuccess(status) ? [] : codesOf(response).filter((code) => !codesOf(now).includes(code));
      return [
        ...codes.map((code) => ({ where, what: `code ${code} is gone` })),
        ...headerFindings(response, now, where),
        ...contentFindings(response.content, now.content, 'answer', where),
      ];
    }),
    ...added.map((status) => ({ where: `${was.name}, answer ${status}`, what: 'is new' })),
  ];
};

const isSuccess = (status: string): boolean => status.startsWith('2');

const codesOf = ({ content = {} }: Response): string[] =>
  Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples));

const headerFindings = (was: Response, is: Response, where: string): Finding[] => {
  const later = new Map(Object.entries(is.headers ?? {}).map(([name, header]) => [name.toLowerCase(), header]));
  return Object.entries(was.headers ?? {}).flatMap(([name, { schema = {} }]) => {
    const now = later.get(name.toLowerCase());
    if (!now) return [{ where, what: `header ${name} is gone` }];
    return compareSchemas(schema, now.schema ?? {}, 'answer').map(({ what }) => ({
      where,
      what: `header ${name} ${what}`,
    }));
  });
};
