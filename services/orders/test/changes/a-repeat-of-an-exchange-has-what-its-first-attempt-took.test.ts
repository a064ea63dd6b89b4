// rule commerce.5: compared before and after the hold | services/orders/src/changes/change.ts

import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createDiscount } from '../fixture/discounts.ts';
import { describeOnEachEngine, type Fixture } from '../fixture/fixture.ts';
import { createContact, pay, postToShop, requireDone } from '../fixture/orders.ts';

const POLICY = { returnMinutes: 0, returnFee: null, exchangeMinutes: 0, exchangeFee: null };

/** A paid order of a place, and an exchange for one that costs 500 more. */
const prepare = async (fixture: Fixture) => {
  const [old, other] = [fixture.catalog.hall(1), fixture.catalog.hall(6, { amount: 1_500 })];
  fixture.catalog.describe(old.tariffId, { returnPolicy: POLICY });
  const client = randomUUID();
  const { data: order } = await fixture.call('POST', '', { client, body: { items: [old.item(1)] } });
  const path = `/${order.id}`;
  await pay(fixture, path, { amount: order.total });
  const { performanceId, seatCategoryId, tariffId } = other;
  const exchanges = [{ lineId: order.lines[0]?.id, performanceId, seatCategoryId, tariffId }];
  return { client, order, path, other, body: { exchanges, difference: 500 } };
};

describeOnEachEngine('a repeat of an exchange', (fixture) => {
  test('on the own seat has the last use of a discount, which its first attempt has claimed', async () => {
    const institution = `i${randomUUID()}`;
    const hall = fixture.catalog.hall(1, { institution });
    const tariffId = fixture.catalog.tariff(hall, hall.amount);
    fixture.catalog.describe(hall.tariffId, { returnPolicy: POLICY });
    const discount = createDiscount('dsc_last', { amount: 300 }, { tariffIds: [tariffId] });
    fixture.catalog.price(institution, { discounts: [discount] });
    const uses = fixture.catalog.limit('dsc_last', 1);
    const call = { institution };
    const { data: order } = await fixture.call('POST', '', { ...call, body: { items: [hall.item(1)] } });
    const path = `/${order.id}`;
    await pay(fixture, path, { amount: order.total }, call);
    const { performanceId, seatCategoryId } = hall;
    const exchanges = [{ lineId: order.lines[0]?.id, performanceId, seatCategoryId, tariffId }];
    const request = { ...call, key: randomUUID(), body: { exchanges, difference: -300 } };
    fixture.catalog.mishaps.set('holdUses', 'lost');
    expect((await fixture.call('POST', `${path}/changes`, request)).status).toBe(503);
    fixture.catalog.mishaps.clear();
    expect(fixture.catalog.count(uses)).toMatchObject({ held: 1 });
    expect(await fixture.call('POST', `${path}/changes`, request)).toMatchObject({
      status: 201,
      data: { credit: 300 },
    });
  });

  test('at the same time leaves no place held that the change does not have', async () => {
    const { path, body, other } = await prepare(fixture);
    const payment = { method: 'card', status: 'captured' };
    const request = { key: randomUUID(), body: { ...body, payment } };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => fixture.call('POST', `${path}/changes`, request)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(fixture.catalog.count(other)).toEqual({ free: 5, held: 0, sold: 1 });
  });

  test('whose payment did not come finds the change that has lapsed', async () => {
    const { path, body, other } = await prepare(fixture);
    const send = async () => {
      const paying = { requestId: 'again', paymentMethod: 'external' };
      const { change, changes } = requireDone(await postToShop(fixture, `${path}/changes`, { ...paying, ...body }));
      return { change, states: changes.map(({ state }) => state) };
    };
    expect(await send()).toEqual({ change: expect.any(String), states: ['pending'] });
    await fixture.later(60 * 60_000);
    expect(await send()).toEqual({ change: null, states: ['lapsed'] });
    expect(fixture.catalog.count(other)).toEqual({ free: 6, held: 0, sold: 0 });
  });

  describe('that runs beside its first attempt and is refused', () => {
    /** The second is refused by the limit of held places, which the first one fills, before that has its place. */
    const sendTwice = async (more: object) => {
      const made = await prepare(fixture);
      const bounds = { ownOrders: false, pointsOfSale: [], heldPlaces: 1 };
      const request = { client: made.client, body: { ...made.body, ...more }, key: randomUUID(), bounds };
      const send = () => fixture.call('POST', `${made.path}/changes`, request);
      const [arrived, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      fixture.catalog.before.set('holdPlaces', () => {
        arrived.resolve();
        return answered.promise;
      });
      const first = send();
      await arrived.promise;
      const second = await send();
      answered.resolve();
      fixture.catalog.before.clear();
      return { ...made, replies: [await first, second] };
    };

    test('both are refused alike, and nothing is held, where something is due', async () => {
      const { replies, other, order } = await sendTwice({});
      expect(replies.map(({ code }) => code)).toEqual(['order_hold_limit', 'order_hold_limit']);
      expect(fixture.catalog.count(other)).toEqual({ free: 6, held: 0, sold: 0 });
      expect((await fixture.document(order.id))?.changes).toBeUndefined();
    });

    test('what the first has written is done and settled all the same', async () => {
      const { other, order } = await sendTwice({ payment: { method: 'card', status: 'captured' } });
      expect(fixture.catalog.count(other)).toEqual({ free: 5, held: 0, sold: 1 });
      const { changes } = (await fixture.document(order.id)) ?? {};
      expect(changes).toMatchObject([{ state: 'done', settlement: { placesReleased: 1 } }]);
    });

    test('by what has changed in between releases what it took itself, and no other place', async () => {
      const { path, body, other, order } = await prepare(fixture);
      const contactNumber = createContact(fixture, 'member');
      await fixture.context.orders.of('opera').update(order.id, (current) => ({ next: { ...current, contactNumber } }));
      const tariffId = fixture.catalog.tariff(other, other.amount, 'member');
      const exchanges = body.exchanges.map((one) => ({ ...one, tariffId }));
      const payment = { method: 'card', status: 'captured' };
      const scopes = ['orders:read', 'orders:write'];
      const request = { body: { ...body, exchanges, payment }, key: randomUUID(), scopes };
      const send = () => fixture.call('POST', `${path}/changes`, request);
      const [arrived, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      fixture.contacts.before.set('getContactInternally', () => {
        fixture.contacts.before.clear();
        arrived.resolve();
        return answered.promise;
      });
      const first = send();
      await arrived.promise;
      fixture.contacts.criteria.set(contactNumber, []);
      expect((await send()).code).toBe('order_tariff_not_accessible');
      expect(fixture.catalog.count(other)).toEqual({ free: 5, held: 1, sold: 0 });
      fixture.contacts.criteria.set(contactNumber, ['member']);
      answered.resolve();
      await first;
      expect(fixture.catalog.count(other)).toEqual({ free: 5, held: 0, sold: 1 });
    });
  });
});
