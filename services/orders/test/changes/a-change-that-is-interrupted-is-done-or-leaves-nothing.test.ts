// rule commerce.5: new places held until `expiresAt` | services/orders/src/saga/change.ts

import { randomUUID } from 'node:crypto';
import { describe, expect, jest, test } from '@jest/globals';
import { lapseChange } from '../../src/domain/changes/change.ts';
import { currentFacts } from '../../src/events.ts';
import { decideWork } from '../../src/follows.ts';
import { describeOnEachEngine } from '../fixture/fixture.ts';
import { type Outcome, pay, read, requireDone } from '../fixture/orders.ts';
import { buildPage } from '../fixture/provider.ts';

const POLICY = { returnMinutes: 0, returnFee: null, exchangeMinutes: 0, exchangeFee: null };

describeOnEachEngine('changes of confirmed orders', (fixture) => {
  /** A paid order of two places, and another performance that is dearer by so much. */
  const sell = async (difference = 0) => {
    const old = fixture.catalog.hall(2);
    const other = fixture.catalog.hall(2, { amount: old.amount + difference });
    for (const { tariffId } of [old, other]) fixture.catalog.describe(tariffId, { returnPolicy: POLICY });
    const { data } = await fixture.call('POST', '', { body: { items: [old.item(2)] } });
    const path = `/${data.id}`;
    await pay(fixture, path, { amount: data.total });
    const order = await read(fixture, path);
    const { performanceId, seatCategoryId, tariffId } = other;
    const lineId = String(order.lines[0]?.id);
    const exchanges = [{ lineId, performanceId, seatCategoryId, tariffId }];
    return { old, other, path, order, lineId, exchanges, difference };
  };
  const change = (path: string, body: object, key = randomUUID()) =>
    fixture.call<{ id: string; state: string }>('POST', `${path}/changes`, { body, key });
  const countSold = ({ old, other }: Awaited<ReturnType<typeof sell>>) =>
    [old, other].map((hall) => fixture.catalog.count(hall).sold);

  describe.each(['fails', 'lost'] as const)('where a call of the catalogue %s', (mishap) => {
    test.each(['holdPlaces', 'sellHold', 'releaseHold'])(
      '%s: both places or one, and a repeat does it once',
      async (operation) => {
        const made = await sell();
        const { path, exchanges, difference } = made;
        const key = randomUUID();
        fixture.catalog.mishaps.set(operation, mishap);
        await change(path, { exchanges, difference }, key);
        const [before, after] = countSold(made);
        expect((before ?? 0) + (after ?? 0)).toBeGreaterThanOrEqual(2);
        fixture.catalog.mishaps.clear();
        const again = await change(path, { exchanges, difference }, key);
        expect([again.status, again.data?.state]).toEqual([201, 'done']);
        await fixture.later();
        expect(countSold(made)).toEqual([1, 1]);
        const now = await read(fixture, path);
        expect([now.lines.length, now.formerLines.length, now.due, now.credit]).toEqual([2, 1, 0, 0]);
        expect((await fixture.document(made.order.id))?.changes).toMatchObject([{ settlement: { placesReleased: 1 } }]);
      },
    );
  });

  test('of several at once one has its place; what the others took, some of it twice, is free again', async () => {
    const { path, exchanges, difference, order, other } = await sell(500);
    const returns = [{ lineId: String(order.lines[1]?.id) }];
    const exchange = { exchanges, difference };
    const wanted = [exchange, exchange, exchange, { returns, difference: -(order.lines[1]?.amount ?? 0) }];
    await Promise.all(wanted.map((body) => change(path, body)));
    expect(fixture.catalog.count(other).free).toBe(1);
  });

  test.each(['sellHold', 'settleChange'])('what is due is done where nobody repeats it: %s', async (operation) => {
    const made = await sell();
    const { path, exchanges, difference } = made;
    const service = operation === 'sellHold' ? fixture.catalog : fixture.tickets;
    service.mishaps.set(operation, 'fails');
    await change(path, { exchanges, difference });
    service.mishaps.clear();
    // It is done, and settled after that.
    await fixture.later();
    await fixture.later(120_000);
    expect(countSold(made)).toEqual([1, 1]);
    expect((await read(fixture, path)).lines.map(({ replaces }) => replaces)).toEqual([null, made.lineId]);
    expect(fixture.catalog.count(made.old).free).toBe(1);
  });

  test('tickets hears of a buyer who is named meanwhile again, once there are the new tickets', async () => {
    const { path, order, exchanges, difference } = await sell();
    const contactNumber = `C${randomUUID()}`;
    fixture.contacts.known.set(contactNumber, null);
    fixture.tickets.before.set('settleChange', async () => {
      fixture.tickets.before.clear();
      await fixture.call('PATCH', path, { body: { contactNumber } });
      told = fixture.tickets.issuesOf(order.id).length;
    });
    let told = 0;
    await change(path, { exchanges, difference });
    await fixture.later(20_000);
    expect(told).toBeGreaterThan(0);
    expect(fixture.tickets.issuesOf(order.id).slice(told)).toMatchObject([{ contactNumber }]);
    expect((await fixture.document(order.id))?.due).toBeUndefined();
  });

  test('on the page of a provider it is held as long, or there is no answer yet, and a repeat has its places', async () => {
    const made = await sell(4_000);
    const page = buildPage({ amount: 4_000 });
    const paying = { requestId: randomUUID(), paymentMethod: 'stripe', page };
    const body = { ...paying, exchanges: made.exchanges, difference: 4_000 };
    const send = () => fixture.shop<Outcome>('POST', `${made.path}/changes`, { body });
    fixture.catalog.mishaps.set('extendHold', 'fails');
    expect((await send()).status).toBe(503);
    fixture.catalog.mishaps.clear();
    const [held] = fixture.catalog.placesOf(made.order.id).filter(({ state }) => state === 'held');
    expect(requireDone((await send()).data).change).not.toBeNull();
    expect(fixture.catalog.placesOf(made.order.id)).toContainEqual({ ...held, until: Date.parse(page.until) });
    expect(fixture.catalog.count(made.other)).toMatchObject({ held: 1 });
  });

  test('a pending change lapses at its end, and its money is credit; its old place was sold all the time', async () => {
    const made = await sell(4_000);
    const { path, exchanges, difference } = made;
    const { data } = await change(path, { exchanges, difference });
    expect(data.state).toBe('pending');
    expect(fixture.catalog.count(made.other)).toMatchObject({ held: 1 });
    await fixture.later(16 * 60_000);
    expect((await fixture.document(made.order.id))?.changes).toMatchObject([{ state: 'lapsed' }]);
    expect(fixture.catalog.count(made.other)).toMatchObject({ held: 0, sold: 0 });
    expect(fixture.catalog.count(made.old)).toMatchObject({ sold: 2 });
    expect(await read(fixture, path)).toMatchObject({ change: null, formerLines: [], credit: 0, due: 0 });
  });

  test('paid, and its places are gone: nothing is changed, the money is credit', async () => {
    const made = await sell(4_000);
    const { path, exchanges, difference } = made;
    fixture.catalog.mishaps.set('sellHold', 'fails');
    const payment = { method: 'card', status: 'captured' };
    await change(path, { exchanges, difference, payment });
    for (const { id } of fixture.catalog.placesOf(made.order.id))
      if (made.other.placeIds.includes(id)) fixture.catalog.steal(id);
    for (const id of made.other.placeIds) fixture.catalog.steal(id);
    fixture.catalog.mishaps.clear();
    await fixture.later();
    expect((await fixture.document(made.order.id))?.changes).toMatchObject([{ state: 'lapsed' }]);
    expect(await read(fixture, path)).toMatchObject({ lines: made.order.lines, credit: difference, due: 0 });
  });

  test('a place that was given back and taken again by the order is not released by a late settlement', async () => {
    const made = await sell();
    const { path, exchanges, difference, lineId, old } = made;
    fixture.tickets.mishaps.set('settleChange', 'fails');
    await change(path, { exchanges, difference });
    const newLineId = String((await read(fixture, path)).lines[1]?.id);
    const placeId = String(made.order.lines[0]?.place.id);
    const { performanceId, seatCategoryId, tariffId } = old;
    const back = [{ lineId: newLineId, performanceId, seatCategoryId, tariffId, placeId }];
    const refused = await change(path, { exchanges: back, difference: 0 });
    expect([refused.status, refused.code]).toEqual([409, 'order_places_unavailable']);
    fixture.tickets.mishaps.clear();
    await fixture.later();
    const done = await change(path, { exchanges: back, difference: 0 });
    expect(done.data.state).toBe('done');
    await fixture.later();
    const now = await read(fixture, path);
    expect(now.lines.map(({ place }) => place.id)).toEqual([made.order.lines[1]?.place.id, placeId]);
    expect(now.formerLines.map(({ id }) => id)).toEqual([lineId, newLineId]);
    expect(countSold(made)).toEqual([2, 0]);
  });

  test('tickets that a restore has set back follow a change once more', async () => {
    const { path, order, exchanges, difference } = await sell();
    await change(path, { exchanges, difference });
    const listSettlements = () =>
      fixture.tickets.calls
        .filter(({ operation }) => operation === 'settleChange')
        .map(({ body }) => body as { readonly orderId: string; readonly change: object })
        .filter(({ orderId }) => orderId === order.id);
    const [first] = listSettlements();
    await fixture.later();
    // As `operator facts republish` does, a minute later.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    for await (const fact of currentFacts.read(fixture.store))
      if (fact.key === order.id) await currentFacts.repeat?.(fixture.store, fact);
    clock.mockRestore();
    await fixture.later(120_000);
    expect(listSettlements()).toMatchObject([{}, { change: first?.change }]);
    expect((await fixture.document(order.id))?.changes).toMatchObject([{ settlement: { placesReleased: 1 } }]);
  });

  test('a place that passed to a line which has left again is free only once the ticket of that line is ended', async () => {
    const made = await sell();
    const { path, lineId, old, order } = made;
    const { performanceId, seatCategoryId } = old;
    const tariffId = fixture.catalog.tariff(old, old.amount);
    fixture.catalog.describe(tariffId, { returnPolicy: POLICY });
    const figure = async (body: object) =>
      (await fixture.call<{ difference: number }>('POST', `${path}/changes/quotes`, { body })).data.difference;
    fixture.tickets.mishaps.set('settleChange', 'fails');
    const exchanges = [{ lineId, performanceId, seatCategoryId, tariffId }];
    await change(path, { exchanges, difference: await figure({ exchanges }) });
    const [, second] = (await read(fixture, path)).lines;
    expect(second).toMatchObject({ replaces: lineId, place: { id: order.lines[0]?.place.id } });
    const returns = [{ lineId: second?.id }];
    await change(path, { returns, difference: await figure({ returns }) });
    expect(fixture.catalog.count(old)).toMatchObject({ sold: 2 });
    fixture.tickets.mishaps.clear();
    await fixture.later();
    const { changes = [] } = (await fixture.document(order.id)) ?? {};
    expect(changes.map(({ settlement }) => settlement.placesReleased)).toEqual([0, 1]);
    expect(fixture.catalog.count(old)).toMatchObject({ sold: 1, free: 1 });
  });

  test('credit is not refunded by itself while a change is pending that counts on it', async () => {
    const made = await sell(4_000);
    await change(made.path, { exchanges: made.exchanges, difference: made.difference });
    const order = await fixture.document(made.order.id);
    if (!order) throw new Error('there is no order');
    const owing = { ...order, creditDue: { since: 1, amount: 50 } };
    expect(decideWork(owing).refundCredit).toBeNull();
    expect(decideWork(lapseChange(owing, {}, 2)).refundCredit).toBe(1);
  });
});
