import type { KeyObject } from 'node:crypto';
import type { Fault } from '@boxoffice/envelope';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { MAX_TOKEN_LENGTH, SIGNATURE_ALGORITHM } from './constants.ts';
import type { KeySet } from './key-set.ts';

interface SignedTokenRules<Claims> {
  readonly keys: KeySet;
  readonly type: string;
  readonly issuer: string;
  readonly audience: string;
  /** Turns the verified payload into claims, or undefined if one is missing. */
  readonly read: (payload: Readonly<Record<string, unknown>>) => Claims | undefined;
  /** The refusal, given the reason. */
  readonly refuse: (reason: string) => Fault;
  readonly now: () => number;
}

interface Verified<Claims> {
  readonly claims: Claims;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly kid: string;
  readonly key: KeyObject;
}

/** Verified tokens in the cache; the least recently used are evicted first. */
const CACHE_SIZE = 10_000;

const headerOf = (token: string): jwt.JwtHeader | undefined => {
  if (token.length > MAX_TOKEN_LENGTH) return undefined;
  try {
    return jwt.decode(token, { complete: true })?.header;
  } catch {
    return undefined;
  }
};

/**
 * Verifies signed tokens of one kind (RFC 8725): algorithm, type, issuer and audience are fixed, not read from the
 * token. A cached token costs two look-ups: each use checks its expiry, and that its key is still valid.
 */
export const createTokenVerifier = <Claims extends object>(
  rules: SignedTokenRules<Claims>,
): ((token: string) => Promise<Claims>) => {
  const cache = new LRUCache<string, Verified<Claims>>({ maxSize: CACHE_SIZE, sizeCalculation: () => 1 });
  const { keys, type, issuer, audience, read, refuse, now } = rules;

  const verify = async (token: string): Promise<Verified<Claims>> => {
    const header = headerOf(token);
    if (!header) throw refuse('it is malformed');
    if (header.alg !== SIGNATURE_ALGORITHM || header.typ !== type || header.crit || !header.kid) {
      throw refuse('it is of another kind');
    }
    const key = await keys.key(header.kid);
    if (!key) throw refuse('its key is unknown');
    const payload = verifySignature(token, key);
    const claims = typeof payload.exp === 'number' ? read(payload) : undefined;
    if (!claims) throw refuse('a claim is missing');
    return { claims, expiresAt: Number(payload.exp) * 1000, kid: header.kid, key };
  };

  const verifySignature = (token: string, key: KeyObject): jwt.JwtPayload => {
    try {
      const clockTimestamp = Math.floor(now() / 1000);
      const payload = jwt.verify(token, key, { algorithms: [SIGNATURE_ALGORITHM], issuer, audience, clockTimestamp });
      if (typeof payload === 'object') return payload;
    } catch (error) {
      throw refuse(error instanceof jwt.TokenExpiredError ? 'it expired' : 'it does not verify');
    }
    throw refuse('it does not verify');
  };

  return async (token) => {
    const known = cache.get(token);
    if (known && now() >= known.expiresAt) throw refuse('it expired');
    if (known && (await keys.key(known.kid)) === known.key) return known.claims;
    const verified = await verify(token);
    cache.set(token, verified);
    return verified.claims;
  };
};
