import { type KeyObject, sign } from 'node:crypto';
import { decodeBase45, encodeBase45 } from './base45.ts';

/** Shows no personal data. */
interface ShortPayload {
  readonly tid: string;
  readonly prf: string;
}

/** By the `kid` scanners find its public key. */
export interface BarcodeKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

/** Two bytes, so that no barcode begins with the space of Base45. */
const VERSION = 1;
const LENGTH = { version: 2, key: 4, ticket: 14, replacement: 2, performance: 14 } as const;
const PAYLOAD_LENGTH = Object.values(LENGTH).reduce((sum, each) => sum + each, 0);
const SIGNATURE_LENGTH = 64;

/** After its prefix: with a leading 1 they are a number of 14 bytes. */
const MAX_CHARACTERS = 21;
const MAX_REPLACEMENTS = 65_535;

const TICKET = new RegExp(`^tic_([0-9a-z]{1,${MAX_CHARACTERS}})(?:_r([1-9][0-9]{0,4}))?$`);
const PERFORMANCE = new RegExp(`^prf_([0-9a-z]{1,${MAX_CHARACTERS}})$`);

/** The beginning of the thumbprint (RFC 7638), as is the `kid`. */
export function toKeyBytes(kid: string): Buffer {
  return Buffer.from(kid, 'base64url').subarray(0, LENGTH.key);
}

/**
 * Base45 of version, key, ticket, replacement number, performance and the Ed25519 signature of these: 150 characters, a
 * QR code of version 6 with correction level M, or 8 with Q. Undefined for ids that this product's id makers do not
 * make.
 */
export function signShort({ kid, privateKey }: BarcodeKey, { tid, prf }: ShortPayload): string | undefined {
  const [, ticket, replacement = '0'] = TICKET.exec(tid) ?? [];
  const [, performance] = PERFORMANCE.exec(prf) ?? [];
  if (ticket === undefined || performance === undefined || Number(replacement) > MAX_REPLACEMENTS) return undefined;
  const payload = Buffer.concat([
    number(VERSION, LENGTH.version),
    toKeyBytes(kid),
    pack(ticket, LENGTH.ticket),
    number(Number(replacement), LENGTH.replacement),
    pack(performance, LENGTH.performance),
  ]);
  return encodeBase45(Buffer.concat([payload, sign(null, payload, privateKey)]));
}

const number = (value: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
};

/** In base 36, after a 1 that keeps leading zeros. */
const pack = (characters: string, length: number): Buffer => {
  const number = [...`1${characters}`].reduce((sum, one) => sum * 36n + BigInt(Number.parseInt(one, 36)), 0n);
  return Buffer.from(number.toString(16).padStart(2 * length, '0'), 'hex');
};

/** Without verification; undefined if it is no short barcode. */
export function readShort(barcode: string): (ShortPayload & { readonly key: Buffer }) | undefined {
  const decoded = decodeBase45(barcode);
  if (decoded?.length !== PAYLOAD_LENGTH + SIGNATURE_LENGTH) return undefined;
  const bytes = Buffer.from(decoded);
  let at = 0;
  const next = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  if (next(LENGTH.version).readUIntBE(0, LENGTH.version) !== VERSION) return undefined;
  const key = next(LENGTH.key);
  const ticket = unpack(next(LENGTH.ticket));
  const replacement = next(LENGTH.replacement).readUIntBE(0, LENGTH.replacement);
  const performance = unpack(next(LENGTH.performance));
  return { tid: `tic_${ticket}${replacement === 0 ? '' : `_r${replacement}`}`, prf: `prf_${performance}`, key };
}

const unpack = (bytes: Uint8Array): string =>
  BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
    .toString(36)
    .slice(1);

/** Shows no personal data. */
interface BarcodePayload {
  readonly tid: string;
  readonly prf: string;
  readonly plc: string;
  /** Epoch seconds. */
  readonly iat: number;
}

/** The form of earlier releases: a compact JWS (RFC 7515), Ed25519 (RFC 8037); a QR code of version 11. */
export function signJws({ kid, privateKey }: BarcodeKey, { tid, prf, plc, iat }: BarcodePayload): string {
  const signed = `${encodePart({ alg: 'EdDSA', kid })}.${encodePart({ tid, prf, plc, iat })}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}

const encodePart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Ids that do not fit into the short form take the longer one. */
export function signBarcode(key: BarcodeKey, payload: BarcodePayload): string {
  return signShort(key, payload) ?? signJws(key, payload);
}

/** Verifies nothing: the caller compares the barcode with the stored one, which no forged one equals. */
export function readTicketId(barcode: string): string | undefined {
  return readShort(barcode)?.tid ?? readJwsTicketId(barcode);
}

const readJwsTicketId = (barcode: string): string | undefined => {
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

/** A hand scanner may put it before the text, such as `]Q1` for a QR code (ISO/IEC 15424). */
const SYMBOLOGY = /^\][A-Za-z][0-9A-Za-z]/;

/** Removes the white space and symbology that a scanner adds: no barcode begins or ends with such characters. */
export function extractBarcode(scanned: string): string {
  return scanned.trim().replace(SYMBOLOGY, '').trim();
}
