// Barcodes without a network: what they say, and whether the institution signed it. The format is described at
// GET /svc/v3/tickets/verification-key.
import { decodeBase45 } from './base45.js';

/** The symbology that a hand scanner may put before the text, such as `]Q1` (ISO/IEC 15424). */
const SYMBOLOGY = /^\][A-Za-z][0-9A-Za-z]/;
const MAX_LENGTH = 2048;
const [VERSION, LENGTH, SIGNED] = [1, 100, 36];

/** The text of a barcode in what was scanned: without white space, CR, LF and the symbology of a hand scanner. */
export function scannedText(scanned) {
  return scanned.trim().replace(SYMBOLOGY, '').trim();
}

/** Whether a text has the form of a barcode. */
export function isBarcode(text) {
  return read(text) !== undefined;
}

const read = (text) => {
  if (text.length > MAX_LENGTH) return undefined;
  try {
    const bytes = decodeBase45(text);
    return bytes?.length === LENGTH ? readShort(bytes) : readJws(text);
  } catch {
    return undefined;
  }
};

const readShort = (bytes) => {
  const view = new DataView(bytes.buffer);
  if (view.getUint16(0) !== VERSION) return undefined;
  const replacement = view.getUint16(20);
  return {
    ticketId: `tic_${idIn(bytes.subarray(6, 20))}${replacement === 0 ? '' : `_r${replacement}`}`,
    performanceId: `prf_${idIn(bytes.subarray(22, 36))}`,
    isKey: (kid) => fromBase64url(kid).every((byte, index) => index > 3 || byte === bytes[2 + index]),
    signed: bytes.subarray(0, SIGNED),
    signature: bytes.subarray(SIGNED),
  };
};

const idIn = (bytes) =>
  BigInt(`0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`)
    .toString(36)
    .slice(1);

const fromBase64url = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));

/** The longer form, a compact JWS (RFC 7515), which tickets of earlier releases have. */
const readJws = (text) => {
  const [header, payload, signature, ...more] = text.split('.');
  if (signature === undefined || more.length > 0) return undefined;
  const json = (part) => JSON.parse(new TextDecoder().decode(fromBase64url(part)));
  const [{ alg, kid: named }, { tid, prf }] = [json(header), json(payload)];
  if (alg !== 'EdDSA' || typeof tid !== 'string' || typeof prf !== 'string') return undefined;
  return {
    ticketId: tid,
    performanceId: prf,
    isKey: (kid) => kid === named,
    signed: new TextEncoder().encode(`${header}.${payload}`),
    signature: fromBase64url(signature),
  };
};

/**
 * A function of the scanned text and the institution's public keys (`data.keys` of GET
 * /svc/v3/tickets/verification-key); resolves to `{ticketId, performanceId}`, undefined if no key signed the text.
 * `loadLibrary` imports `@noble/ed25519`, for browsers without Ed25519.
 */
export function createVerifier({ subtle, loadLibrary }) {
  let isNative = true;

  const verify = async (parts) => {
    const native = isNative ? await verifyNatively(subtle, parts) : undefined;
    if (native !== undefined) return native;
    isNative = false;
    const library = await loadLibrary();
    return library.verifyAsync(parts.signature, parts.signed, parts.x, { zip215: false }).catch(() => false);
  };

  return async (scanned, keys) => {
    const barcode = read(scannedText(scanned));
    for (const { x } of barcode ? keys.filter((key) => barcode.isKey(key.kid)) : []) {
      const { ticketId, performanceId, signed, signature } = barcode;
      if (await verify({ x: fromBase64url(x), signed, signature })) return { ticketId, performanceId };
    }
    return undefined;
  };
}

/** Verifies with WebCrypto; undefined where it has no Ed25519, as in browsers before 2024. */
const verifyNatively = async (subtle, { x, signed, signature }) => {
  try {
    const key = await subtle.importKey('raw', x, { name: 'Ed25519' }, false, ['verify']);
    return await subtle.verify({ name: 'Ed25519' }, key, signature, signed);
  } catch {
    return undefined;
  }
};
