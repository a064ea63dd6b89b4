import { required } from '../authentication/form.ts';
import { OAuthFault } from '../authentication/oauth-error.ts';
import type { Revocations } from './revocations.ts';
import { undefinedIfInvalid } from './status.ts';
import type { TokenLookupDependencies, TokenLookupForm } from './token-lookup.ts';

export interface RevocationDependencies extends TokenLookupDependencies {
  readonly revocations: Pick<Revocations, 'revoke'>;
}

/**
 * Creates token revocation (RFC 7009) for authenticated clients. An unknown, invalid or expired token counts as revoked.
 * @throws {OAuthFault} unauthorized_client, from the returned function, if the token was issued to another client
 */
export const createRevoke =
  ({ authenticate, tokens, revocations }: RevocationDependencies) =>
  async (form: TokenLookupForm, authorization: string | undefined): Promise<void> => {
    const { client } = await authenticate(form, authorization);
    const [token = ''] = required(form, ['token']);
    const claims = await tokens.verify(token).catch(undefinedIfInvalid);
    if (claims && claims.client_id !== client.id) {
      throw new OAuthFault('forbidden', 'unauthorized_client', 'The token was not issued to this client.');
    }
    if (claims) await revocations.revoke(claims);
  };
