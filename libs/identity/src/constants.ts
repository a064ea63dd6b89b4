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

/** Where the gateway finds an API key by its hash. */
export const API_KEYS_PATH = '/internal/api-keys';

/** Where the gateway gets the identity token of a public request, which has an API key and no token. */
export const PUBLIC_DECISIONS_PATH = '/internal/public-decisions';

/** Where the gateway polls the web origins that clients and API keys name. */
export const ORIGINS_PATH = '/internal/origins';

/** Where the gateway reports the requests that it has counted. */
export const USAGE_PATH = '/internal/usage';

/** Where the events service learns which scopes a client has at present. */
export const CLIENT_SCOPES_PATH = '/internal/client-scopes';

/** The authorizer's tokens are never near this length; longer ones are refused without parsing. */
export const MAX_TOKEN_LENGTH = 8192;
