import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createBarcodeKeys } from '../../src/barcode/keys.ts';
import { rotateBarcodeKey } from '../../src/index.ts';
import { engines, missing } from '../fixture/engines.ts';
import { firstOf, issued, PATH, ticketOf } from '../fixture/orders.ts';
import { type Fixture, type Instance, openFixture, SERVICE_SECRET } from '../fixture/service.ts';

const kidsOf = async (on: Instance): Promise<string[]> => {
  const { keys } = (await on.call('GET', `${PATH}/verification-key`)).data as unknown as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
};

/** The name of the key that signed the barcode of a new ticket. */
const signedNow = async (on: Instance): Promise<string> => {
  const { barcode } = ticketOf(await on.call('GET', `${PATH}/${firstOf(await issued(on))}`));
  return JSON.parse(Buffer.from(barcode.split('.')[0] ?? '', 'base64url').toString()).kid;
};

describe.each(engines)(`a barcode key is rotated, on $name${missing}`, (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  test('the new one signs and comes first, the old ones stay valid', async () => {
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

  test('an instance that nobody asks for its keys notices within five seconds', async () => {
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

  test('before the first use, and at once: each makes a key of its own, no generation twice', async () => {
    const institution = `early-${Date.now()}`;
    const rotate = () => rotateBarcodeKey(fixture.store, SERVICE_SECRET, institution);
    const made = await Promise.all([rotate(), rotate(), rotate()]);
    const published = await createBarcodeKeys(fixture.store, SERVICE_SECRET).published(institution);
    expect(published.map(({ kid }) => kid).sort()).toEqual(made.map(({ kid }) => kid).sort());
  });

  test('another institution’s keys are not touched', async () => {
    const before = await kidsOf(fixture);
    await rotateBarcodeKey(fixture.store, SERVICE_SECRET, 'museum');
    expect(await kidsOf(fixture)).toEqual(before);
  });
});
