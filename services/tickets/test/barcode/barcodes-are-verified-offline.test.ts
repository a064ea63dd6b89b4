import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readShort, signBarcode, signJws, toKeyBytes } from '../../src/barcode/barcode.ts';
import { decodeBase45, encodeBase45 } from '../../src/barcode/base45.ts';
import { createBarcodeKeys } from '../../src/barcode/keys.ts';
import { longTestVector, testVector } from '../../src/barcode/routes.ts';
import { createRoutes } from '../../src/commands.ts';
import { rotateBarcodeKey } from '../../src/index.ts';
import { importDoorModule } from '../door/phones.ts';
import {
  describeOnEachEngine,
  type Instance,
  PATH,
  readTicket,
  SERVICE_SECRET,
  startInstance,
} from '../fixture/service.ts';
import { createConfirmedOrder, getFirstTicketId, issueOrder } from '../fixture/tickets.ts';

type ReadBarcode = (barcode: string, keys: readonly object[]) => Readonly<Record<string, unknown>>;

interface Keys {
  readonly kid: string;
  readonly x: string;
  readonly keys: readonly { readonly kid: string }[];
}

/** The code blocks of a language in the operation's description. */
const blocksOf = (fixture: Instance, language: string): string[] => {
  const { description = '' } = createRoutes(fixture.context).find(({ id }) => id === 'getVerificationKey') ?? {};
  return [...description.matchAll(/```(\w+)\n([\s\S]*?)\n```/g)]
    .filter(([, name]) => name === language)
    .map(([, , block = '']) => block);
};

const keysOf = async (on: Instance): Promise<Keys> =>
  (await on.call('GET', `${PATH}/verification-key`)).data as unknown as Keys;

