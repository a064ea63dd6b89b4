import { type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { SIGNATURE_ALGORITHM } from './constants.ts';

const signInPool = promisify(sign);

/** Octets of each of the two numbers of a signature with P-256 (RFC 7518, 3.4). */
const OCTETS = 32;

/**
 * The signature as JWS has it (RFC 7518, 3.4), from ASN.1 (RFC 3279, 2.2.3): a sequence of two integers, each without
 * leading zeros but for one that keeps it positive.
 */
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

/** What a signed token is. */
interface JwsHeader {
  /** `typ`. */
  readonly type: string;
  readonly kid: string;
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** What is signed (RFC 7515, 5.1). */
const signingInput = (payload: string, { type, kid }: JwsHeader): string =>
  `${base64url(JSON.stringify({ alg: SIGNATURE_ALGORITHM, typ: type, kid }))}.${base64url(payload)}`;

/**
 * Signs a payload, given as JSON, with ES256 in the compact serialization (RFC 7515, 3.1 and 7.1). Node's own form for
 * JWS (`dsaEncoding`) takes three times as long, and jsonwebtoken twice.
 */
export const signJws = (payload: string, header: JwsHeader, key: KeyObject): string => {
  const input = signingInput(payload, header);
  return `${input}.${joseSignature(sign('sha256', Buffer.from(input), key)).toString('base64url')}`;
};

/** The same in a thread of Node's pool, so that the event loop serves other requests meanwhile. */
export const signJwsInPool = async (payload: string, header: JwsHeader, key: KeyObject): Promise<string> => {
  const input = signingInput(payload, header);
  return `${input}.${joseSignature(await signInPool('sha256', Buffer.from(input), key)).toString('base64url')}`;
};
