/**
 * Scopes of OpenID Connect (Core, 5.4 and 11): they need no registration, bound by no role, and are given only when they
 * are asked for.
 */
export const OPENID_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const;

/** Whether a scope belongs to OpenID Connect. */
export const isOpenIdScope = (scope: string): boolean => OPENID_SCOPES.some((known) => known === scope);

/** Requested scopes that a client may not ask for: unknown ones, and those that it is not registered for. */
export const unregistered = (asked: readonly string[], registered: readonly string[]): string[] =>
  asked.filter((scope) => !isOpenIdScope(scope) && !registered.includes(scope));

/**
 * The scopes that a user's token gets: those asked for, or without any all that the client has (but none of OpenID
 * Connect), without those that the user's role does not have.
 */
export const grantable = (
  asked: readonly string[] | undefined,
  registered: readonly string[],
  ofRole: readonly string[],
): string[] =>
  (asked ?? registered).filter(
    (scope) => isOpenIdScope(scope) || (registered.includes(scope) && ofRole.includes(scope)),
  );

/**
 * Whether a token with these scopes can do anything: `openid` alone is enough, while `profile`, `email` and
 * `offline_access` only add to what another scope gives.
 */
export const isEnough = (scopes: readonly string[]): boolean =>
  scopes.some((scope) => scope === 'openid' || !isOpenIdScope(scope));
