import { type KeyObject, sign } from 'node:crypto';

/** The payload of a barcode: ticket, performance, place, and when it was signed. No personal data. */
export interface BarcodePayload {
  readonly tid: string;
  readonly prf: string;
  readonly plc: string;
  /** Epoch seconds. */
  readonly iat: number;
}

/** A private key, and the id (`kid`) by which scanners find its public key. */
export interface BarcodeKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * Signs the barcode of a ticket: a compact JWS (RFC 7515), Ed25519 (RFC 8037). About 300 characters: a QR code of
 * version 11.
 */
export const signBarcode = ({ kid, privateKey }: BarcodeKey, { tid, prf, plc, iat }: BarcodePayload): string => {
  const signed = `${part({ alg: 'EdDSA', kid })}.${part({ tid, prf, plc, iat })}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
};

/** The id of the ticket in a barcode, without verification; the caller compares the barcode with the stored one. */
export const ticketNamedBy = (barcode: string): string | undefined => {
  try {
    const payload: unknown = JSON.parse(Buffer.from(barcode.split('.')[1] ?? '', 'base64url').toString());
    const { tid } = payload as { tid?: unknown };
    return typeof tid === 'string' ? tid : undefined;
  } catch {
    return undefined;
  }
};
