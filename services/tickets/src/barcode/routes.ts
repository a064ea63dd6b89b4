import { type AnyOperation, ok, operation } from '@boxoffice/http';
import type { Context } from '../context.ts';
import { VerificationKey } from '../schemas.ts';

// A test runs the code example for scanners.

const code = `import { createPublicKey, verify } from 'node:crypto';

const BASE45 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:';
const bytesOf = (text) => Buffer.from(text.match(/.{1,3}/g).flatMap((part) => {
  const value = [...part].reduceRight((sum, one) => sum * 45 + BASE45.indexOf(one), 0);
  return part.length === 3 ? [value >> 8, value & 255] : [value];
}));
const idIn = (bytes) => BigInt('0x' + bytes.toString('hex')).toString(36).slice(1);

// keys: data.keys of GET /svc/v3/tickets/verification-key, fetched while the scanner was online.
export const readBarcode = (barcode, keys) => {
  const bytes = bytesOf(barcode);
  const jwk = keys.find(({ kid }) => bytes.subarray(2, 6).equals(Buffer.from(kid, 'base64url').subarray(0, 4)));
  if (bytes.length !== 100 || bytes.readUInt16BE(0) !== 1 || !jwk) throw new Error('not signed by this institution');
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  if (!verify(null, bytes.subarray(0, 36), key, bytes.subarray(36))) throw new Error('forged');
  const replacement = bytes.readUInt16BE(20) === 0 ? '' : '_r' + bytes.readUInt16BE(20);
  return { tid: 'tic_' + idIn(bytes.subarray(6, 20)) + replacement, prf: 'prf_' + idIn(bytes.subarray(22, 36)) };
};`;

const jwsCode = `import { createPublicKey, verify } from 'node:crypto';

export const readLongBarcode = (barcode, keys) => {
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

/** Scanners are tested with it. The key pair is that of RFC 8037, appendix A. */
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
    '100YEI TPX30A:P$T926A4CN6$I41B000X30A:PZT99KGM*JRM5WL4SX5YB6NX6JRG4762WLP0MS4HX4Q 5A.$1C-D1.OLN46SEVY57E2 P62SA.Z31760XNB 145T+AB41O*5S/FB9H5ZGHD16O4V',
  payload: { tid: 'tic_00mhs1k9f5q2w8e4r6t0', prf: 'prf_00mhs1k2e7d3kq0w8z1x' },
} as const;

export const longTestVector = {
  key: testVector.key,
  barcode:
    'eyJhbGciOiJFZERTQSIsImtpZCI6ImtQcktfcSJ9.eyJ0aWQiOiJ0aWNfMDBtaHMxazlmNXEydzhlNHI2dDAiLCJwcmYiOiJwcmZfMDBtaHMxazJlN2Qza3Ewdzh6MXgiLCJwbGMiOiJwbGNfMDBtaHMxazJlN2Qza3Ewdzh6MXhfMF8wXzE0IiwiaWF0IjoxNzk5MDAwMDAwfQ.BhhsLvP0n9XYVo2vqIqTVqdPjtLm9rjjxty51jtaiBWkgyeowgcpeZhCOHPvgIlHrbG_vCnfpr0jjiKci3DjAQ',
  payload: {
    tid: 'tic_00mhs1k9f5q2w8e4r6t0',
    prf: 'prf_00mhs1k2e7d3kq0w8z1x',
    plc: 'plc_00mhs1k2e7d3kq0w8z1x_0_0_14',
    iat: 1_799_000_000,
  },
} as const;

const fenceCode = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

const offlineVerification = [
  'A barcode is Base45 (RFC 9285) of 100 bytes: 150 characters of the alphanumeric set of QR codes, which fit into',
  'version 6 with correction level M, or version 8 with Q.',
  '',
  '| bytes | what |',
  '|---|---|',
  '| 0–1 | the version of the format, 1 |',
  '| 2–5 | the key: the first four bytes of `kid`, decoded as base64url |',
  '| 6–19 | the ticket: what follows `tic_` in its id, up to `_r`, as a number in base 36 after a leading 1 |',
  '| 20–21 | its replacement number: what follows `_r`, or 0 |',
  '| 22–35 | the performance: what follows `prf_` in its id, likewise |',
  '| 36–99 | the Ed25519 signature (RFC 8032) of bytes 0 to 35 |',
  '',
  'Numbers are big-endian. A scanner stores `keys`, the public keys of the institution whose barcodes are valid, and',
  'verifies barcodes offline, here in JavaScript:',
  '',
  fenceCode('js', code),
  '',
  'A scanner also checks that `prf` is the performance at its door, and remembers each `tid` that it has read. A valid',
  'signature does not prove that the ticket is valid: only `POST /svc/v3/tickets/control` knows whether it was',
  'controlled elsewhere, replaced or cancelled. Scanners must not trim or change the text.',
  '',
  'Test vector:',
  '',
  fenceCode('json', JSON.stringify(testVector, undefined, 2)),
  '',
  'Tickets of earlier releases stay valid. Their barcodes, the only ones with lower-case letters, are a compact JWS',
  '(RFC 7515): header `{alg, kid}`, payload `{tid, prf, plc, iat}`, signed with Ed25519 (RFC 8037). So are those of',
  'tickets whose ids do not fit into the short form; this product makes no such ids.',
  '',
  fenceCode('js', jwsCode),
  '',
  fenceCode('json', JSON.stringify(longTestVector, undefined, 2)),
].join('\n');

export function createKeyRoutes({ keys }: Pick<Context, 'keys'>): AnyOperation[] {
  return [
    operation({
      id: 'getVerificationKey',
      method: 'get',
      path: '/svc/v3/tickets/verification-key',
      access: 'tickets:read',
      admits: ['customer'],
      summary: 'Returns the public keys that verify barcodes offline',
      description: offlineVerification,
      answers: { 200: VerificationKey },
      etag: true,
      example: { answer: { ...testVector.key, keys: [testVector.key] } },
      handle: async ({ caller }) => {
        const published = await keys.findPublishedKeys(caller.institution);
        const etag = published.map(({ kid }) => kid).join('.');
        return ok({ ...published[0], keys: [...published] }, { etag });
      },
    }),
  ];
}
