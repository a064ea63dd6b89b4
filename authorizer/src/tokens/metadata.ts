import { JWKS_PATH } from '@boxoffice/identity';
import { SCOPES } from '../domain/scopes.ts';
import { GRANT_TYPE } from './issue.ts';

/** The paths of the endpoints, below the gateway's root. */
export const PATHS = {
  token: '/auth/token',
  introspect: '/auth/introspect',
  revoke: '/auth/revoke',
  jwks: JWKS_PATH,
  metadata: '/.well-known/oauth-authorization-server',
} as const;

const ANSWERED_AS_OAUTH: ReadonlySet<string> = new Set([PATHS.token, PATHS.introspect, PATHS.revoke]);

/** Whether errors of this path carry the members of RFC 6749 as well. */
export const isOAuthPath = (path: string | undefined): boolean => path !== undefined && ANSWERED_AS_OAUTH.has(path);

const METHODS = ['client_secret_basic', 'client_secret_post'];

/** Authorization server metadata (RFC 8414, 2), by which client libraries configure themselves. */
export const metadata = (issuer: string) => ({
  issuer,
  token_endpoint: `${issuer}${PATHS.token}`,
  jwks_uri: `${issuer}${PATHS.jwks}`,
  introspection_endpoint: `${issuer}${PATHS.introspect}`,
  revocation_endpoint: `${issuer}${PATHS.revoke}`,
  scopes_supported: [...SCOPES] as string[],
  // Required by the RFC; empty, because there is no authorization endpoint.
  response_types_supported: [] as string[],
  grant_types_supported: [GRANT_TYPE],
  token_endpoint_auth_methods_supported: METHODS,
  introspection_endpoint_auth_methods_supported: METHODS,
  revocation_endpoint_auth_methods_supported: METHODS,
});
