/** `sells`: a client with bounds may have it, for what it sells; every other one is about the whole institution. */
const scopes = {
  'catalog:read': 'sells',
  'catalog:write': 'whole',
  'catalog.sensitive:read': 'whole',
  'catalog.sensitive:write': 'whole',
  'contacts:read': 'sells',
  'contacts:write': 'sells',
  'contacts.sensitive:read': 'sells',
  'contacts.sensitive:write': 'sells',
  'orders:read': 'sells',
  'orders:write': 'sells',
  'orders.sensitive:read': 'sells',
  'orders.sensitive:write': 'sells',
  'payments:write': 'sells',
  'payments.sensitive:read': 'whole',
  'payments.sensitive:write': 'whole',
  'tickets:read': 'sells',
  'tickets:write': 'sells',
  'clients:read': 'whole',
  'clients:write': 'whole',
  'clients.sensitive:read': 'whole',
  'clients.sensitive:write': 'whole',
  'users:read': 'whole',
  'users:write': 'whole',
  'users.sensitive:write': 'whole',
  'events:read': 'sells',
  'events:write': 'sells',
} as const;

export type Scope = keyof typeof scopes;

export const SCOPES = Object.keys(scopes) as readonly Scope[];

/** What a client with bounds can have of the product; what a service of a team has knows no bounds. */
export function isWithinBounds(scope: string): boolean {
  return SCOPES.some((known) => known === scope && scopes[known] === 'sells');
}

const getDomain = (scope: string): string => scope.split(/[.:]/, 1)[0] ?? '';

const builtIn: ReadonlySet<string> = new Set(SCOPES.map(getDomain));

/** Every scope that a client can hold where there are these domains: a domain of a team's own has all four. */
export function listDomainScopes(domains: readonly string[]): readonly string[] {
  return [
    ...SCOPES,
    ...domains
      .filter((domain) => !builtIn.has(domain))
      .flatMap((domain) => ['', '.sensitive'].flatMap((part) => [`${domain}${part}:read`, `${domain}${part}:write`])),
  ];
}

export const SCOPE_PATTERN = '^[a-z][a-z0-9-]*(?:\\.sensitive)?:(?:read|write)$';

/** By exact membership: no prefix, wildcard or hierarchy (specification, section 5). */
export function findMissingScopes(wanted: readonly string[], held: readonly string[]): string[] {
  return wanted.filter((scope) => !held.includes(scope));
}

/** The granted scopes that are still held: a token is worth only the scopes that its client still has. */
export function selectHeldScopes(granted: readonly string[], held: readonly string[]): string[] {
  return granted.filter((scope) => held.includes(scope));
}

/** The scopes of a space-separated list (RFC 6749, 3.3), each once. */
export function readScopes(text: string): string[] {
  return [...new Set(text.split(' ').filter(Boolean))];
}

export function writeScopes(scopes: readonly string[]): string {
  return scopes.join(' ');
}

/** OpenID Connect Core, 5.4 and 11: without registration, bound by no role, given only when they are asked for. */
export const OPENID_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const;

/** Requested scopes that a client may not ask for: unknown ones, and those that it is not registered for. */
export function findUnregisteredScopes(asked: readonly string[], registered: readonly string[]): string[] {
  return asked.filter((scope) => !isOpenIdScope(scope) && !registered.includes(scope));
}

const isOpenIdScope = (scope: string): boolean => OPENID_SCOPES.some((known) => known === scope);

/** Those asked for, or without any the client's (none of OpenID Connect), without those that the role does not have. */
export function selectGrantableScopes(
  asked: readonly string[] | undefined,
  registered: readonly string[],
  ofRole: readonly string[],
): string[] {
  return (asked ?? registered).filter(
    (scope) => isOpenIdScope(scope) || (registered.includes(scope) && ofRole.includes(scope)),
  );
}

/** `openid` alone is enough; `profile`, `email` and `offline_access` only add to what another scope gives. */
export function isEnough(scopes: readonly string[]): boolean {
  return scopes.some((scope) => scope === 'openid' || !isOpenIdScope(scope));
}

/** Neither about clients or users, nor for webhooks. */
const isManaged = (scope: string): boolean => !/^(?:clients|users)[.:]/.test(scope) && scope !== 'events:write';

/** The roles of users, from the widest to the narrowest, and the scopes of all that each has at most. */
const ROLE_SCOPES = {
  admin: () => true,
  manager: isManaged,
  box_office: [
    'catalog:read',
    'contacts:read',
    'contacts:write',
    'orders:read',
    'orders:write',
    'orders.sensitive:read',
    'tickets:read',
    'tickets:write',
  ],
  door: ['catalog:read', 'tickets:read', 'tickets:write'],
  customer: ['catalog:read', 'contacts:read', 'contacts:write', 'orders:read', 'tickets:read'],
} as const satisfies Record<string, readonly string[] | ((scope: string) => boolean)>;

export type Role = keyof typeof ROLE_SCOPES;

export const ROLES = Object.keys(ROLE_SCOPES) as readonly Role[];

export function selectRoleScopes(role: Role, all: readonly string[]): readonly string[] {
  const most: readonly string[] | ((scope: string) => boolean) = ROLE_SCOPES[role];
  return typeof most === 'function' ? all.filter(most) : most;
}
