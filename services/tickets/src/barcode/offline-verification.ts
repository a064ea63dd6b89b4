// The instructions of the API description for scanners. A test runs the code example.

const code = `import { createPublicKey, verify } from 'node:crypto';

// keys: data.keys of GET /svc/v3/tickets/verification-key, fetched while the scanner was online.
export const readBarcode = (barcode, keys) => {
  const [header, payload, signature] = barcode.split('.');
  const json = (part) => JSON.parse(Buffer.from(part, 'base64url').toString());
  const { alg, kid } = json(header);
  const jwk = keys.find((key) => key.kid === kid);
  if (alg !== 'EdDSA' || !jwk) throw new Error('not signed by this institution');
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const signed = Buffer.from(\`\${header}.\${payload}\`);
  if (!verify(null, signed, key, Buffer.from(signature, 'base64url'))) throw new Error('forged');
  return json(payload); // tid: ticket, prf: performance, plc: place, iat: signed at, in seconds
};`;

/** A matching key, barcode and payload, to test a scanner. The key pair is that of RFC 8037, appendix A. */
export const testVector = {
  key: {
    kty: 'OKP',
    crv: 'Ed25519',
    x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    kid: 'kPrK_q',
    alg: 'EdDSA',
    use: 'sig',
  },
  barcode:
    'eyJhbGciOiJFZERTQSIsImtpZCI6ImtQcktfcSJ9.eyJ0aWQiOiJ0aWNfMDBtaHMxazlmNXEydzhlNHI2dDAiLCJwcmYiOiJwcmZfMDBtaHMxazJlN2Qza3Ewdzh6MXgiLCJwbGMiOiJwbGNfMDBtaHMxazJlN2Qza3Ewdzh6MXhfMF8wXzE0IiwiaWF0IjoxNzk5MDAwMDAwfQ.BhhsLvP0n9XYVo2vqIqTVqdPjtLm9rjjxty51jtaiBWkgyeowgcpeZhCOHPvgIlHrbG_vCnfpr0jjiKci3DjAQ',
  payload: {
    tid: 'tic_00mhs1k9f5q2w8e4r6t0',
    prf: 'prf_00mhs1k2e7d3kq0w8z1x',
    plc: 'plc_00mhs1k2e7d3kq0w8z1x_0_0_14',
    iat: 1_799_000_000,
  },
} as const;

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

/** How to verify a barcode without a call of this API. */
export const offlineVerification = [
  'A barcode is a compact JWS (RFC 7515): header `{alg, kid}`, payload `{tid, prf, plc, iat}`, signed with Ed25519',
  '(RFC 8037). A scanner stores `keys`, the public keys of the institution whose barcodes are valid, and verifies',
  'barcodes offline, here in JavaScript:',
  '',
  fenced('js', code),
  '',
  'A scanner also checks that `prf` is the performance at its door, and remembers each `tid` that it has read. A valid',
  'signature does not prove that the ticket is valid: only `POST /svc/v3/tickets/{ticketId}/control` knows whether it',
  'was controlled elsewhere, replaced or cancelled.',
  '',
  'Test vector:',
  '',
  fenced('json', JSON.stringify(testVector, undefined, 2)),
].join('\n');
