import { createPublicKey, sign, verify } from 'node:crypto';
import type { PublicKey } from './key-chain.ts';
import { type BarcodeKey, keyBytes, readShort, signShort } from './short.ts';

/** What a barcode says: ticket, performance, place, and when it was signed. No personal data. */
export interface BarcodePayload {
  readonly tid: string;
  readonly prf: string;
  readonly plc: string;
  /** Epoch seconds. */
  readonly iat: number;
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * The longer form of a barcode, which earlier releases gave to every ticket: a compact JWS (RFC 7515), Ed25519
 * (RFC 8037). About 300 characters: a QR code of version 11.
 */
export const signJws = ({ kid, privateKey }: BarcodeKey, { tid, prf, plc, iat }: BarcodePayload): string => {
  const signed = `${part({ alg: 'EdDSA', kid })}.${part({ tid, prf, plc, iat })}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
};

/** Signs the barcode of a ticket: the short form, or the longer one for ids that do not fit into it. */
export const signBarcode = (key: BarcodeKey, payload: BarcodePayload): string =>
  signShort(key, payload) ?? signJws(key, payload);

interface Read {
  readonly tid: string;
  readonly prf: unknown;
  readonly signed: Buffer;
  readonly signature: Buffer;
  readonly names: (key: PublicKey) => boolean;
}

const readJws = (barcode: string): Read | undefined => {
  const [header = '', payload = '', signature = '', ...more] = barcode.split('.');
  if (more.length > 0) return undefined;
  const json = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString());
  try {
    const [{ alg, kid }, { tid, prf }] = [json(header), json(payload)];
    if (alg !== 'EdDSA' || typeof tid !== 'string') return undefined;
    const signed = Buffer.from(`${header}.${payload}`);
    return { tid, prf, signed, signature: Buffer.from(signature, 'base64url'), names: (key) => key.kid === kid };
  } catch {
    return undefined;
  }
};

const read = (barcode: string): Read | undefined => {
  const short = readShort(barcode);
  return short ? { ...short, names: ({ kid }) => keyBytes(kid).equals(short.key) } : readJws(barcode);
};

/** The id of the ticket in a barcode, without verification; the caller compares the barcode with the stored one. */
export const ticketNamedBy = (barcode: string): string | undefined => read(barcode)?.tid;

/** The id of the ticket in a barcode that one of these keys has signed; undefined for any other text. */
export const ticketSignedIn = (barcode: string, keys: readonly PublicKey[]): string | undefined => {
  const found = read(barcode);
  const isSigned = keys.some(
    (key) =>
      found?.names(key) &&
      verify(
        null,
        found.signed,
        createPublicKey({ key: { kty: key.kty, crv: key.crv, x: key.x }, format: 'jwk' }),
        found.signature,
      ),
  );
  return isSigned ? found?.tid : undefined;
};
