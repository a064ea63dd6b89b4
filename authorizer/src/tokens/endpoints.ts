import { type Code, Fault, type FaultHeaders } from '@boxoffice/envelope';
import { institutionId, named } from '@boxoffice/http';
import { JWKS_PATH, SIGNATURE_ALGORITHM } from '@boxoffice/identity';
import { LANGUAGES } from '@boxoffice/pages';
import { type Static, Type } from 'typebox';
import { OPENID_SCOPES } from '../domain/scopes.ts';

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
export function isOAuthPath(path: string | undefined): boolean {
  return path !== undefined && ANSWERED_AS_OAUTH.has(path);
}

export const GRANT_TYPE = 'client_credentials';

export const USER_GRANT_TYPES = ['authorization_code', 'refresh_token'] as const;

export const GRANT_TYPES = [GRANT_TYPE, ...USER_GRANT_TYPES] as const;

const METHODS = ['client_secret_basic', 'client_secret_post'];

/** Public clients name themselves only. */
const METHODS_OR_NONE = [...METHODS, 'none'];

/** RFC 8414, 2; OpenID Connect Discovery 1.0, 3. Both documents are this one. */
export function buildMetadata(issuer: string, scopes: readonly string[]) {
  return {
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
  };
}

const toSchema = (value: unknown) => {
  if (Array.isArray(value)) return Type.Array(Type.String());
  return typeof value === 'boolean' ? Type.Boolean() : Type.String();
};

export const Metadata = named(
  'AuthorizationServerMetadata',
  Type.Unsafe<ReturnType<typeof buildMetadata>>(
    Type.Object(
      Object.fromEntries(Object.entries(buildMetadata('', [])).map(([name, value]) => [name, toSchema(value)])),
      {
        description: 'RFC 8414, 2; OpenID Connect Discovery 1.0, 3.',
      },
    ),
  ),
);

export const IssuedToken = named(
  'IssuedToken',
  Type.Object(
    {
      access_token: Type.String(),
      token_type: Type.Literal('Bearer'),
      expires_in: Type.Integer({ minimum: 1, description: 'seconds' }),
      scope: Type.String({ description: 'space separated' }),
      refresh_token: Type.Optional(Type.String({ description: 'with `offline_access`; used once' })),
      id_token: Type.Optional(Type.String({ description: 'with `openid` (OpenID Connect Core, 2)' })),
    },
    { description: 'RFC 6749, 5.1.' },
  ),
);

export type IssuedToken = Static<typeof IssuedToken>;

const text = Type.Optional(Type.String());
const seconds = Type.Optional(Type.Integer({ description: 'seconds since 1970' }));

export const Introspection = named(
  'Introspection',
  Type.Object(
    {
      active: Type.Boolean(),
      scope: text,
      client_id: text,
      token_type: text,
      exp: seconds,
      iat: seconds,
      sub: text,
      aud: text,
      iss: text,
      jti: text,
      institution: Type.Optional(institutionId),
      role: Type.Optional(Type.String({ description: 'of the user' })),
      auth_time: seconds,
    },
    { description: 'RFC 7662, 2.2: an inactive token has `active` and no other member.' },
  ),
);

export const UserInfo = named(
  'UserInfo',
  Type.Object(
    {
      sub: Type.String({ description: 'the userId' }),
      name: Type.Optional(Type.String({ description: 'with `profile`' })),
      email: Type.Optional(Type.String({ description: 'with `email`: the login' })),
      email_verified: Type.Optional(Type.Boolean()),
    },
    { description: 'OpenID Connect Core, 5.3.2.' },
  ),
);

export const Jwks = named(
  'JsonWebKeySet',
  Type.Object(
    {
      keys: Type.Array(
        Type.Object(
          {
            kty: Type.String(),
            crv: Type.String(),
            x: Type.String(),
            y: Type.String(),
            kid: Type.String(),
            use: Type.String(),
            alg: Type.String(),
          },
          { description: 'RFC 7517, 4.' },
        ),
      ),
    },
    { description: 'RFC 7517, 5.' },
  ),
);

const clientId = 'cli_q8Y2mXH0T3mV1n5b7c9d2Q';
const issuer = 'https://tickets.example.org';
const userId = 'usr_b7n5V1mT3HX0mY2q8d9c2Q';

export const examples = {
  token: 'eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJFUzI1NiJ9.e30.c2ln',
  credentials: { client_id: clientId, client_secret: 'R2xvYmFsbHkgdW5pcXVlLCBub3QgYSByZWFsIHNlY3JldCE' },
  issued: {
    access_token: 'eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJFUzI1NiJ9.e30.c2ln',
    token_type: 'Bearer',
    expires_in: 900,
    scope: 'catalog:read contacts:read',
  },
  userInfo: { sub: userId, name: 'Ada Lang', email: 'ada@opera.example', email_verified: false },
  introspection: {
    active: true,
    scope: 'catalog:read contacts:read',
    client_id: clientId,
    token_type: 'Bearer',
    exp: 1_772_366_100,
    iat: 1_772_365_200,
    sub: clientId,
    aud: issuer,
    iss: issuer,
    jti: 'sec_Jx0aP4hV7nB2mK9s.f3c1a2b4-5d6e-4f70-8192-a3b4c5d6e7f8',
    institution: 'opera',
  },
  jwks: {
    keys: [
      {
        kty: 'EC',
        crv: 'P-256',
        x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
        y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
        kid: 'vzYB0Fl0l6s0nFaRkqHXbJHwqbeyLP-fmBdQw4cI0Rg',
        use: 'sig',
        alg: 'ES256',
      },
    ],
  },
} as const;

/** The error codes of RFC 6749, 5.2, that this authorizer gives. */
type OAuthCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'unauthorized_client';

/** A refusal with both codes: the envelope's and that of RFC 6749. */
export class OAuthFault extends Fault {
  readonly error: OAuthCode;

  constructor(code: Code, error: OAuthCode, details: string, headers: FaultHeaders = {}) {
    super(code, details, headers);
    this.error = error;
  }
}

/** Responses that contain or describe a token are not cached (RFC 6749, 5.1). */
export const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' } as const;

/** Characters that an error_description may not contain (RFC 6749, 5.2). */
const UNDESCRIBABLE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g;

/** The OAuth members and headers of an error (RFC 6749, 5.2). */
export function describeOAuthFault(fault: Fault) {
  return {
    members: { error: toErrorCode(fault), error_description: fault.details.replaceAll(UNDESCRIBABLE, "'") },
    headers: NO_STORE,
  };
}

const toErrorCode = (fault: Fault): string => {
  if (fault instanceof OAuthFault) return fault.error;
  if (fault.code === 'unauthorized') return 'invalid_client';
  if (fault.code === 'forbidden') return 'unauthorized_client';
  if (fault.http === 503) return 'temporarily_unavailable';
  return fault.http >= 500 ? 'server_error' : 'invalid_request';
};
