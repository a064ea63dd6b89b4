/** The caller of an operation, authenticated by the authorizer's signed identity token. */
export interface Caller {
  /** The institution whose data the call may touch. */
  readonly institution: string;
  /** The OAuth client behind the call; null when a service calls for itself. */
  readonly client: string | null;
  /** The service that calls an internal operation; null for a call that came through the gateway. */
  readonly service: string | null;
  readonly scopes: readonly string[];
  /** The one operation that the token permits. */
  readonly operation: string;
}

/** The header that carries the identity token; the gateway removes any that a client sends. */
export const IDENTITY_HEADER = 'x-internal-identity';

/** The `typ` of identity tokens, so that no access token passes for one (RFC 8725, 3.11). */
export const IDENTITY_TYPE = 'identity+jwt';

/** The `typ` of access tokens (RFC 9068, 2.1). */
export const ACCESS_TYPE = 'at+jwt';

/** Longest lifetime of an identity token, in seconds. */
export const IDENTITY_LIFETIME_SECONDS = 60;

/**
 * Maps the identity token of a request to its caller. Rejects with Fault `unauthorized` unless signature, type,
 * audience and expiry are valid.
 */
export type IdentityVerifier = (token: string) => Promise<Caller>;
