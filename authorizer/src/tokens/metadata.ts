import { JWKS_PATH } from '@boxoffice/identity';
import { SCOPES } from '../domain/scopes.ts';
import { GRANT_TYPE } from './issue.ts';

/** Where the endpoints are, from the gateway's root. */
export const PATHS = {
  token: '/auth/token',
  introspect: '/auth/introspect',
  revoke: '/auth/revoke',
  jwks: JWKS_PATH,
  metadata: '/.well-known/oauth-authorization-server',
} as const;

const ANSWERED_AS_OAUTH: ReadonlySet<string> = new Set([PATHS.token, PATHS.introspect, PATHS.revoke]);

/** Whether errors at this path are told in the words of RFC 6749 too. */
export const isOAuthPath = (path: string | undefined): boolean => path !== undefined && ANSWERED_AS_OAUTH.has(path);

const METHODS = ['client_secret_basic', 'client_secret_post'];

/** Authorization server metadata (RFC 8414, 2): what a client library needs to know, from the issuer's address alone. */
export const metadata = (issuer: string) => ({
  issuer,
  token_endpoint: `${issuer}${PATHS.token}`,
  jwks_uri: `${issuer}${PATHS.jwks}`,
  introspection_endpoint: `${issuer}${PATHS.introspect}`,
  revocation_endpoint: `${issuer}${PATHS.revoke}`,
  scopes_supported: [...SCOPES] as string[],
  // Required by the RFC; there is no authorization endpoint yet that could give any.
  response_types_supported: [] as string[],
  grant_types_supported: [GRANT_TYPE],
  token_endpoint_auth_methods_supported: METHODS,
  introspection_endpoint_auth_methods_supported: METHODS,
  revocation_endpoint_auth_methods_supported: METHODS,
});
