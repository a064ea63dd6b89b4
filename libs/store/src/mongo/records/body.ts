// Encodes a service's document for MongoDB. Documents are JSON; MongoDB gives `$` at the beginning of a member's name,
// and dots in it, a meaning of their own, so these are stored as %24 and %2E.

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

const special = /^\$|[.%\0]/;

const encodeName = (name: string): string =>
  special.test(name)
    ? name.replace(/^\$|[.%\0]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
    : name;

const decodeName = (name: string): string =>
  name.replace(/%([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));

const rename = (value: Json, name: (name: string) => string): Json => {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((one) => rename(one, name));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [name(key), rename(one, name)]));
};

const hasSpecialNames = (value: Json): boolean => {
  if (value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some(hasSpecialNames);
  return Object.entries(value).some(([key, one]) => special.test(key) || hasSpecialNames(one));
};

/** The members that the store sets; never part of a body. */
const storeOwn: ReadonlySet<string> = new Set(['id', 'version', 'institution']);

/** The JSON of an object without the members that the store sets. */
export const bodyOf = (document: object): JsonObject => {
  const own = Object.fromEntries(Object.entries(document).filter(([name]) => !storeOwn.has(name)));
  return JSON.parse(JSON.stringify(own)) as JsonObject;
};

/** The body as it is stored; `escaped` if a name was changed, so that reads decode only where needed. */
export const encode = (body: JsonObject): { body: JsonObject; escaped: boolean } =>
  hasSpecialNames(body) ? { body: rename(body, encodeName) as JsonObject, escaped: true } : { body, escaped: false };

/** The body as the service wrote it. */
export const decode = (body: JsonObject, escaped: boolean | undefined): JsonObject =>
  escaped ? (rename(body, decodeName) as JsonObject) : body;

/** The value at a dotted path, or undefined. */
export const valueAt = (body: JsonObject, path: string): Json | undefined => {
  let value: Json | undefined = body;
  for (const name of path.split('.')) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
    value = (value as JsonObject)[name];
  }
  return value;
};
