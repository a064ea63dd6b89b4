import type { Authenticate, IdentifyClient } from '../clients/authenticate-client.ts';
import { type Form, isBasic, required } from '../clients/credentials.ts';
import { writeScopes } from '../domain/scopes.ts';
import type { Grants } from './grants.ts';
import { OAuthFault } from './oauth-error.ts';
import type { Revocations } from './revocations.ts';
import { type ActiveToken, type TokenStatus, undefinedIfInvalid } from './status.ts';

/** The form of introspection and revocation. `token_type_hint` is ignored: there is one type of token. */
type TokenLookupForm = Form<'token' | 'client_id' | 'client_secret'>;

/** What introspection and revocation need to look up a token for an authenticated client. */
interface TokenLookupDependencies {
  readonly authenticate: Authenticate;
  readonly tokens: TokenStatus;
}

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

/**
 * Creates token introspection (RFC 7662) for authenticated clients. A token of another institution is reported like one
 * that never existed. An inactive token has `active: false` and no other member.
 */
export const createIntrospect =
  ({ authenticate, tokens }: TokenLookupDependencies) =>
  async (form: TokenLookupForm, authorization: string | undefined) => {
    const { client } = await authenticate(form, authorization);
    const [token = ''] = required(form, ['token']);
    const claims = await tokens.verify(token).catch(undefinedIfInvalid);
    if (claims?.institution !== client.institution) return { active: false };
    const checked = await tokens.check(claims);
    return checked.active ? description(checked) : { active: false };
  };

interface RevocationDependencies extends TokenLookupDependencies {
  readonly identify: IdentifyClient;
  readonly grants: Pick<Grants, 'ofRefreshToken' | 'end'>;
  readonly revocations: Pick<Revocations, 'revoke'>;
}

const othersToken = (): OAuthFault =>
  new OAuthFault('forbidden', 'unauthorized_client', 'The token was not issued to this client.');

/**
 * Creates token revocation (RFC 7009): of an access token alone; a refresh token ends its grant with all tokens. A
 * public client names itself only. An unknown, invalid or expired token counts as revoked.
 * @throws {OAuthFault} unauthorized_client, from the returned function, if the token was issued to another client
 */
export const createRevoke =
  ({ authenticate, identify, tokens, revocations, grants }: RevocationDependencies) =>
  async (form: TokenLookupForm, authorization: string | undefined): Promise<void> => {
    const isPublic = form.client_id !== undefined && form.client_secret === undefined && !isBasic(authorization);
    const { client } = await (isPublic ? identify : authenticate)(form, authorization);
    const [token = ''] = required(form, ['token']);
    const grant = await grants.ofRefreshToken(token);
    if (grant) {
      if (grant.clientId !== client.id) throw othersToken();
      await grants.end(grant);
      return;
    }
    const claims = await tokens.verify(token).catch(undefinedIfInvalid);
    if (claims && claims.client_id !== client.id) throw othersToken();
    if (claims) await revocations.revoke(claims);
  };
