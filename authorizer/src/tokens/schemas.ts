import { institutionId, named } from '@boxoffice/http';
import { type Static, Type } from 'typebox';

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

/** The examples of the descriptions. */
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
