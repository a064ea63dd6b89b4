import { sign } from 'node:crypto';
import { type BarcodeKey, readShort, signShort } from './short.ts';

/** What a barcode says: ticket, performance, place, and when it was signed. No personal data. */
interface BarcodePayload {
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

const ticketInJws = (barcode: string): string | undefined => {
  const [header = '', payload = '', , ...more] = barcode.split('.');
  if (more.length > 0) return undefined;
  const json = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString());
  try {
    const [{ alg }, { tid }] = [json(header), json(payload)];
    return alg === 'EdDSA' && typeof tid === 'string' ? tid : undefined;
  } catch {
    return undefined;
  }
};

/**
 * The id of the ticket in a barcode, without verification: the caller compares the barcode with the stored one, which
 * no forged one equals.
 */
export const ticketNamedBy = (barcode: string): string | undefined => readShort(barcode)?.tid ?? ticketInJws(barcode);

/** The symbology that a hand scanner may put before the text, such as `]Q1` for a QR code (ISO/IEC 15424). */
const SYMBOLOGY = /^\][A-Za-z][0-9A-Za-z]/;

/**
 * The text of a barcode in what a scanner sends: without white space, CR and LF around it and without its symbology. No
 * barcode of a ticket begins or ends with such characters.
 */
export const scannedText = (scanned: string): string => scanned.trim().replace(SYMBOLOGY, '').trim();
