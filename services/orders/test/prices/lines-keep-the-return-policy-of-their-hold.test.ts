// rule commerce.5: Resolved at the hold, it stays on the line as `returnPolicy {returnableUntil, returnFee, exchangeableUntil, exchangeFee}` | services/orders/src/orders/items.ts
// rule commerce.5: A performance that moves moves the instants | services/orders/src/reactions.ts
// rule commerce.5: A shopper's cancellation of a confirmed order with a line that has a `returnPolicy` is 400 | services/orders/src/domain/cart.ts

import { expect, test } from '@jest/globals';
import { describeOnEachEngine, waitUntil } from '../fixture/fixture.ts';
import { add, buyCart, createCart, createContact, postToShop, read, requireDone } from '../fixture/orders.ts';

const TERMS = {
  returnMinutes: 2_880,
  returnFee: { percent: '10' },
  exchangeMinutes: null,
  exchangeFee: { amount: 9_999 },
};
/** Of a line at 1,000 that begins at its hall's 2099-03-14T19:30:00.000Z. */
const POLICY = {
  ...{ returnableUntil: '2099-03-12T19:30:00.000Z', returnFee: 100 },
  ...{ exchangeableUntil: null, exchangeFee: 1_000 },
};
const LATER = '2099-04-14T19:30:00.000Z';
const MOVED = { ...POLICY, returnableUntil: '2099-04-12T19:30:00.000Z' };

