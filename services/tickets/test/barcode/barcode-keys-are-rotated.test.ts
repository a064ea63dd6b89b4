import { expect, test } from '@jest/globals';
import { keyBytes, readShort } from '../../src/barcode/barcode.ts';
import { createBarcodeKeys } from '../../src/barcode/keys.ts';
import { rotateBarcodeKey } from '../../src/index.ts';
import { firstOf, issued } from '../fixture/orders.ts';
import { describeOnEachEngine, type Instance, PATH, SERVICE_SECRET, ticketOf } from '../fixture/service.ts';

const kidsOf = async (on: Instance): Promise<string[]> => {
  const { keys } = (await on.call('GET', `${PATH}/verification-key`)).data as unknown as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
};

/** The id of the key that signs the barcode of a new ticket. */
const signedNow = async (on: Instance): Promise<string> => {
  const { barcode } = ticketOf(await on.call('GET', `${PATH}/${firstOf(await issued(on))}`));
  const key = readShort(barcode)?.key;
  return (await kidsOf(on)).find((kid) => key?.equals(keyBytes(kid))) ?? '';
};

describeOnEachEngine('barcode keys are rotated', (fixture) => {
  test('the new key signs and comes first, the old keys stay valid', async () => {
    const first = await signedNow(fixture);
    const operator = await fixture.engine.open();
    const second = await rotateBarcodeKey(operator, SERVICE_SECRET, fixture.institution);
    expect(second).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      x: expect.any(String),
      kid: second.kid,
      alg: 'EdDSA',
      use: 'sig',
    });
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
    const published = await createBarcodeKeys(fixture.store, SERVICE_SECRET).published(institution);
    expect(published.map(({ kid }) => kid).sort()).toEqual(made.map(({ kid }) => kid).sort());
  });

  test('the keys of another institution do not change', async () => {
    const before = await kidsOf(fixture);
    await rotateBarcodeKey(fixture.store, SERVICE_SECRET, 'museum');
    expect(await kidsOf(fixture)).toEqual(before);
  });
});
