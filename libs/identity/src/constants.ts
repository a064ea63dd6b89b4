/** The one signature algorithm of access and identity tokens; verifiers pin it. */
export const SIGNATURE_ALGORITHM = 'ES256';

/** The `iss` of identity tokens. They never leave the installation, so it is a name and no address. */
export const IDENTITY_ISSUER = 'boxoffice-authorizer';

/** Where the authorizer publishes the keys of both kinds of token (RFC 7517). */
export const JWKS_PATH = '/auth/jwks';

/** Where a service gets an identity token for a call of its own. */
export const IDENTITIES_PATH = '/internal/identities';

/** Where the gateway gets a decision, and with it the identity token of the forwarded request. */
export const DECISIONS_PATH = '/internal/decisions';

/** Where the gateway polls for revocations, in case the broker is down. */
export const REVOCATIONS_PATH = '/internal/revocations';

/** The authorizer's tokens are never near this length; longer ones are refused without parsing. */
export const MAX_TOKEN_LENGTH = 8192;