describeOnEachEngine('the return policy of a line', (fixture) => {
  const openHall = () => {
    const hall = fixture.catalog.hall(10);
    fixture.catalog.describe(hall.tariffId, { returnPolicy: TERMS });
    return hall;
  };
  const order = async (hall = openHall()) => {
    const { data } = await fixture.call('POST', '', { body: { items: [hall.item(1)] } });
    return { hall, path: `/${data.id}`, data };
  };
  const policiesOf = async (path: string) => (await read(fixture, path)).lines.map(({ returnPolicy }) => returnPolicy);
  const move = (performanceId: string, startDate: string, version: number) =>
    fixture.deliver(
      'performance.moved',
      { performanceId, startDate, timeZone: 'UTC', venue: { name: 'Hall' } },
      version,
    );

  test('is quoted, and is that of its hold, whatever the catalogue says later', async () => {
    const hall = openHall();
    const quoted = await fixture.call<{ lines: { returnPolicy: object }[] }>('POST', '/quotes', {
      body: { items: [hall.item(1)] },
    });
    expect(quoted.data.lines).toMatchObject([{ returnPolicy: POLICY }]);
    const { path, data } = await order(hall);
    expect(data.lines).toMatchObject([{ returnPolicy: POLICY }]);
    fixture.catalog.describe(hall.tariffId, {});
    await fixture.confirm(path);
    expect(await policiesOf(path)).toEqual([POLICY]);
    await fixture.call('POST', `${path}/cancellation`, { body: {} });
    expect(await policiesOf((await order(hall)).path)).toEqual([null]);
  });

  test('moves with its performance, once, in orders of every state and those with several performances', async () => {
    const { hall, path, data } = await order();
    const items = [fixture.catalog.hall(2).item(1), hall.item(1)];
    const other = await fixture.call('POST', '', { body: { items } });
    await fixture.confirm(`/${other.data.id}`);
    await move(hall.performanceId, LATER, 3);
    expect(await policiesOf(path)).toEqual([MOVED]);
    expect(await policiesOf(`/${other.data.id}`)).toEqual([null, MOVED]);
    const { version, lines } = await read(fixture, path);
    expect(lines).toMatchObject([{ startDate: hall.startDate }]);
    const isTold = (id: string) =>
      fixture.announced.some(
        ({ key, data }) => key === id && (data as { event: { type: string } }).event.type === 'order.changed',
      );
    await waitUntil(() => isTold(data.id) && isTold(other.data.id));
    await move(hall.performanceId, LATER, 3);
    await move(hall.performanceId, hall.startDate, 2);
    expect(await read(fixture, path)).toMatchObject({ version, lines: [{ returnPolicy: MOVED }] });
  });

  test('of an order that no news of the move has found is that of its sale', async () => {
    const { hall, path } = await order();
    fixture.catalog.move(hall, LATER, 3);
    await fixture.confirm(path);
    expect(await policiesOf(path)).toEqual([MOVED]);
    await move(hall.performanceId, hall.startDate, 2);
    expect(await policiesOf(path)).toEqual([MOVED]);
    const body = { items: [hall.item(1)], confirmation: { onAccount: true } };
    const { data } = await fixture.call('POST', '', { body });
    expect(data).toMatchObject({ state: 'confirmed', lines: [{ returnPolicy: MOVED }] });
  });

  test('of a cart follows its tariff', async () => {
    const hall = openHall();
    const { cart, path } = await createCart(fixture, 1, hall);
    expect(cart.lines).toMatchObject([{ returnPolicy: POLICY }]);
    const change = async (tariffId: string) => {
      const changed = await postToShop(fixture, `${path}/lines/${cart.lines[0]?.id}/change`, {
        requestId: tariffId,
        tariffId,
      });
      return requireDone(changed).lines[0]?.returnPolicy;
    };
    expect(await change(fixture.catalog.tariff(hall, 500))).toBeNull();
    const half = fixture.catalog.tariff(hall, 500);
    fixture.catalog.describe(half, { returnPolicy: TERMS });
    expect(await change(half)).toEqual({ ...POLICY, returnFee: 50, exchangeFee: 500 });
  });

  test('ends the cancellation by the shopper of what is sold with it, not that of the institution', async () => {
    const buy = async (hall = fixture.catalog.hall(3)) => {
      const { path } = await createCart(fixture, 1, hall);
      requireDone(await buyCart(fixture, path, { contactNumber: createContact(fixture) }));
      return path;
    };
    const cancel = async (path: string) =>
      (await postToShop(fixture, `${path}/cancellation`, { requestId: 'one', reason: null })).reason;
    const path = await buy(openHall());
    expect(await cancel(path)).toBe('not_cancellable');
    expect((await fixture.call('POST', `${path}/cancellation`, { body: {} })).data.state).toBe('cancelled');
    expect(await cancel(await buy())).toBeNull();
  });

  test('of a line that was returned or exchanged ends it, too, but for a cancelled performance', async () => {
    const sell = async () => {
      const hall = openHall();
      const { cart, path } = await createCart(fixture, 1, hall);
      requireDone(await add(fixture, cart.id, [fixture.catalog.hall(2).item(1)]));
      requireDone(await buyCart(fixture, path, { contactNumber: createContact(fixture) }));
      return { hall, path, lineId: cart.lines[0]?.id };
    };
    const cancel = async (path: string) =>
      (await postToShop(fixture, `${path}/cancellation`, { requestId: 'one', reason: null })).reason;
    const change = async (path: string, wanted: object) => {
      const body = { ...wanted, override: true, waiveFees: true };
      expect((await fixture.call('POST', `${path}/changes`, { body })).data).toMatchObject({ state: 'done' });
      expect(await policiesOf(path)).not.toContainEqual(POLICY);
    };
    const [returned, exchanged, cancelled] = [await sell(), await sell(), await sell()];
    await change(returned.path, { returns: [{ lineId: returned.lineId }], difference: -1_000 });
    expect(await cancel(returned.path)).toBe('not_cancellable');
    const { performanceId, seatCategoryId, tariffId } = fixture.catalog.hall(2);
    const exchanges = [{ lineId: exchanged.lineId, performanceId, seatCategoryId, tariffId }];
    await change(exchanged.path, { exchanges, difference: 0 });
    expect(await cancel(exchanged.path)).toBe('not_cancellable');
    await fixture.deliver('performance.cancelled', { performanceId: cancelled.hall.performanceId });
    await waitUntil(async () => (await read(fixture, cancelled.path)).formerLines.length === 1);
    expect(await cancel(cancelled.path)).toBeNull();
  });
});
