import { randomUUID } from 'node:crypto';
import type { IdempotencyRecord } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import { answerCreatedOrder, answerOrder } from '../../src/api/views.ts';
import { addToCart } from '../../src/cart/cart.ts';
import type { OrdersContext } from '../../src/context.ts';
import { confirmOrder, extendOrder, reserveOrder } from '../../src/orders/actions.ts';
import { createOrder } from '../../src/orders/create.ts';
import { addOrderLines, removeOrderLine } from '../../src/orders/lines.ts';
import { payOrder, settleOrderPayment } from '../../src/payments/payments.ts';
import type { OrderDocument } from '../../src/store.ts';
import { describeOnEachEngine, waitUntil } from '../fixture/fixture.ts';
import { createExpiredOrder, createOrderInHall, pay, read } from '../fixture/orders.ts';
import { moments, startDying } from '../fixture/services.ts';

describeOnEachEngine('recovery', (fixture) => {
  /** An idempotency record in use, as the HTTP library creates it. */
  const recordOf = (key: string): IdempotencyRecord<OrderDocument> => ({
    key,
    fingerprint: 'the same request',
    expiresAt: Date.now() + 86_400_000,
    answer: (order) => ({ status: answerCreatedOrder(order).status, headers: {}, body: answerOrder(order).data }),
  });
  const holder = { institution: 'opera', client: 'partner' };
  const command = (orderId: string, key?: string) => ({
    institution: 'opera',
    orderId,
    ifMatch: () => undefined,
    idempotencyRecord: key === undefined ? undefined : recordOf(key),
  });
  const payment = (status: 'captured' | 'pending' = 'captured', amount = 2_000) =>
    ({ id: `pay_${randomUUID()}`, method: 'card', amount, status }) as const;
  const MINUTES_16 = 16 * 60_000;

  /** The context of a process that is paused before or after its first call. */
  const pausing = (call: 'extend' | 'sell' | 'release' | 'hold', when: (typeof moments)[number] = 'before') => {
    const { stock } = fixture.context;
    const [paused, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const act = stock[call] as (...args: unknown[]) => Promise<unknown>;
    const pause = () => {
      paused.resolve();
      return resumed.promise;
    };
    const slow = async (...args: unknown[]) => {
      if (when === 'before') await pause();
      const done = await act(...args);
      if (when === 'after') await pause();
      return done;
    };
    const context: OrdersContext = { ...fixture.context, stock: { ...stock, [call]: slow } };
    return { context, paused: paused.promise, resume: resumed.resolve };
  };

  describe('what a dead process has begun is finished, or ends with the hold', () => {
    const isSaleDue = async (id: string) => (await fixture.document(id))?.saleDue != null;

    test.each(moments)('there is no order if its process dies %s the hold, which ends by itself', async (when) => {
      const hall = fixture.catalog.hall(3);
      const other = fixture.catalog.hall(1);
      const requested = { items: [hall.item(2), other.item()] };
      startDying(fixture, 'hold', when, (context) => createOrder(context, holder, requested, undefined));
      if (when === 'after') await waitUntil(() => fixture.catalog.count(hall).held === 2);
      await fixture.later();
      const { performanceId } = hall;
      expect(await fixture.context.orders.of('opera').count({ performanceId })).toBe(0);
      expect(await fixture.context.links.of('opera').count({ performanceId: other.performanceId })).toBe(0);
    });

    test.each(moments)('a repeat of a new order gets its held places if its process dies %s the hold', async (when) => {
      const hall = fixture.catalog.hall(2);
      const requested = { items: [hall.item(2)] };
      const key = randomUUID();
      startDying(fixture, 'hold', when, (context) => createOrder(context, holder, requested, recordOf(key)));
      if (when === 'after') await waitUntil(() => fixture.catalog.count(hall).held === 2);
      const order = await createOrder(fixture.context, holder, requested, recordOf(key));
      expect(order).toMatchObject({ state: 'open', heldPlaces: 2 });
      await fixture.later();
      expect(fixture.catalog.count(hall)).toEqual({ free: 0, held: 2, sold: 0 });
      expect(await fixture.context.orders.of('opera').count({ performanceId: hall.performanceId })).toBe(1);
    });

    test.each(moments)('a confirmation is repeated if its process dies %s the sale', async (when) => {
      const { order, path, hall } = await createOrderInHall(fixture);
      const key = randomUUID();
      startDying(fixture, 'sell', when, (context) => confirmOrder(context, command(order.id, key), true));
      if (when === 'after') await waitUntil(() => fixture.catalog.count(hall).sold === 2);
      await fixture.later();
      expect(await read(fixture, path)).toMatchObject({ state: 'open' });
      const confirmed = await confirmOrder(fixture.context, command(order.id, key), true);
      expect(confirmed).toMatchObject({ state: 'confirmed' });
      expect(fixture.catalog.count(hall).sold).toBe(2);
      await expect(confirmOrder(fixture.context, command(order.id, randomUUID()), true)).rejects.toMatchObject({
        code: 'order_confirmed',
      });
      await waitUntil(() => fixture.factsOf(order.id).length > 0);
      expect(fixture.factsOf(order.id)).toHaveLength(1);
    });

    test('an order that was sold and never confirmed expires, and its places are released', async () => {
      const { order, path, hall } = await createOrderInHall(fixture);
      startDying(fixture, 'sell', 'after', (context) => confirmOrder(context, command(order.id), true));
      await waitUntil(() => fixture.catalog.count(hall).sold === 2);
      await fixture.later(MINUTES_16);
      expect(await read(fixture, path)).toMatchObject({ state: 'expired' });
      await waitUntil(() => fixture.facts.some(({ key, type }) => key === order.id && type === 'order.expired'));
      const expired = fixture.factsOf(order.id)[0];
      if (expired) fixture.catalog.receive(expired);
      expect(fixture.catalog.count(hall)).toEqual({ free: 4, held: 0, sold: 0 });
    });

    test.each([
      ['in time', 'sell', 'before'],
      ['in time', 'sell', 'after'],
      ['late', 'renew', 'before'],
      ['late', 'renew', 'after'],
      ['late', 'sell', 'before'],
      ['late', 'sell', 'after'],
    ] as const)(
      'a payment %s is recorded once and the order confirmed if its process dies at the call %s, %s it takes effect',
      async (at, call, when) => {
        const { order, path, hall } = await (at === 'late' ? createExpiredOrder : createOrderInHall)(fixture);
        if (at === 'late') fixture.catalog.steal(order.lines[0]?.place.id ?? '');
        const key = randomUUID();
        const requested = payment();
        startDying(fixture, call, when, (context) => payOrder(context, command(order.id, key), requested));
        await waitUntil(() => isSaleDue(order.id));
        await fixture.later();
        expect(await read(fixture, path)).toMatchObject({ state: 'confirmed', paid: 2_000 });
        expect(fixture.catalog.count(hall).sold).toBe(at === 'late' ? 3 : 2);
        const again = await payOrder(fixture.context, command(order.id, key), requested);
        expect(again.payments.map(({ id }) => id)).toEqual([requested.id]);
      },
    );

    test.each(moments)(
      'a pending payment is recorded by its repeat if its process dies %s the extension',
      async (when) => {
        const { order, path } = await createOrderInHall(fixture);
        const key = randomUUID();
        const requested = payment('pending');
        startDying(fixture, 'extend', when, (context) => payOrder(context, command(order.id, key), requested));
        await fixture.later();
        expect(await read(fixture, path)).toMatchObject({ state: 'open', paid: 0 });
        const again = await payOrder(fixture.context, command(order.id, key), requested);
        expect(again).toMatchObject({ state: 'payment_pending', payments: [{ id: requested.id }] });
        expect(fixture.catalog.placesOf(order.id)[0]?.until).toBe(again.deadline);
      },
    );

    test('a repeat completes the capture of a pending payment if its process dies before the sale', async () => {
      const { order, path } = await createOrderInHall(fixture);
      const { data } = await pay(fixture, path, { status: 'pending' });
      const key = randomUUID();
      startDying(fixture, 'sell', 'before', (context) =>
        settleOrderPayment(context, command(order.id, key), data.id, 'captured'),
      );
      await waitUntil(() => isSaleDue(order.id));
      const again = await settleOrderPayment(fixture.context, command(order.id, key), data.id, 'captured');
      expect(again).toMatchObject({ state: 'confirmed', payments: [{ status: 'captured' }] });
    });

    test.each(moments)('lines are added by the repeat if the process dies %s the hold', async (when) => {
      const { order, path } = await createOrderInHall(fixture);
      const hall = fixture.catalog.hall(2);
      const items = [hall.item(2)];
      const key = randomUUID();
      startDying(fixture, 'hold', when, (context) => addOrderLines(context, command(order.id, key), items));
      if (when === 'after') await waitUntil(() => fixture.catalog.count(hall).held === 2);
      await fixture.later();
      expect((await read(fixture, path)).lines).toHaveLength(2);
      await addOrderLines(fixture.context, command(order.id, key), items);
      expect((await read(fixture, path)).lines).toHaveLength(4);
      expect(fixture.catalog.count(hall).held).toBe(2);
    });

    test.each(moments)('a removal releases its place if its process dies %s the release', async (when) => {
      const { order, path, hall } = await createOrderInHall(fixture);
      startDying(fixture, 'release', when, (context) =>
        removeOrderLine(context, command(order.id), order.lines[0]?.id ?? ''),
      );
      await waitUntil(async () => (await fixture.document(order.id))?.removedPlaces != null);
      await fixture.later();
      expect((await read(fixture, path)).lines).toHaveLength(1);
      expect(fixture.catalog.count(hall)).toEqual({ free: 3, held: 1, sold: 0 });
      expect((await fixture.document(order.id))?.removedPlaces).toBeNull();
    });

    test.each(moments)(
      'an extension and a reservation are repeated if their process dies %s the hold is extended',
      async (when) => {
        const [first, second] = [await createOrderInHall(fixture), await createOrderInHall(fixture)];
        const key = randomUUID();
        const dueAt = Date.parse('2099-01-01T00:00:00Z');
        startDying(fixture, 'extend', when, (context) => extendOrder(context, command(first.order.id, key), 55));
        startDying(fixture, 'extend', when, (context) => reserveOrder(context, command(second.order.id, key), dueAt));
        await fixture.later();
        expect(await read(fixture, second.path)).toMatchObject({ state: 'open' });
        await extendOrder(fixture.context, command(first.order.id, key), 55);
        const again = await reserveOrder(fixture.context, command(second.order.id, randomUUID()), dueAt);
        expect(again.state).toBe('reserved');
        for (const { order } of [first, second])
          expect(fixture.catalog.placesOf(order.id)[0]?.until).toBe((await fixture.document(order.id))?.deadline);
      },
    );

    test('a sale that another process gives up, whose expiry releases its places, sells them again', async () => {
      const { order, path, hall } = await createOrderInHall(fixture, 1);
      const free = hall.placeIds.find((id) => id !== order.lines[0]?.place.id) ?? '';
      const { context, resume } = pausing('sell', 'after');
      const requested = payment('captured', 1_000);
      const paid = payOrder(context, command(order.id), requested);
      await waitUntil(() => fixture.catalog.count(hall).sold === 1);
      for (const id of hall.placeIds) fixture.catalog.steal(id);
      await fixture.later(MINUTES_16);
      expect(await read(fixture, path)).toMatchObject({ state: 'expired', paid: 1_000 });
      fixture.catalog.releasePlaces(free);
      resume();
      expect(await paid).toMatchObject({ state: 'confirmed', saleDue: null });
      expect(fixture.catalog.placesOf(order.id)).toMatchObject([{ id: free, state: 'sold' }]);
    });
  });

  describe('a process that is paused before a call, and resumes', () => {
    /** The outcome of a promise, as data. */
    const outcomeOf = (promise: Promise<unknown>) =>
      promise.then(
        () => 'done',
        (error: { readonly code?: string }) => error.code ?? 'failed',
      );

    test('finds the order confirmed that another process has sold meanwhile', async () => {
      const { order, path, hall } = await createOrderInHall(fixture);
      const { context, paused, resume } = pausing('sell');
      const outcome = outcomeOf(payOrder(context, command(order.id), payment()));
      await paused;
      await fixture.later();
      expect(await read(fixture, path)).toMatchObject({ state: 'confirmed' });
      resume();
      expect(await outcome).toBe('done');
      expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 0, sold: 2 });
    });

    test('sells nothing of an order that was cancelled meanwhile', async () => {
      const { order, path, hall } = await createOrderInHall(fixture);
      const { context, paused, resume } = pausing('sell');
      const outcome = outcomeOf(confirmOrder(context, command(order.id), true));
      await paused;
      await fixture.call('POST', `${path}/cancellation`, { body: {} });
      await waitUntil(() => fixture.factsOf(order.id).length > 0);
      for (const fact of fixture.facts) fixture.catalog.receive(fact);
      resume();
      expect(await outcome).toBe('precondition_failed');
      expect(fixture.catalog.count(hall)).toEqual({ free: 4, held: 0, sold: 0 });
    });

    test('keeps no sold place of a removed line that a late hold has taken for the order again', async () => {
      const { order, hall } = await createOrderInHall(fixture);
      const [line] = order.lines;
      const { context, paused, resume } = pausing('sell');
      const outcome = outcomeOf(confirmOrder(context, command(order.id), true));
      await paused;
      await removeOrderLine(fixture.context, command(order.id), String(line?.id));
      const items = [hall.item(1, [String(line?.place.id)])];
      await fixture.context.stock.hold('opera', { holder: order.id, requestId: 'req_late', asOf: 1, items });
      resume();
      expect(await outcome).toBe('done');
      expect(fixture.catalog.count(hall)).toEqual({ free: 3, held: 0, sold: 1 });
    });

    test('makes no second order of a request that was repeated meanwhile', async () => {
      const hall = fixture.catalog.hall(4);
      const requested = { items: [hall.item(2)] };
      const key = recordOf(randomUUID());
      const { context, paused, resume } = pausing('hold');
      const outcome = createOrder(context, holder, requested, key).catch((error: Error) => error.name);
      await paused;
      const order = await createOrder(fixture.context, holder, requested, key);
      resume();
      expect(await outcome).toBe('IdempotencyKeyTaken');
      expect(await fixture.document(order.id)).toMatchObject({ state: 'open', id: order.id });
      expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 2, sold: 0 });
    });

    test('adds to the cart that another request has created meanwhile', async () => {
      const hall = fixture.catalog.hall(4);
      const { context, paused, resume } = pausing('hold');
      const addition = {
        institution: 'opera',
        orderId: context.newId('ord'),
        pointOfSale: 'shop.opera.example',
        address: '127.0.0.7',
        items: [hall.item(2)],
      };
      const added = addToCart(context, { ...addition, request: randomUUID() });
      await paused;
      await addToCart(fixture.context, { ...addition, request: randomUUID() });
      resume();
      expect(await added).toMatchObject({ id: addition.orderId, state: 'open', heldPlaces: 4 });
      expect(fixture.catalog.count(hall)).toEqual({ free: 0, held: 4, sold: 0 });
    });

    test('releases no place that its order holds again', async () => {
      const { order, path, hall } = await createOrderInHall(fixture);
      const [line] = order.lines;
      const { context, paused, resume } = pausing('release');
      const outcome = outcomeOf(removeOrderLine(context, command(order.id), String(line?.id)));
      await paused;
      await fixture.later();
      const placeIds = [String(line?.place.id)];
      await addOrderLines(fixture.context, command(order.id), [hall.item(1, placeIds)]);
      resume();
      expect(await outcome).toBe('done');
      expect((await read(fixture, path)).lines).toHaveLength(2);
      expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 2, sold: 0 });
    });

    test('does not shorten a hold that was extended meanwhile', async () => {
      const { order } = await createOrderInHall(fixture);
      const { context, paused, resume } = pausing('extend');
      const outcome = outcomeOf(extendOrder(context, command(order.id), 20));
      await paused;
      await fixture.later();
      const longer = await extendOrder(fixture.context, command(order.id), 50);
      resume();
      expect(await outcome).toBe('done');
      expect(fixture.catalog.placesOf(order.id).map(({ until: end }) => end)).toEqual([
        longer.deadline,
        longer.deadline,
      ]);
    });
  });
});
