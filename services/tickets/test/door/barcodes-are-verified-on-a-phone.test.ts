import { generateKeyPairSync, webcrypto } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { signJws, signShort } from '../../src/barcode/barcode.ts';
import { longTestVector, testVector } from '../../src/barcode/routes.ts';
import { importDoorModule } from './phones.ts';

const { createVerifier } = await importDoorModule('verify.js');
const loadLibrary = () => import('@noble/ed25519');

/** A browser of 2019: SHA-512 and more, no Ed25519. */
const old = { importKey: () => Promise.reject(new DOMException('Unrecognized name.', 'NotSupportedError')) };

const engines: [string, (scanned: string, keys: readonly object[]) => Promise<object | undefined>][] = [
  ['WebCrypto', createVerifier({ subtle: webcrypto.subtle, loadLibrary: () => Promise.reject(new Error('needless')) })],
  ['the library', createVerifier({ subtle: old, loadLibrary })],
];

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const other = { ...testVector.key, kid: 'AAAAAA', x: String(publicKey.export({ format: 'jwk' }).x) };
const namesake = { ...other, kid: testVector.key.kid };
const keys = [other, testVector.key];
const said = { ticketId: testVector.payload.tid, performanceId: testVector.payload.prf };

describe.each(engines)('on a phone with %s', (_, verify) => {
  test.each([testVector, longTestVector])(
    'a barcode of the institution says ticket and performance',
    async (vector) => {
      expect(await verify(vector.barcode, keys)).toEqual(said);
      // Two keys with the same beginning of their thumbprints, also.
      expect(await verify(vector.barcode, [namesake, testVector.key])).toEqual(said);
      for (const scanned of [` \t${vector.barcode}\r\n`, `]Q1${vector.barcode}\r`, `\r\n]d2 ${vector.barcode}`])
        expect(await verify(scanned, keys)).toEqual(said);
    },
  );

  test('a key that is not loaded, another one and none verify nothing', async () => {
    for (const { barcode } of [testVector, longTestVector])
      for (const none of [[], [other], [namesake]]) expect(await verify(barcode, none)).toBeUndefined();
  });

  test('whatever differs in one character is forged', async () => {
    for (const { barcode } of [testVector, longTestVector]) {
      const changed = fc.tuple(fc.nat(barcode.length - 1), fc.constantFrom(...'AZaz09 .$:-_é')).map(([at, one]) => {
        return `${barcode.slice(0, at)}${one}${barcode.slice(at + 1)}`;
      });
      const property = fc.asyncProperty(changed, async (text) => {
        // The last character of Base64url has bits that no byte needs.
        fc.pre(text !== barcode && text.slice(0, -1) !== barcode.slice(0, -1));
        expect(await verify(text, keys)).toBeUndefined();
      });
      await fc.assert(property, { numRuns: 40 });
    }
  });

  test('no text at all throws', async () => {
    const texts = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[A-Za-z0-9_-]*(\.[A-Za-z0-9_-]*){2}$/),
    );
    await fc.assert(fc.asyncProperty(texts, async (text) => expect(await verify(text, keys)).toBeUndefined()));
    for (const text of ['', 'tic_00mhs1k9f5q2w8e4r6t0', testVector.barcode.repeat(20), 'e30.e30.', 'bnVsbA.bnVsbA.AA'])
      expect(await verify(text, keys)).toBeUndefined();
  });

  test('ids of every length, with leading zeros and replacements', async () => {
    const id = fc.stringMatching(/^[0-9a-z]{1,21}$/);
    const property = fc.asyncProperty(id, id, fc.nat(65_535), async (ticket, performance, replacement) => {
      const tid = `tic_${ticket}${replacement === 0 ? '' : `_r${replacement}`}`;
      const prf = `prf_${performance}`;
      const key = { kid: other.kid, privateKey };
      const expected = { ticketId: tid, performanceId: prf };
      expect(await verify(String(signShort(key, { tid, prf })), keys)).toEqual(expected);
      expect(await verify(signJws(key, { tid, prf, plc: 'plc_1', iat: 1 }), keys)).toEqual(expected);
    });
    await fc.assert(property, { numRuns: 30 });
  });
});
