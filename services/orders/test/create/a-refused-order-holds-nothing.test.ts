import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { HOLD_MS } from '../../src/clients/stock.ts';
import type { Reason } from '../fixture/catalog.ts';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture } from '../fixture/fixture.ts';

describe.each(engines)('a refused order holds nothing, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const create = (items: readonly object[], more: object = {}) =>
    fixture.call('POST', '', { body: { items, ...more } });

  test.each<[Reason, number, string]>([
    ['invalid_reference', 422, 'validation_error'],
    ['not_on_sale', 409, 'order_not_on_sale'],
    ['places_unavailable', 409, 'order_places_unavailable'],
    ['tariff_not_sold_here', 422, 'order_tariff_not_sold_here'],
    ['too_many_places', 422, 'order_too_many_places'],
  ])('a refusal of the catalog (%s) holds nothing', async (reason, status, code) => {
    const [one, two] = [fixture.catalog.hall(2), fixture.catalog.hall(2)];
    fixture.catalog.refuse(two, reason);
    expect(await create([one.item(), two.item()])).toMatchObject({ status, code, data: null });
    expect([fixture.catalog.count(one), fixture.catalog.count(two)]).toEqual(
      Array.from({ length: 2 }, () => ({ free: 2, held: 0, sold: 0 })),
    );
  });

  test.each([
    [0, 400, 'validation_error'],
    [-1, 400, 'validation_error'],
    [51, 400, 'validation_error'],
    [10 ** 9, 400, 'validation_error'],
    [1.5, 400, 'bad_request'],
    ['1', 400, 'bad_request'],
  ])('a quantity of %s is refused', async (quantity, status, code) => {
    const hall = fixture.catalog.hall(2);
    const answer = await create([{ ...hall.item(), quantity }]);
    expect(answer).toMatchObject({ status, code });
    expect(answer.details).toContain('$.items[0].quantity');
  });

  test('a quantity that is not the number of placeIds is refused', async () => {
    const hall = fixture.catalog.hall(2);
    const answer = await create([hall.item(), { ...hall.item(1, hall.placeIds) }]);
    expect(answer).toMatchObject({ status: 422, code: 'validation_error' });
    expect(answer.details).toContain('$.items[1].quantity');
    expect(fixture.catalog.calls.filter(({ operation }) => operation === 'holdPlaces').at(-1)?.body).not.toMatchObject({
      items: [hall.item()],
    });
  });

  test('a performance of another institution, an unknown and an erased contact are 422', async () => {
    const foreign = fixture.catalog.hall(2, { institution: 'museum' });
    expect((await create([foreign.item()])).status).toBe(422);
    const hall = fixture.catalog.hall(2);
    fixture.contacts.known.set('C-erased', '2027-01-01T00:00:00.000Z');
    for (const contactNumber of ['C-unknown', 'C-erased']) {
      const answer = await create([hall.item()], { contactNumber });
      expect(answer).toMatchObject({ status: 422, code: 'validation_error' });
      expect(answer.details).toContain('$.contactNumber');
    }
    expect(fixture.catalog.count(hall).held).toBe(0);
  });

  test('one answer names an unknown contact, a wrong quantity and unknown items, quoted only then', async () => {
    const [hall, foreign] = [fixture.catalog.hall(2), fixture.catalog.hall(2, { institution: 'museum' })];
    const items = [foreign.item(1, ['plc_x']), hall.item(1, hall.placeIds)];
    const calls = (operation: string) => fixture.catalog.calls.filter((call) => call.operation === operation);
    const before = [calls('quoteItems').length, calls('holdPlaces').length];
    const answer = await create(items, { contactNumber: 'C-unknown' });
    expect(answer).toMatchObject({ status: 422, code: 'validation_error' });
    expect(answer.details).toMatch(/\$\.contactNumber: .*; \$\.items\[1\]\.quantity .*; planted: invalid_reference/);
    expect(calls('quoteItems').at(-1)?.body).toEqual({
      items: [foreign.item(undefined, ['plc_x']), hall.item(undefined, hall.placeIds)],
    });
    expect((await create([hall.item(2)])).status).toBe(201);
    expect([calls('quoteItems').length, calls('holdPlaces').length]).toEqual([
      Number(before[0]) + 1,
      Number(before[1]) + 1,
    ]);
  });

  test('an unknown contact is refused while the catalog is down', async () => {
    const hall = fixture.catalog.hall(1);
    fixture.catalog.mishaps.set('quoteItems', 'fails');
    const answer = await create([hall.item()], { contactNumber: 'C-unknown' });
    fixture.catalog.mishaps.clear();
    expect(answer).toMatchObject({ status: 422, details: '$.contactNumber: there is no contact C-unknown.' });
  });

  test('an ill-formed contact number is unknown', async () => {
    const hall = fixture.catalog.hall(1);
    await expect(fixture.context.contacts.criteria('opera', '\ud800')).resolves.toBeUndefined();
    const { status } = await create([hall.item()], { contactNumber: '\ud800' });
    expect([400, 422]).toContain(status);
  });

  test('places in two currencies are refused', async () => {
    const [francs, euros] = [fixture.catalog.hall(1), fixture.catalog.hall(1, { currency: 'EUR' })];
    expect(await create([francs.item(), euros.item()])).toMatchObject({ status: 422, code: 'validation_error' });
    expect([fixture.catalog.count(francs).free, fixture.catalog.count(euros).free]).toEqual([1, 1]);
  });

  test('more places than one order may have are refused', async () => {
    const hall = fixture.catalog.hall(1);
    const items = Array.from({ length: 21 }, () => hall.item(50));
    expect(await create(items)).toMatchObject({ status: 422, code: 'order_too_many_places' });
  });

  test.each(['fails', 'lost', 'hangs after'] as const)(
    'after the mishap "%s" of a hold the answer is 503, and the same request again gets its places',
    async (mishap) => {
      const hall = fixture.catalog.hall(2);
      const request = { body: { items: [hall.item(2)] }, key: randomUUID() };
      fixture.catalog.mishaps.set('holdPlaces', mishap);
      const answer = await fixture.call('POST', '', request);
      fixture.catalog.mishaps.clear();
      expect(answer).toMatchObject({ status: 503, code: 'service_unavailable' });
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(await fixture.call('POST', '', request)).toMatchObject({ status: 201, data: { state: 'open' } });
      expect(fixture.catalog.count(hall)).toEqual({ free: 0, held: 2, sold: 0 });
    },
  );

  test('the timeout of a hold is longer than that of other calls and shorter than that of the gateway', () => {
    const [othersMs, gatewayMs] = [5_000, 15_000];
    expect([HOLD_MS > othersMs, HOLD_MS < gatewayMs]).toEqual([true, true]);
  });

  test('if contacts does not answer, the answer is 503, and nothing is held', async () => {
    const hall = fixture.catalog.hall(1);
    fixture.contacts.mishaps.set('*', 'fails');
    const answer = await create([hall.item()], { contactNumber: 'C1' });
    fixture.contacts.mishaps.clear();
    expect(answer.status).toBe(503);
    expect(fixture.catalog.count(hall).held).toBe(0);
  });

  test('an order holds all its places or none, of several performances and with placeIds', async () => {
    const [one, two] = [fixture.catalog.hall(2), fixture.catalog.hall(3)];
    const named = two.placeIds.slice(0, 2);
    const order = await create([one.item(2), two.item(undefined, named)], { externalReference: 'a-1' });
    expect(order).toMatchObject({ status: 201, data: { externalReference: 'a-1', total: 4_000 } });
    expect(order.data.lines.map(({ place }) => place.id)).toEqual(expect.arrayContaining([...one.placeIds, ...named]));
    expect(await create([two.item(), one.item()])).toMatchObject({ status: 409, code: 'order_places_unavailable' });
    expect(fixture.catalog.count(two)).toEqual({ free: 1, held: 2, sold: 0 });
  });

  test('of 30 concurrent requests for the last 5 places 5 succeed', async () => {
    const hall = fixture.catalog.hall(5);
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => fixture.call('POST', '', { body: { items: [hall.item()] }, key: randomUUID() })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ code }) => code === 'order_places_unavailable')).toHaveLength(25);
  });
});
