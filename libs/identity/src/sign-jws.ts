import { type KeyObject, sign } from 'node:crypto';
import { SIGNATURE_ALGORITHM } from './constants.ts';

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
export interface JwsHeader {
  /** `typ`. */
  readonly type: string;
  readonly kid: string;
}

/**
 * Signs a payload, given as JSON, with ES256 in the compact serialization (RFC 7515, 3.1 and 7.1). Node's own form for
 * JWS (`dsaEncoding`) takes three times as long, and jsonwebtoken twice.
 */
export const signJws = (payload: string, { type, kid }: JwsHeader, key: KeyObject): string => {
  const header = JSON.stringify({ alg: SIGNATURE_ALGORITHM, typ: type, kid });
  const input = `${Buffer.from(header).toString('base64url')}.${Buffer.from(payload).toString('base64url')}`;
  return `${input}.${joseSignature(sign('sha256', Buffer.from(input), key)).toString('base64url')}`;
};
