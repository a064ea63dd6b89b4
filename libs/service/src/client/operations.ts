/** The parts of a generated operation that a caller deals with (openapi-typescript's form). */
interface Described {
  readonly parameters: { readonly path?: unknown; readonly query?: unknown };
  readonly requestBody?: unknown;
  readonly responses: unknown;
}

/** The operations of a service by operationId, as generated from its released description. */
export type Operations<All> = { readonly [Id in keyof All]: Described };

type JsonOf<Content> = Content extends { readonly content: { readonly 'application/json': infer Json } } ? Json : never;

/** The body of an operation; never: it has none. */
export type BodyOf<All extends Operations<All>, Id extends keyof All> = JsonOf<NonNullable<All[Id]['requestBody']>>;

/** The query of an operation; never: it has none. */
export type QueryOf<All extends Operations<All>, Id extends keyof All> = NonNullable<All[Id]['parameters']['query']>;

/** The variables of an operation's path; never: it has none. */
export type PathOf<All extends Operations<All>, Id extends keyof All> = NonNullable<All[Id]['parameters']['path']>;

/** The `data` of an operation's 200. */
export type AnswerOf<All extends Operations<All>, Id extends keyof All> = All[Id]['responses'] extends {
  readonly 200: infer Success;
}
  ? JsonOf<Success> extends { readonly data: infer Data }
    ? Data
    : never
  : never;

type Body<Content> = [Content] extends [never] ? { readonly body?: never } : { readonly body: Content };

/** The arguments of a call. */
type RequestOf<All extends Operations<All>, Id extends keyof All> = Pick<All[Id]['parameters'], 'path' | 'query'> &
  Body<BodyOf<All, Id>> & {
    /** Milliseconds for the whole call; default: the client's. */
    readonly timeoutMs?: number;
  };

/** The parameter of a call: optional if all of its members are. */
export type RequestArguments<All extends Operations<All>, Id extends keyof All> =
  Record<never, never> extends RequestOf<All, Id> ? [request?: RequestOf<All, Id>] : [request: RequestOf<All, Id>];

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The method and path of an operation. */
export interface Route {
  readonly method: Method;
  /** With `{templates}`. */
  readonly path: string;
}

/** The internal operations of a service that another one may call: `npm run setup` generates it. */
export interface ServiceApi<All extends Operations<All>> {
  /** The service's name: the audience of the tokens. */
  readonly service: string;
  readonly operations: { readonly [Id in keyof All]: Route };
}

/** The values of a path's variables or of a query. */
export type Values = Readonly<Record<string, string | number | boolean | undefined>>;

/** The path with its variables filled in, and the query. An ill-formed text becomes one that is not an id. */
export const addressOf = (template: string, path: Values = {}, query: Values = {}): string => {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(path[name]).toWellFormed()));
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.append(name, String(value));
  return given.size === 0 ? filled : `${filled}?${given}`;
};
