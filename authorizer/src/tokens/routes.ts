import { type AnyOperation, createInsufficientScopeFault, named, ok, operation } from '@boxoffice/http';
import { type TSchema, Type } from 'typebox';
import type { Authorizer } from '../authorizer.ts';
import { KEY_DOCUMENT_SECONDS } from '../domain/key-schedule.ts';
import { SCOPES } from '../domain/scopes.ts';
import { buildUserClaims } from '../users/accounts.ts';
import {
  buildMetadata,
  describeOAuthFault,
  examples,
  GRANT_TYPE,
  GRANT_TYPES,
  Introspection,
  IssuedToken,
  Jwks,
  Metadata,
  NO_STORE,
  PATHS,
  UserInfo,
} from './endpoints.ts';

const credentials = {
  client_id: Type.Optional(Type.String({ description: 'unless the client uses HTTP Basic' })),
  client_secret: Type.Optional(Type.String({ description: 'unless the client uses HTTP Basic' })),
};

const TokenRequest = named(
  'TokenRequest',
  Type.Object({
    grant_type: Type.String({ description: GRANT_TYPES.map((type) => `\`${type}\``).join(', ') }),
    ...credentials,
    scope: Type.Optional(
      Type.String({ description: 'space separated; all that the client holds, or the user granted, by default' }),
    ),
    code: Type.Optional(Type.String({ description: 'of `authorization_code`' })),
    redirect_uri: Type.Optional(
      Type.String({ description: 'of `authorization_code`: as in the request for the code' }),
    ),
    code_verifier: Type.Optional(Type.String({ description: 'of `authorization_code` (RFC 7636, 4.5)' })),
    refresh_token: Type.Optional(Type.String({ description: 'of `refresh_token`' })),
  }),
);

const TokenLookup = named(
  'TokenLookup',
  Type.Object({
    token: Type.Optional(Type.String({ description: 'required, once the client is known' })),
    token_type_hint: Type.Optional(Type.String({ description: 'accepted and ignored (RFC 7009, 2.1)' })),
    ...credentials,
  }),
);

const endpoint = {
  method: 'post',
  access: 'public',
  form: true,
  withoutIdempotency: true,
  onFault: describeOAuthFault,
  challenge: 'Only if the client used HTTP Basic: how to authenticate (RFC 6749, 5.2).',
} as const;

const error = {
  error: Type.String({ description: 'a code of RFC 6749, 5.2' }),
  error_description: Type.String({ description: 'the same as details' }),
};

export function createOAuthRoutes({
  issuer,
  knownScopes,
  issue,
  introspect,
  revoke,
  keys,
  accounts,
}: Authorizer['oauth']): AnyOperation[] {
  return [
    operation({
      ...endpoint,
      id: 'createToken',
      path: PATHS.token,
      summary: 'Issues tokens to a client: its own, or those of a user who signed in (RFC 6749)',
      description:
        'A confidential client authenticates; a public client sends its `client_id` alone, for `authorization_code` and ' +
        '`refresh_token` only. Users sign in at `/auth/authorize` (authorization_code with PKCE, S256). A refresh token is ' +
        'used once: its successor comes with the answer, and again if the same request is repeated within ten seconds.',
      body: TokenRequest,
      described: { grant_type: { enum: [...GRANT_TYPES] } },
      answers: { 200: IssuedToken },
      members: { answer: IssuedToken.properties, error },
      errors: ['unauthorized'],
      example: {
        body: { grant_type: GRANT_TYPE, ...examples.credentials },
        answer: examples.issued,
        members: examples.issued,
      },
      handle: async ({ body, header }) => answerWithMembers(await issue(body, header('authorization'))),
    }),
    operation({
      ...endpoint,
      id: 'introspectToken',
      path: PATHS.introspect,
      summary: 'Introspects an access token of the own institution (RFC 7662)',
      description: 'A token that has ended, or is of another institution, is `active: false`.',
      body: TokenLookup,
      answers: { 200: Introspection },
      members: { answer: Introspection.properties, error },
      errors: ['unauthorized'],
      example: {
        body: { token: examples.token, ...examples.credentials },
        answer: examples.introspection,
        members: examples.introspection,
      },
      handle: async ({ body, header }) => answerWithMembers(await introspect(body, header('authorization'))),
    }),
    operation({
      ...endpoint,
      id: 'revokeToken',
      path: PATHS.revoke,
      summary: 'Revokes an own access token, or a refresh token with all tokens of its sign-in (RFC 7009)',
      description: 'A token that is unknown is answered alike.',
      body: TokenLookup,
      answers: { 200: Type.Object({}) },
      members: { error },
      errors: ['unauthorized', 'forbidden'],
      example: { body: { token: examples.token, ...examples.credentials }, answer: {} },
      handle: async ({ body, header }) => {
        await revoke(body, header('authorization'));
        return answerWithMembers({});
      },
    }),
    ...(
      [
        ['getAuthorizationServerMetadata', PATHS.metadata, 'Describes the authorization server (RFC 8414)'],
        ['getOpenIdConfiguration', PATHS.openid, 'Describes the OpenID provider (OpenID Connect Discovery 1.0)'],
      ] as const
    ).map(([id, path, summary]) =>
      operation({
        ...bare(Metadata),
        id,
        path,
        summary,
        description: 'Client libraries configure themselves by it.',
        example: { answer: buildMetadata('https://tickets.example.org', SCOPES) },
        handle: () =>
          ok(buildMetadata(issuer, knownScopes()), { headers: { 'Cache-Control': 'public, max-age=3600' } }),
      }),
    ),
    ...(['get', 'post'] as const).map((method) =>
      operation({
        id: method === 'get' ? 'getUserInfo' : 'postUserInfo',
        method,
        path: PATHS.userinfo,
        access: 'token',
        summary: 'Gives what is known of the user who is signed in, by scope (OpenID Connect Core, 5.3)',
        description: 'Needs a token with the scope `openid`; `name` needs `profile`, `email` needs `email`.',
        bare: true,
        withoutIdempotency: true,
        answers: { 200: UserInfo },
        example: { answer: examples.userInfo },
        handle: async ({ caller }) => {
          const account = caller.user && (await accounts.current(caller.institution, caller.user.id));
          if (!account || !caller.scopes.includes('openid'))
            throw createInsufficientScopeFault('This operation needs a token of a user with the scope openid.', [
              'openid',
            ]);
          return ok(buildUserClaims(account, caller.scopes), { headers: NO_STORE });
        },
      }),
    ),
    operation({
      ...bare(Jwks),
      id: 'getKeys',
      path: PATHS.jwks,
      summary: 'Gives the public keys that verify tokens (RFC 7517)',
      description: 'They rotate: read them again before a token with an unknown `kid` is refused.',
      example: { answer: examples.jwks },
      handle: () => ok(keys.jwks(), { headers: { 'Cache-Control': `public, max-age=${KEY_DOCUMENT_SECONDS}` } }),
    }),
  ];
}

/** The envelope with the data's members at the top level as well, where standard OAuth clients read them. */
const answerWithMembers = <Data extends object>(data: Data) => ok(data, { members: data, headers: NO_STORE });

const bare = <Schema extends TSchema>(schema: Schema) =>
  ({ method: 'get', access: 'public', bare: true, answers: { 200: schema } }) as const;
