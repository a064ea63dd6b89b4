/**
 * Every scope that a client can hold: `<domain>:<action>`, and `<domain>.sensitive:<action>` for sensitive
 * sub-resources.
 */
export const SCOPES = [
  'catalog:read',
  'catalog:write',
  'contacts:read',
  'contacts:write',
  'contacts.sensitive:read',
  'contacts.sensitive:write',
  'orders:read',
  'orders:write',
  'orders.sensitive:read',
  'orders.sensitive:write',
  'tickets:read',
  'tickets:write',
  'clients:read',
  'clients:write',
  'clients.sensitive:read',
  'clients.sensitive:write',
  'users:read',
  'users:write',
  'users.sensitive:write',
  'events:read',
  'events:write',
] as const;

export type Scope = (typeof SCOPES)[number];

/**
 * Whether a set of scopes contains one. Exact membership: no prefix, wildcard or hierarchy (specification, section 5),
 * so `contacts:write` does not include `contacts:read`.
 */
export const holds = (held: readonly string[], scope: string): boolean => held.includes(scope);

/** The wanted scopes that are not held. */
export const lacking = (wanted: readonly string[], held: readonly string[]): string[] =>
  wanted.filter((scope) => !holds(held, scope));

/** The granted scopes that are still held: a token is worth only the scopes that its client still has. */
export const remaining = (granted: readonly string[], held: readonly string[]): string[] =>
  granted.filter((scope) => holds(held, scope));

/** The scopes of a space-separated list (RFC 6749, 3.3), each once. */
export const readScopes = (text: string): string[] => [...new Set(text.split(' ').filter(Boolean))];

/** The space-separated list of scopes (RFC 6749, 3.3). */
export const writeScopes = (scopes: readonly string[]): string => scopes.join(' ');
