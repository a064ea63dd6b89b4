import { type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { Fault } from '@boxoffice/envelope';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { type KeySet, SIGNATURE_ALGORITHM } from './key-set.ts';

const signInPool = promisify(sign);

/** Octets of each of the two numbers of a signature with P-256 (RFC 7518, 3.4). */
const OCTETS = 32;

interface JwsHeader {
  readonly type: string;
  readonly kid: string;
}

/** ES256, compact (RFC 7515, 3.1 and 7.1). Node's `dsaEncoding` takes three times as long, jsonwebtoken twice. */
export function signJws(payload: string, header: JwsHeader, key: KeyObject): string {
  const input = signingInput(payload, header);
  return `${input}.${joseSignature(sign('sha256', Buffer.from(input), key)).toString('base64url')}`;
}

const signingInput = (payload: string, { type, kid }: JwsHeader): string =>
  `${base64url(JSON.stringify({ alg: SIGNATURE_ALGORITHM, typ: type, kid }))}.${base64url(payload)}`;

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** The signature as JWS has it (RFC 7518, 3.4), from ASN.1, whose integers may begin with a zero (RFC 3279, 2.2.3). */
const joseSignature = (der: Buffer): Buffer => {
  const signature = Buffer.alloc(2 * OCTETS);
  // The lengths are of one octet each: the whole is at most 70 long.
  let start = 4;
  for (const end of [OCTETS, 2 * OCTETS]) {
    const length = der.readUInt8(start - 1);
    const octets = Math.min(length, OCTETS);
    der.copy(signature, end - octets, start + length - octets, start + length);
    start += length + 2;
  }
  return signature;
};

/** The same in a thread of Node's pool, so that the event loop serves other requests meanwhile. */
export async function signJwsInPool(payload: string, header: JwsHeader, key: KeyObject): Promise<string> {
  const input = signingInput(payload, header);
  return `${input}.${joseSignature(await signInPool('sha256', Buffer.from(input), key)).toString('base64url')}`;
}

/** The authorizer's tokens are never near this length; longer ones are refused without parsing. */
const MAX_TOKEN_LENGTH = 8192;

interface SignedTokenRules<Claims> {
  readonly keys: KeySet;
  readonly type: string;
  readonly issuer: string;
  readonly audience: string;
  /** Undefined if a claim is missing. */
  readonly read: (payload: Readonly<Record<string, unknown>>) => Claims | undefined;
  readonly refuse: (reason: string) => Fault;
  readonly now: () => number;
}

interface Verified<Claims> {
  readonly claims: Claims;
  readonly expiresAt: number;
  readonly kid: string;
  readonly key: KeyObject;
}

const CACHE_SIZE = 10_000;

/** Algorithm, type, issuer and audience are fixed (RFC 8725). Each use checks the expiry and the key, cached or not. */
export function createTokenVerifier<Claims extends object>(
  rules: SignedTokenRules<Claims>,
): (token: string) => Promise<Claims> {
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
}

const headerOf = (token: string): jwt.JwtHeader | undefined => {
  if (token.length > MAX_TOKEN_LENGTH) return undefined;
  try {
    return jwt.decode(token, { complete: true })?.header;
  } catch {
    return undefined;
  }
};
