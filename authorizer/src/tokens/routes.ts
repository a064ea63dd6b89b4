// Access tokens: issue, introspection, revocation, and the documents by which they are verified.
import { type AnyOperation, named, ok, operation } from '@boxoffice/http';
import { type TSchema, Type } from 'typebox';
import { NO_STORE, onOAuthFault } from '../authentication/oauth-error.ts';
import { KEY_DOCUMENT_SECONDS } from '../domain/key-schedule.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { createIntrospect } from './introspect.ts';
import { GRANT_TYPE, type IssueToken } from './issue.ts';
import { metadata, PATHS } from './metadata.ts';
import type { createRevoke } from './revoke.ts';
import { examples, Introspection, IssuedToken, Jwks, Metadata } from './schemas.ts';

export interface OAuthRouteDependencies {
  readonly issuer: string;
  readonly issue: IssueToken;
  readonly introspect: ReturnType<typeof createIntrospect>;
  readonly revoke: ReturnType<typeof createRevoke>;
  readonly keys: Pick<KeyRing, 'jwks'>;
}

const credentials = {
  client_id: Type.Optional(Type.String({ description: 'unless the client uses HTTP Basic' })),
  client_secret: Type.Optional(Type.String({ description: 'unless the client uses HTTP Basic' })),
};

const TokenRequest = named(
  'TokenRequest',
  Type.Object({
    grant_type: Type.String({ description: `\`${GRANT_TYPE}\`` }),
    ...credentials,
    scope: Type.Optional(Type.String({ description: 'space separated; all that the client holds by default' })),
  }),
);

const TokenLookup = named(
  'TokenLookup',
  Type.Object({
    token: Type.Optional(Type.String({ description: 'required, once the client is known' })),
    token_type_hint: Type.Optional(Type.String()),
    ...credentials,
  }),
);

/** The common parts of the three OAuth form endpoints. */
const endpoint = {
  method: 'post',
  access: 'public',
  form: true,
  withoutIdempotency: true,
  onFault: onOAuthFault,
  challenge: 'Only if the client used HTTP Basic: how to authenticate (RFC 6749, 5.2).',
} as const;

const error = {
  error: Type.String({ description: 'a code of RFC 6749, 5.2' }),
  error_description: Type.String({ description: 'the same as details' }),
};

/** The envelope with the data's members at the top level as well, where standard OAuth clients read them. */
const enveloped = <Data extends object>(data: Data) => ok(data, { members: data, headers: NO_STORE });

const bare = <Schema extends TSchema>(schema: Schema) =>
  ({ method: 'get', access: 'public', bare: true, answers: { 200: schema } }) as const;

/** The endpoints that OAuth defines. */
export const oauthRoutes = ({ issuer, issue, introspect, revoke, keys }: OAuthRouteDependencies): AnyOperation[] => [
  operation({
    ...endpoint,
    id: 'createToken',
    path: PATHS.token,
    summary: 'Issues an access token to a client (RFC 6749, client credentials)',
    body: TokenRequest,
    described: { grant_type: { enum: [GRANT_TYPE] } },
    answers: { 200: IssuedToken },
    members: { answer: IssuedToken.properties, error },
    errors: ['unauthorized'],
    example: {
      body: { grant_type: GRANT_TYPE, ...examples.credentials },
      answer: examples.issued,
      members: examples.issued,
    },
    handle: async ({ body, header }) => enveloped(await issue(body, header('authorization'))),
  }),
  operation({
    ...endpoint,
    id: 'introspectToken',
    path: PATHS.introspect,
    summary: 'Introspects an access token of the own institution (RFC 7662)',
    body: TokenLookup,
    answers: { 200: Introspection },
    members: { answer: Introspection.properties, error },
    errors: ['unauthorized'],
    example: {
      body: { token: examples.token, ...examples.credentials },
      answer: examples.introspection,
      members: examples.introspection,
    },
    handle: async ({ body, header }) => enveloped(await introspect(body, header('authorization'))),
  }),
  operation({
    ...endpoint,
    id: 'revokeToken',
    path: PATHS.revoke,
    summary: 'Revokes an own access token (RFC 7009)',
    body: TokenLookup,
    answers: { 200: Type.Object({}) },
    members: { error },
    errors: ['unauthorized', 'forbidden'],
    example: { body: { token: examples.token, ...examples.credentials }, answer: {} },
    handle: async ({ body, header }) => {
      await revoke(body, header('authorization'));
      return enveloped({});
    },
  }),
  operation({
    ...bare(Metadata),
    id: 'getAuthorizationServerMetadata',
    path: PATHS.metadata,
    summary: 'Describes the authorization server (RFC 8414)',
    example: { answer: metadata('https://tickets.example.org') },
    handle: () => ok(metadata(issuer), { headers: { 'Cache-Control': 'public, max-age=3600' } }),
  }),
  operation({
    ...bare(Jwks),
    id: 'getKeys',
    path: PATHS.jwks,
    summary: 'Gives the public keys that verify tokens (RFC 7517)',
    example: { answer: examples.jwks },
    handle: () => ok(keys.jwks(), { headers: { 'Cache-Control': `public, max-age=${KEY_DOCUMENT_SECONDS}` } }),
  }),
];
