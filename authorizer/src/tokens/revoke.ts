import { isBasic } from '../authentication/basic.ts';
import { required } from '../authentication/form.ts';
import type { IdentifyClient } from '../authentication/identify-client.ts';
import { OAuthFault } from '../authentication/oauth-error.ts';
import type { Grants } from '../grants/grants.ts';
import type { Revocations } from './revocations.ts';
import { undefinedIfInvalid } from './status.ts';
import type { TokenLookupDependencies, TokenLookupForm } from './token-lookup.ts';

export interface RevocationDependencies extends TokenLookupDependencies {
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
