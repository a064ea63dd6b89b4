import { type KeySet, SIGNATURE_ALGORITHM } from '@boxoffice/identity';
import jwt from 'jsonwebtoken';
import type { ReadIdTokenHint } from './logout.ts';

/**
 * Creates the check of `id_token_hint` (OpenID Connect RP-Initiated Logout 1.0, 2): signed by a key that is still
 * published, for this issuer; it may have expired. Undefined for anything else.
 */
export const createReadIdTokenHint =
  (keys: KeySet, issuer: string): ReadIdTokenHint =>
  async (token) => {
    const header = jwt.decode(token, { complete: true })?.header;
    if (header?.typ !== 'JWT' || header.alg !== SIGNATURE_ALGORITHM || header.kid === undefined) return undefined;
    const key = await keys.key(header.kid);
    if (!key) return undefined;
    try {
      const options = { algorithms: [SIGNATURE_ALGORITHM], issuer, ignoreExpiration: true } as const;
      const claims = jwt.verify(token, key, { ...options, algorithms: [...options.algorithms] });
      if (typeof claims === 'string' || typeof claims.sub !== 'string' || typeof claims.aud !== 'string')
        return undefined;
      return { sub: claims.sub, clientId: claims.aud, sid: typeof claims.sid === 'string' ? claims.sid : '' };
    } catch {
      return undefined;
    }
  };
