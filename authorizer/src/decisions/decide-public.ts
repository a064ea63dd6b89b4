import { Fault } from '@boxoffice/envelope';
import { IDENTITY_LIFETIME_SECONDS, type SigningKey, signIdentity } from '@boxoffice/identity';
import type { ApiKeyLookup } from '../api-keys/lookup.ts';
import type { Decision } from './decide.ts';

/** The gateway's decision request for a request with an API key and no token. */
export interface PublicDecisionRequest {
  /** SHA-256 of the key, base64url. */
  readonly keyHash: string;
  /** The id of the called operation. */
  readonly operation: string;
  /** The called service. */
  readonly audience: string;
}

export interface PublicDecisionDependencies {
  readonly apiKeys: Pick<ApiKeyLookup, 'find'>;
  readonly signingKey: () => SigningKey;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Creates the decision about public requests: an identity without client and scopes, of the key's institution. The
 * service itself knows which of its operations are public, and accepts this identity for no other. Rejects with Fault
 * `unauthorized` for a key that cannot be used.
 */
export const createDecidePublic =
  ({ apiKeys, signingKey, now }: PublicDecisionDependencies) =>
  async ({ keyHash, operation, audience }: PublicDecisionRequest): Promise<Decision> => {
    const apiKey = await apiKeys.find(keyHash);
    if (!apiKey) {
      throw new Fault('unauthorized', 'The API key is not valid.', { 'WWW-Authenticate': 'Bearer' });
    }
    const issuedAt = Math.floor(now() / 1000);
    const { institution } = apiKey;
    const caller = { institution, client: null, service: null, scopes: [], operation, user: null, isPublic: true };
    return {
      identity: signIdentity(signingKey(), { audience, caller, issuedAt }),
      expiresAt: new Date((issuedAt + IDENTITY_LIFETIME_SECONDS) * 1000).toISOString(),
    };
  };
