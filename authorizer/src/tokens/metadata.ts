import { named } from '@boxoffice/http';
import { JWKS_PATH, SIGNATURE_ALGORITHM } from '@boxoffice/identity';
import { LANGUAGES } from '@boxoffice/pages';
import { Type } from 'typebox';
import { OPENID_SCOPES } from '../domain/scopes.ts';
import { GRANT_TYPES } from './issue.ts';

/** The paths of the endpoints, below the gateway's root. */
export const PATHS = {
  token: '/auth/token',
  introspect: '/auth/introspect',
  revoke: '/auth/revoke',
  jwks: JWKS_PATH,
  authorize: '/auth/authorize',
  logout: '/auth/logout',
  userinfo: '/auth/userinfo',
  metadata: '/.well-known/oauth-authorization-server',
  openid: '/.well-known/openid-configuration',
} as const;

const ANSWERED_AS_OAUTH: ReadonlySet<string> = new Set([PATHS.token, PATHS.introspect, PATHS.revoke]);

/** Whether errors of this path carry the members of RFC 6749 as well. */
export const isOAuthPath = (path: string | undefined): boolean => path !== undefined && ANSWERED_AS_OAUTH.has(path);

const METHODS = ['client_secret_basic', 'client_secret_post'];

/** Public clients name themselves only. */
const METHODS_OR_NONE = [...METHODS, 'none'];

/**
 * Authorization server metadata (RFC 8414, 2; OpenID Connect Discovery 1.0, 3), by which client libraries configure
 * themselves. Both documents are this one.
 */
export const metadata = (issuer: string, scopes: readonly string[]) => ({
  issuer,
  authorization_endpoint: `${issuer}${PATHS.authorize}`,
  token_endpoint: `${issuer}${PATHS.token}`,
  jwks_uri: `${issuer}${PATHS.jwks}`,
  introspection_endpoint: `${issuer}${PATHS.introspect}`,
  revocation_endpoint: `${issuer}${PATHS.revoke}`,
  userinfo_endpoint: `${issuer}${PATHS.userinfo}`,
  end_session_endpoint: `${issuer}${PATHS.logout}`,
  scopes_supported: [...OPENID_SCOPES, ...scopes] as string[],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: [...GRANT_TYPES] as string[],
  code_challenge_methods_supported: ['S256'],
  // RFC 9207, 3.
  authorization_response_iss_parameter_supported: true,
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [SIGNATURE_ALGORITHM] as string[],
  claims_supported: [
    'iss',
    'sub',
    'aud',
    'exp',
    'iat',
    'auth_time',
    'nonce',
    'at_hash',
    'sid',
    'name',
    'email',
    'email_verified',
  ],
  prompt_values_supported: ['none', 'login', 'consent'],
  ui_locales_supported: [...LANGUAGES] as string[],
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  token_endpoint_auth_methods_supported: METHODS_OR_NONE,
  introspection_endpoint_auth_methods_supported: METHODS,
  revocation_endpoint_auth_methods_supported: METHODS_OR_NONE,
});

const typeOf = (value: unknown) => {
  if (Array.isArray(value)) return Type.Array(Type.String());
  return typeof value === 'boolean' ? Type.Boolean() : Type.String();
};

export const Metadata = named(
  'AuthorizationServerMetadata',
  Type.Unsafe<ReturnType<typeof metadata>>(
    Type.Object(Object.fromEntries(Object.entries(metadata('', [])).map(([name, value]) => [name, typeOf(value)])), {
      description: 'RFC 8414, 2; OpenID Connect Discovery 1.0, 3.',
    }),
  ),
);
