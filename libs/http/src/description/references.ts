import { getOwnMember } from '@boxoffice/runtime';
import { createRef } from '../families/components.ts';

type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const REFERENCE = /"\$ref":"#\/components\/([^/"]+)\/([^"]+)"/g;

export function removeUnusedComponents<Whole extends { readonly components: Components }>(whole: Whole): Whole {
  const { components, ...document } = whole;
  const used = new Set<string>();
  const require = (member: string, value: unknown): unknown => {
    if (member === 'security' && Array.isArray(value))
      for (const name of value.flatMap((needed: object) => Object.keys(needed))) used.add(`securitySchemes/${name}`);
    return value;
  };
  const follow = (value: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(value, require).matchAll(REFERENCE)) {
      if (used.has(`${kind}/${name}`)) continue;
      used.add(`${kind}/${name}`);
      follow(getOwnMember(getOwnMember(components, kind), name) ?? {});
    }
  };
  follow(document);
  const referenced = Object.entries(components).map(([kind, all]) => [
    kind,
    Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`${kind}/${name}`))),
  ]);
  const filled = referenced.filter(([, all]) => Object.keys(all ?? {}).length > 0);
  return { ...whole, components: Object.fromEntries(filled) };
}

/** The document with the component in the place of each `$ref` to one of these kinds; default: of all. */
export function dereference<Whole extends object>(document: Whole, kinds?: readonly string[]): Whole {
  const { components = {} } = document as { readonly components?: Components };
  const done = new Map<string, object>();
  const inlineReferences = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inlineReferences);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...beside } = value as { readonly $ref?: unknown };
    const [, kind = '', name = ''] = /^#\/components\/([^/]+)\/(.+)$/.exec(String($ref)) ?? [];
    const found = !kinds || kinds.includes(kind) ? getOwnMember(getOwnMember(components, kind), name) : undefined;
    if (found !== undefined) {
      const whole = done.get(String($ref)) ?? (inlineReferences(found) as object);
      done.set(String($ref), whole);
      return { ...whole, ...beside };
    }
    return Object.fromEntries(Object.entries(value).map(([member, one]) => [member, inlineReferences(one)]));
  };
  return inlineReferences(document) as Whole;
}

type Kind = 'parameters' | 'requestBodies' | 'responses';
type Json = Readonly<Record<string, unknown>>;

interface Operation extends Json {
  readonly operationId: string;
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Json>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The document with each parameter, body and response that `least` operations have as one component. */
export function shareRepeatedParts<Whole extends Document>(document: Whole, least: number): Whole {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const parts = operations.flatMap((operation) =>
    partsOf(operation).map((one) => ({
      ...one,
      of: operation.operationId,
      key: `${one.kind} ${JSON.stringify(one.part)}`,
    })),
  );
  const keys = new Map(parts.map(({ part, key }) => [part, key]));
  const uses = new Map<string, number>();
  for (const { key } of parts) uses.set(key, (uses.get(key) ?? 0) + 1);
  const components: Record<Kind, Record<string, unknown>> = {
    parameters: { ...document.components.parameters },
    requestBodies: {},
    responses: {},
  };
  const names = new Map<string, string>();
  const repeated = parts
    .filter(({ key, part }) => !('$ref' in part) && (uses.get(key) ?? 0) >= least)
    // Among several with one name, the one used by the most operations gets it.
    .toSorted((one, other) => (uses.get(other.key) ?? 0) - (uses.get(one.key) ?? 0));
  for (const { kind, name, part, of, key } of repeated) {
    if (names.has(key)) continue;
    const free = Object.hasOwn(components[kind], name) ? `${name}Of${pascal(of)}` : name;
    if (Object.hasOwn(components[kind], free)) throw new Error(`two ${kind} are named ${free}`);
    components[kind][free] = part;
    names.set(key, free);
  }
  const replaceByReference = (kind: Kind, part: Json): Json => {
    const name = names.get(keys.get(part) ?? '');
    return name === undefined ? part : createRef(kind, name);
  };
  const shareParts = (operation: Operation): Operation => ({
    ...operation,
    ...(operation.parameters && {
      parameters: operation.parameters.map((part) => replaceByReference('parameters', part)),
    }),
    ...(operation.requestBody && { requestBody: replaceByReference('requestBodies', operation.requestBody) }),
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, part]) => [status, replaceByReference('responses', part)]),
    ),
  });
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, shareParts(operation)])),
    ]),
  );
  return { ...document, paths, components: { ...document.components, ...components } };
}

const partsOf = ({ operationId, parameters = [], requestBody, responses }: Operation) => [
  // Generators make types of parameters, too: a schema may have the parameter's own name.
  ...parameters.map((part) => ({ kind: 'parameters' as Kind, name: `${pascal(String(part.name))}Parameter`, part })),
  ...(requestBody ? [{ kind: 'requestBodies' as Kind, name: pascal(operationId), part: requestBody }] : []),
  ...Object.entries(responses).map(([status, part]) => {
    const codes = isSuccess(status) ? [] : codesIn(part).map(pascal);
    const own = status === '304' ? 'NotModified' : `${pascal(operationId)}${status}`;
    return { kind: 'responses' as Kind, name: codes.join('Or') || own, part };
  }),
];

const pascal = (words: string): string =>
  words.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const isSuccess = (status: string): boolean => status.startsWith('2');

const codesIn = ({ content = {} }: { readonly content?: Readonly<Record<string, { readonly examples?: object }>> }) =>
  Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples));