describeOnEachEngine('barcodes are verified offline', (fixture) => {
  let readBarcode: ReadBarcode;
  let readLongBarcode: ReadBarcode;
  beforeAll(async () => {
    const load = (code = '') => import(`data:text/javascript,${encodeURIComponent(code)}`);
    const [short, long] = blocksOf(fixture, 'js');
    ({ readBarcode } = await load(short));
    ({ readLongBarcode } = await load(long));
  });

  test('the examples of the description have at most twenty lines and accept their own test vectors', () => {
    for (const code of blocksOf(fixture, 'js')) expect(code.split('\n').length).toBeLessThanOrEqual(20);
    const [short = '', long = ''] = blocksOf(fixture, 'json');
    const vector = JSON.parse(short);
    expect(readBarcode(vector.barcode, [vector.key])).toEqual(vector.payload);
    const other = JSON.parse(long);
    expect(readLongBarcode(other.barcode, [other.key])).toEqual(other.payload);
  });

  test('the service signs the payloads of the test vectors with their key to the same barcodes', () => {
    const { key, payload, barcode } = testVector;
    // RFC 8037, appendix A.
    const d = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A';
    const privateKey = createPrivateKey({ key: { kty: key.kty, crv: key.crv, x: key.x, d }, format: 'jwk' });
    const signing = { kid: key.kid, privateKey };
    expect(signBarcode(signing, { ...payload, plc: 'plc_any', iat: 0 })).toBe(barcode);
    expect(signJws(signing, longTestVector.payload)).toBe(longTestVector.barcode);
    const thumbprint = createHash('sha256').update(JSON.stringify({ crv: key.crv, kty: key.kty, x: key.x }));
    expect(thumbprint.digest('base64url').startsWith(key.kid)).toBe(true);
    // An id that does not fit keeps the longer form.
    const long = signBarcode(signing, { tid: `tic_${'z'.repeat(22)}`, prf: payload.prf, plc: 'plc_any', iat: 0 });
    expect(readLongBarcode(long, [key])).toMatchObject({ tid: `tic_${'z'.repeat(22)}` });
  });

  test('every id of the id makers and every replacement number is read back', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const { kid } = testVector.key;
    const id = fc.stringMatching(/^[0-9a-z]{1,21}$/);
    fc.assert(
      fc.property(id, id, fc.integer({ min: 0, max: 65_535 }), (ticket, performance, replacement) => {
        const payload = { tid: `tic_${ticket}${replacement && `_r${replacement}`}`, prf: `prf_${performance}` };
        const barcode = signBarcode({ kid, privateKey }, { ...payload, plc: 'plc_any', iat: 0 });
        expect(barcode).toMatch(/^[0-9A-Z $%*+\-./:]{150}$/);
        expect(barcode.trim()).toBe(barcode);
        expect(readShort(barcode)).toMatchObject(payload);
      }),
      { numRuns: 200 },
    );
  });

  test('Base45 is that of RFC 9285, here and on phones at the door', async () => {
    const readers = [decodeBase45, (await importDoorModule('base45.js')).decodeBase45];
    for (const [plain, encoded] of [
      ['AB', 'BB8'],
      ['Hello!!', '%69 VD92EX0'],
      ['base-45', 'UJCLQE7W581'],
      ['ietf!', 'QED8WEX0'],
    ] as const) {
      expect(encodeBase45(Buffer.from(plain))).toBe(encoded);
      for (const read of readers) expect(Buffer.from(read(encoded) ?? []).toString()).toBe(plain);
    }
    for (const wrong of ['A', 'ABCD', 'ab8', '::', ':::', 'GGW'])
      for (const read of readers) expect(read(wrong)).toBeUndefined();
  });

  test('the example accepts issued barcodes and rejects changed ones and those of other keys', async () => {
    const order = await issueOrder(fixture);
    const { barcode } = readTicket(await fixture.call('GET', `${PATH}/${getFirstTicketId(order)}`));
    const { keys } = await keysOf(fixture);
    expect(readBarcode(barcode, keys)).toEqual({ tid: getFirstTicketId(order), prf: order.tickets[0]?.performanceId });
    const forged = `${barcode.slice(0, 20)}${barcode[20] === '0' ? '1' : '0'}${barcode.slice(21)}`;
    expect(() => readBarcode(forged, keys)).toThrow('forged');
    const others = await fixture.call('GET', `${PATH}/verification-key`, { institution: 'museum' });
    expect(() => readBarcode(barcode, (others.data as unknown as Keys).keys)).toThrow('not signed by');
    for (const nonsense of ['', 'a.b.c', '..', barcode.slice(0, -3)])
      expect(() => readBarcode(nonsense, keys)).toThrow();
  });

  test('a ticket is found by its exact barcode only', async () => {
    const { barcode, id } = readTicket(
      await fixture.call('GET', `${PATH}/${getFirstTicketId(await issueOrder(fixture))}`),
    );
    const find = async (text: string, more = '', institution = fixture.institution) =>
      (await fixture.call('GET', `${PATH}?barcode=${encodeURIComponent(text)}${more}`, { institution })).data.items;
    expect(await find(barcode)).toMatchObject([{ id }]);
    expect(await find(barcode, '&status=not_printed')).toMatchObject([{ id }]);
    expect(await find(barcode, '&status=printed')).toEqual([]);
    expect(await find(barcode, '', 'museum')).toEqual([]);
    expect(await find(`${barcode.slice(0, -1)}!`)).toEqual([]);
    expect(await find('nonsense')).toEqual([]);
  });

  test('concurrent instances create one first key, which survives restarts', async () => {
    const institution = `fresh-${Date.now()}`;
    const instances = await Promise.all(
      Array.from({ length: 4 }, async () => startInstance(await fixture.engine.open(), institution)),
    );
    const all = await Promise.all(instances.flatMap((one) => [keysOf(one), keysOf(one)]));
    expect(new Set(all.map(({ x }) => x)).size).toBe(1);
    expect(all[0]?.keys).toHaveLength(1);
    await Promise.all(instances.map((one) => one.close()));
    const restarted = await startInstance(await fixture.engine.open(), institution);
    expect(await keysOf(restarted)).toEqual(all[0]);
    await restarted.close();
  });

  test('after a change of SERVICE_SECRET a new key signs, and the old one stays valid', async () => {
    const institution = `turned-${Date.now()}`;
    const before = await startInstance(await fixture.engine.open(), institution);
    const order = await issueOrder(before);
    const { barcode } = readTicket(await before.call('GET', `${PATH}/${getFirstTicketId(order)}`));
    const old = await keysOf(before);
    await before.close();
    const after = await startInstance(await fixture.engine.open(), institution, 'another secret of the tests');
    const { kid, keys } = await keysOf(after);
    expect(keys.map((key) => key.kid)).toEqual([kid, old.kid]);
    expect(kid).not.toBe(old.kid);
    expect(readBarcode(barcode, keys)).toMatchObject({ tid: getFirstTicketId(order) });
    const second = await issueOrder(after, createConfirmedOrder());
    const signed = readTicket(await after.call('GET', `${PATH}/${getFirstTicketId(second)}`)).barcode;
    expect(readBarcode(signed, keys.slice(0, 1))).toMatchObject({ tid: getFirstTicketId(second) });
    await after.close();
  });
});

