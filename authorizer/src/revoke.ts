import { type Endpoint, envelopeWith, refuseQuery } from './endpoint.ts';
import { checkFormType, readForm, required } from './form.ts';
import { TOKEN_PARAMETERS, type TokenEndpointDependencies } from './introspect.ts';
import { OAuthFault } from './oauth-error.ts';
import type { Revocations } from './revocations.ts';
import { unknownToken } from './token-status.ts';

/** `POST /auth/revoke` (RFC 7009): a client's own tokens only. A token that is unknown, invalid or expired is revoked already. */
export const createRevocation =
  ({
    authenticate,
    tokens,
    revocations,
  }: TokenEndpointDependencies & { readonly revocations: Revocations }): Endpoint =>
  async ({ contentType, authorization, query, body }) => {
    checkFormType(contentType);
    refuseQuery(query);
    const form = readForm(body, TOKEN_PARAMETERS);
    const { client } = await authenticate(form, authorization);
    const [token = ''] = required(form, ['token']);
    const claims = await tokens.claims(token).catch(unknownToken);
    if (claims && claims.client_id !== client.id) {
      throw new OAuthFault('forbidden', 'unauthorized_client', 'The token was not issued to this client.');
    }
    if (claims) await revocations.revoke(claims);
    return envelopeWith({});
  };
