import fc from 'fast-check';
import { type Schema, valuesOf } from './values.ts';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Described {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly content?: Record<string, { readonly schema: Schema }> }>>;
  readonly requestBody?: { readonly required: boolean; readonly content: Record<string, { readonly schema: Schema }> };
}

/** A description as the gateway serves it. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

/** An operation of a description, as far as requests are generated from it. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly needsSession: boolean;
  readonly params: readonly Parameter[];
  readonly query: readonly Parameter[];
  /** The members of the data of its 200, in each of its forms. */
  readonly answered: readonly string[];
  readonly body?: { readonly required: boolean; readonly mediaType: string; readonly schema: Schema };
}

/** One request before serialization. */
export interface Filled {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Undefined for no body. */
  readonly body: unknown;
}

const answeredOf = (response: Described['responses'][string] | undefined): string[] => {
  const { data } = response?.content?.['application/json']?.schema.properties ?? {};
  const forms = data?.anyOf ?? [data];
  const [first = [], ...others] = forms.map((form) => Object.keys(form?.properties ?? {}));
  return first.filter((name) => others.every((names) => names.includes(name)));
};

/** Every operation of a description, with the schemas of its requests. */
export const operationsOf = ({ paths }: Description): Operation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, { operationId, security, parameters = [], responses, requestBody }]): Operation => {
        const [[mediaType, content] = []] = Object.entries(requestBody?.content ?? {});
        return {
          id: operationId,
          method: method.toUpperCase(),
          path,
          needsSession: security.every((one) => 'session' in one),
          params: parameters.filter((one) => one.in === 'path'),
          query: parameters.filter((one) => one.in === 'query'),
          answered: answeredOf(responses['200']),
          ...(requestBody && mediaType && content
            ? { body: { required: requestBody.required, mediaType, schema: content.schema } }
            : {}),
        };
      },
    ),
  );

const recordOf = (parameters: readonly Parameter[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(parameters.map(({ name, schema }) => [name, valuesOf(schema)])), {
    requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name),
  });

/** A cursor is opaque: only a list can produce one. */
const isMadeUp = ({ name }: Parameter): boolean => name !== 'cursor';

/** Requests that the operation's description allows. */
export const requestsTo = ({ params, query, body }: Operation): fc.Arbitrary<Filled> =>
  fc.record({
    params: recordOf(params),
    query: recordOf(query.filter(isMadeUp)),
    body: body
      ? body.required
        ? valuesOf(body.schema)
        : fc.option(valuesOf(body.schema), { nil: undefined })
      : fc.constant(undefined),
  });

const encoded = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&');

/** The serialized request. */
export const written = (operation: Operation, { params, query, body }: Filled) => {
  const path = operation.path.replaceAll(/\{([^}]+)\}/g, (_, name) => encodeURIComponent(String(params[name])));
  const search = encoded(query);
  const mediaType = operation.body?.mediaType ?? 'application/json';
  return {
    method: operation.method,
    path: search === '' ? path : `${path}?${search}`,
    ...(body === undefined
      ? {}
      : {
          headers: { 'content-type': mediaType },
          body: mediaType === 'application/json' ? JSON.stringify(body) : encoded(body as Record<string, unknown>),
        }),
  };
};