const kidsOf = async (on: Instance) => (await keysOf(on)).keys.map(({ kid }) => kid);

/** The id of the key that signs the barcode of a new ticket. */
const signedNow = async (on: Instance): Promise<string> => {
  const { barcode } = readTicket(await on.call('GET', `${PATH}/${getFirstTicketId(await issueOrder(on))}`));
  const key = readShort(barcode)?.key;
  return (await kidsOf(on)).find((kid) => key?.equals(toKeyBytes(kid))) ?? '';
};

describeOnEachEngine('barcode keys are rotated', (fixture) => {
  test('the new key signs and comes first, the old keys stay valid', async () => {
    const first = await signedNow(fixture);
    const operator = await fixture.engine.open();
    const second = await rotateBarcodeKey(operator, SERVICE_SECRET, fixture.institution);
    expect(second).toEqual({ ...testVector.key, x: expect.any(String), kid: expect.any(String) });
    expect(await kidsOf(fixture)).toEqual([second.kid, first]);
    expect(await signedNow(fixture)).toBe(second.kid);
    const third = await rotateBarcodeKey(operator, SERVICE_SECRET, fixture.institution);
    expect(await kidsOf(fixture)).toEqual([third.kid, second.kid, first]);
  });

  test('a running instance signs with the new key within five seconds', async () => {
    const institution = `quiet-${Date.now()}`;
    let clock = 0;
    const keys = createBarcodeKeys(fixture.store, SERVICE_SECRET, () => clock);
    const first = await keys.signing(institution);
    const { kid } = await rotateBarcodeKey(fixture.store, SERVICE_SECRET, institution);
    clock += 4_999;
    expect((await keys.signing(institution)).kid).toBe(first.kid);
    clock += 1;
    expect((await keys.signing(institution)).kid).toBe(kid);
  });

  test('concurrent rotations before the first use create one key each, with distinct generations', async () => {
    const institution = `early-${Date.now()}`;
    const rotate = () => rotateBarcodeKey(fixture.store, SERVICE_SECRET, institution);
    const made = await Promise.all([rotate(), rotate(), rotate()]);
    const published = await createBarcodeKeys(fixture.store, SERVICE_SECRET).findPublishedKeys(institution);
    expect(published.map(({ kid }) => kid).sort()).toEqual(made.map(({ kid }) => kid).sort());
  });

  test('the keys of another institution do not change', async () => {
    const before = await kidsOf(fixture);
    await rotateBarcodeKey(fixture.store, SERVICE_SECRET, 'museum');
    expect(await kidsOf(fixture)).toEqual(before);
  });
});
