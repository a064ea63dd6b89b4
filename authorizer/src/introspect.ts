import type { AuthenticatedClient } from './authenticate-client.ts';
import { writeScopes } from './domain/scopes.ts';
import { type Endpoint, envelopeWith, refuseQuery } from './endpoint.ts';
import { checkFormType, type Form, readForm, required } from './form.ts';
import { type LiveToken, type TokenStatus, unknownToken } from './token-status.ts';

/** RFC 7662, 2.1, and RFC 7009, 2.1. The hint is no help: there is one kind of token. */
export const TOKEN_PARAMETERS = ['token', 'client_id', 'client_secret'] as const;

export interface TokenEndpointDependencies {
  readonly authenticate: (
    form: Form<'client_id' | 'client_secret'>,
    authorization: string | undefined,
  ) => Promise<AuthenticatedClient>;
  readonly tokens: TokenStatus;
}

/** What is told of a token (RFC 7662, 2.2). */
const description = ({ claims, scopes }: LiveToken): object => ({
  active: true,
  scope: writeScopes(scopes),
  client_id: claims.client_id,
  token_type: 'Bearer',
  exp: claims.exp,
  iat: claims.iat,
  sub: claims.sub,
  aud: claims.aud,
  iss: claims.iss,
  jti: claims.jti,
  institution: claims.institution,
});

/**
 * `POST /auth/introspect` (RFC 7662), for authenticated clients. Of a token that does not count, or that belongs to another institution, it
 * says that it is not active and nothing else.
 */
export const createIntrospection =
  ({ authenticate, tokens }: TokenEndpointDependencies): Endpoint =>
  async ({ contentType, authorization, query, body }) => {
    checkFormType(contentType);
    refuseQuery(query);
    const form = readForm(body, TOKEN_PARAMETERS);
    const { client } = await authenticate(form, authorization);
    const [token = ''] = required(form, ['token']);
    const claims = await tokens.claims(token).catch(unknownToken);
    const live = claims?.institution === client.institution ? await tokens.live(claims) : undefined;
    return envelopeWith(typeof live === 'object' ? description(live) : { active: false });
  };
