import type { Authenticate } from '../authentication/authenticate-client.ts';
import { type Form, required } from '../authentication/form.ts';
import { writeScopes } from '../domain/scopes.ts';
import { type ActiveToken, type TokenStatus, unknownToken } from './status.ts';

/** The form of introspection and revocation. `token_type_hint` is ignored: there is one type of token. */
export type TokenLookupForm = Form<'token' | 'client_id' | 'client_secret'>;

export interface IntrospectionDependencies {
  readonly authenticate: Authenticate;
  readonly tokens: TokenStatus;
}

/** The introspection of an active token (RFC 7662, 2.2). */
const description = ({ claims, scopes }: ActiveToken) => ({
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

/** An inactive token has `active: false` and no other member. */
export type Introspection = ReturnType<typeof description> | { readonly active: false };

/**
 * Makes token introspection (RFC 7662) for authenticated clients. A token of another institution is reported like one
 * that never existed.
 */
export const createIntrospect =
  ({ authenticate, tokens }: IntrospectionDependencies) =>
  async (form: TokenLookupForm, authorization: string | undefined): Promise<Introspection> => {
    const { client } = await authenticate(form, authorization);
    const [token = ''] = required(form, ['token']);
    const claims = await tokens.claims(token).catch(unknownToken);
    const active = claims?.institution === client.institution ? await tokens.active(claims) : undefined;
    return typeof active === 'object' ? description(active) : { active: false };
  };
