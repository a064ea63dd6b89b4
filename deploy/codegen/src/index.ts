export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
}

export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

export type Content = Readonly<Record<string, { readonly schema: Schema; readonly examples?: object }>>;

export interface Body {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly content: Content;
}

export interface Response {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly schema?: Schema }>>;
  readonly content?: Content;
}

export interface Described {
  readonly operationId: string;
  readonly summary?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Response>>;
}

/** An OpenAPI document in the form that the services generate. */
export interface Description {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  /** What it delivers to receivers, by the type of the message. */
  readonly webhooks?: Readonly<Record<string, { readonly post: { readonly requestBody: Body } }>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** Resolves a `$ref` of the document. @throws {Error} on an unknown one */
export function resolveIn({ components }: Description) {
  return <Found>(reference: string): Found => {
    const [, kind = '', name = ''] = /^#\/components\/([^/]+)\/([^/]+)$/.exec(reference) ?? [];
    const found = components[kind]?.[name];
    if (!found) throw new Error(`nothing is at ${reference}`);
    return found as Found;
  };
}

/** A part of an operation, or the component that it refers to. */
export function resolvePart<Part extends { readonly $ref?: string }>(description: Description, part: Part): Part {
  return part.$ref === undefined ? part : resolveIn(description)<Part>(part.$ref);
}

/** One operation of a document and its route. */
export interface At {
  /** `GET /svc/v3/orders/{orderId}` */
  readonly name: string;
  readonly operation: Described;
}

/** The operations of a document by method and path; the names of path variables are ignored. */
export function listOperations({ paths }: Description): Map<string, At> {
  return new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [
        `${method} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`,
        { name: `${method.toUpperCase()} ${path}`, operation },
      ]),
    ),
  );
}

export type Json = { readonly [member: string]: unknown };

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const SCHEMAS = '#/components/schemas/';

/** Names of the component schemas that a part of a description refers to, directly or through another one. */
export function collectSchemas(part: unknown, all: Json, found: Set<string> = new Set()): ReadonlySet<string> {
  if (Array.isArray(part)) for (const item of part) collectSchemas(item, all, found);
  if (!isObject(part)) return found;
  for (const [member, value] of Object.entries(part)) {
    const name = member === '$ref' && typeof value === 'string' ? value.slice(SCHEMAS.length) : undefined;
    if (name === undefined) collectSchemas(value, all, found);
    else if (!found.has(name)) collectSchemas(all[name], all, found.add(name));
  }
  return found;
}

/** Without the permission of further members: a type would get an index signature, which an interface lacks. */
export function stripIndexSignatures(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(stripIndexSignatures);
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema).filter(
    ([name, value]) => !(name === 'additionalProperties' && value === true && isObject(schema.properties)),
  );
  return Object.fromEntries(members.map(([name, value]) => [name, stripIndexSignatures(value)]));
}
