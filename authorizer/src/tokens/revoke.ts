import { required } from '../authentication/form.ts';
import { OAuthFault } from '../authentication/oauth-error.ts';
import type { IntrospectionDependencies, TokenLookupForm } from './introspect.ts';
import type { Revocations } from './revocations.ts';
import { unknownToken } from './status.ts';

export interface RevocationDependencies extends IntrospectionDependencies {
  readonly revocations: Pick<Revocations, 'revoke'>;
}

/**
 * Makes token revocation (RFC 7009): only a client's own tokens. An unknown, invalid or expired token counts as
 * revoked.
 */
export const createRevoke =
  ({ authenticate, tokens, revocations }: RevocationDependencies) =>
  async (form: TokenLookupForm, authorization: string | undefined): Promise<void> => {
    const { client } = await authenticate(form, authorization);
    const [token = ''] = required(form, ['token']);
    const claims = await tokens.claims(token).catch(unknownToken);
    if (claims && claims.client_id !== client.id) {
      throw new OAuthFault('forbidden', 'unauthorized_client', 'The token was not issued to this client.');
    }
    if (claims) await revocations.revoke(claims);
  };
