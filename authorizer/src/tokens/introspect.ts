import { required } from '../authentication/form.ts';
import { writeScopes } from '../domain/scopes.ts';
import { type ActiveToken, undefinedIfInvalid } from './status.ts';
import type { TokenLookupDependencies, TokenLookupForm } from './token-lookup.ts';

/** The introspection of an active token (RFC 7662, 2.2). */
const description = ({ claims, scopes, user }: ActiveToken) => ({
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
  ...(user === null ? {} : { role: user.role, auth_time: claims.auth_time }),
});

/** An inactive token has `active: false` and no other member. */
export type Introspection = ReturnType<typeof description> | { readonly active: false };

/**
 * Creates token introspection (RFC 7662) for authenticated clients. A token of another institution is reported like one
 * that never existed.
 */
export const createIntrospect =
  ({ authenticate, tokens }: TokenLookupDependencies) =>
  async (form: TokenLookupForm, authorization: string | undefined): Promise<Introspection> => {
    const { client } = await authenticate(form, authorization);
    const [token = ''] = required(form, ['token']);
    const claims = await tokens.verify(token).catch(undefinedIfInvalid);
    if (claims?.institution !== client.institution) return { active: false };
    const checked = await tokens.check(claims);
    return checked.active ? description(checked) : { active: false };
  };
