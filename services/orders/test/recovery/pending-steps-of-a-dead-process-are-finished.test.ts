import { randomUUID } from 'node:crypto';
import type { IdempotencyRecord } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OrdersContext } from '../../src/context.ts';
import { addOrderLines, removeOrderLine } from '../../src/lines/lines.ts';
import { confirmOrder } from '../../src/orders/confirm.ts';
import { createOrder } from '../../src/orders/create.ts';
import { extendOrder, reserveOrder } from '../../src/orders/extend.ts';
import { createdOrderAnswer, orderAnswer } from '../../src/orders/view.ts';
import { payOrder, settleOrderPayment } from '../../src/payments/payments.ts';
import type { OrderDocument } from '../../src/store.ts';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture, until } from '../fixture/fixture.ts';
import { newOrder, pay, read } from '../fixture/orders.ts';

type Call = keyof OrdersContext['stock'];

const never = (): Promise<never> => new Promise(() => undefined);

/** The context of a process that dies at this call of the catalog: before the call takes effect, or after. */
const dying = (context: OrdersContext, call: Call, when: 'before' | 'after'): OrdersContext => {
  const act = context.stock[call] as (...args: unknown[]) => Promise<unknown>;
  const die = async (...args: unknown[]) => {
    if (when === 'after') await act(...args);
    return never();
  };
  return { ...context, stock: { ...context.stock, [call]: die } };
};

/** An idempotency record in use, as the HTTP library creates it. */
const recordOf = (key: string): IdempotencyRecord<OrderDocument> => ({
  key,
  fingerprint: 'the same request',
  expiresAt: Date.now() + 86_400_000,
  answer: (order) => ({ status: createdOrderAnswer(order).status, headers: {}, body: orderAnswer(order).data }),
});

const moments = ['before', 'after'] as const;

describe.each(engines)('the pending step of a dead process is completed or aborted, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const holder = { institution: 'opera', client: 'partner' };
  const command = (orderId: string, key?: string) => ({
    institution: 'opera',
    orderId,
    ifMatch: () => undefined,
    idempotencyRecord: key === undefined ? undefined : recordOf(key),
  });
  const document = (id: string) => fixture.context.orders.of('opera').get(id);
  /** Time passes until the process counts as dead, and an instance sweeps. */
  const later = () => fixture.later();
  const isPending = async (id: string) => (await document(id))?.pendingStep !== null;

  test.each(moments)('a new order is deleted if its process dies %s the hold', async (when) => {
    const hall = fixture.catalog.hall(3);
    const other = fixture.catalog.hall(1);
    const requested = { items: [hall.item(2), other.item()] } as never;
    createOrder(dying(fixture.context, 'hold', when), holder, requested, undefined).catch(() => undefined);
    const drafts = () =>
      fixture.context.orders.of('opera').find({ where: { performanceId: hall.performanceId, state: 'draft' } });
    await until(async () => (await drafts()).length === 1);
    if (when === 'after') await until(() => fixture.catalog.count(hall).held === 2);
    const [draft] = await drafts();
    expect((await fixture.call('GET', `/${draft?.id}`)).status).toBe(404);
    await later();
    expect(fixture.catalog.count(hall)).toEqual({ free: 3, held: 0, sold: 0 });
    expect(await drafts()).toEqual([]);
    expect(await fixture.context.links.of('opera').find({ where: { orderId: String(draft?.id) } })).toEqual([]);
  });

  test.each(moments)('a repeat of a new order gets its held places if its process dies %s the hold', async (when) => {
    const hall = fixture.catalog.hall(2);
    const requested = { items: [hall.item(2)] } as never;
    const key = randomUUID();
    createOrder(dying(fixture.context, 'hold', when), holder, requested, recordOf(key)).catch(() => undefined);
    if (when === 'after') await until(() => fixture.catalog.count(hall).held === 2);
    else
      await until(
        async () => (await fixture.context.orders.of('opera').count({ performanceId: hall.performanceId })) > 0,
      );
    const order = await createOrder(fixture.context, holder, requested, recordOf(key));
    expect(order).toMatchObject({ state: 'open', heldPlaces: 2 });
    await later();
    expect(fixture.catalog.count(hall)).toEqual({ free: 0, held: 2, sold: 0 });
    expect(await fixture.context.orders.of('opera').count({ performanceId: hall.performanceId })).toBe(1);
  });

  test('a repeat creates another order while the draft of the first attempt is being aborted', async () => {
    const hall = fixture.catalog.hall(2);
    const requested = { items: [hall.item()] } as never;
    const key = randomUUID();
    createOrder(dying(fixture.context, 'hold', 'after'), holder, requested, recordOf(key)).catch(() => undefined);
    await until(() => fixture.catalog.count(hall).held === 1);
    fixture.catalog.mishaps.set('releaseHold', 'fails');
    await later();
    fixture.catalog.mishaps.clear();
    const order = await createOrder(fixture.context, holder, requested, recordOf(key));
    await later();
    expect(fixture.catalog.count(hall)).toEqual({ free: 1, held: 1, sold: 0 });
    expect(fixture.catalog.placesOf(order.id)).toHaveLength(1);
  });

  test.each(moments)(
    'a confirmation is completed if its process dies %s the sale, and its repeat succeeds',
    async (when) => {
      const { order, path, hall } = await newOrder(fixture);
      const key = randomUUID();
      confirmOrder(dying(fixture.context, 'sell', when), command(order.id, key), true).catch(() => undefined);
      await until(() => isPending(order.id));
      if (when === 'after') await until(() => fixture.catalog.count(hall).sold === 2);
      await later();
      expect(await read(fixture, path)).toMatchObject({ state: 'confirmed' });
      expect(fixture.catalog.count(hall).sold).toBe(2);
      const again = await confirmOrder(fixture.context, command(order.id, key), true);
      expect(again).toMatchObject({ state: 'confirmed', version: (await read(fixture, path)).version });
      await expect(confirmOrder(fixture.context, command(order.id, randomUUID()), true)).rejects.toMatchObject({
        code: 'order_confirmed',
      });
      await until(() => fixture.facts.filter(({ key: about }) => about === order.id).length > 0);
      expect(fixture.facts.filter(({ key: about }) => about === order.id)).toHaveLength(1);
    },
  );

  test('a repeat completes a confirmation before the sweep', async () => {
    const { order, hall } = await newOrder(fixture);
    const key = randomUUID();
    confirmOrder(dying(fixture.context, 'sell', 'after'), command(order.id, key), true).catch(() => undefined);
    await until(() => fixture.catalog.count(hall).sold === 2);
    expect(await confirmOrder(fixture.context, command(order.id, key), true)).toMatchObject({ state: 'confirmed' });
  });

  test('a confirmation whose places are gone meanwhile leaves the order open', async () => {
    const { order, path } = await newOrder(fixture);
    confirmOrder(dying(fixture.context, 'sell', 'before'), command(order.id), true).catch(() => undefined);
    await until(() => isPending(order.id));
    fixture.catalog.steal(order.lines[0]?.place.id ?? '');
    await later();
    expect(await read(fixture, path)).toMatchObject({ state: 'open' });
    expect(await isPending(order.id)).toBe(false);
  });

  test.each(moments)(
    'a payment is recorded once and the order confirmed if its process dies %s the sale',
    async (when) => {
      const { order, path } = await newOrder(fixture);
      const key = randomUUID();
      const requested = { id: `pay_${randomUUID()}`, method: 'card', amount: 2_000, status: 'captured' } as const;
      payOrder(dying(fixture.context, 'sell', when), command(order.id, key), requested).catch(() => undefined);
      await until(() => isPending(order.id));
      await later();
      expect(await read(fixture, path)).toMatchObject({ state: 'confirmed', paid: 2_000 });
      const again = await payOrder(fixture.context, command(order.id, key), { ...requested, id: 'pay_other' });
      expect(again.payments.map(({ id }) => id)).toEqual([requested.id]);
    },
  );

  test.each([
    ['renew', 'before'],
    ['renew', 'after'],
    ['sell', 'before'],
    ['sell', 'after'],
  ] as const)(
    'a late payment is completed if its process dies at the call %s, %s it takes effect',
    async (call, when) => {
      fixture.catalog.holdMs = 1;
      const { order, path, hall } = await newOrder(fixture);
      fixture.catalog.holdMs = 900_000;
      expect((await read(fixture, path)).state).toBe('expired');
      fixture.catalog.steal(order.lines[0]?.place.id ?? '');
      const key = randomUUID();
      const requested = { id: `pay_${randomUUID()}`, method: 'card', amount: 2_000, status: 'captured' } as const;
      payOrder(dying(fixture.context, call, when), command(order.id, key), requested).catch(() => undefined);
      await until(() => isPending(order.id));
      await later();
      expect(await read(fixture, path)).toMatchObject({ state: 'confirmed', paid: 2_000 });
      expect(fixture.catalog.count(hall).sold).toBe(3);
      const again = await payOrder(fixture.context, command(order.id, key), requested);
      expect(again.payments).toHaveLength(1);
    },
  );

  test.each(moments)('a pending payment extends the hold if its process dies %s the extension', async (when) => {
    const { order, path } = await newOrder(fixture);
    const key = randomUUID();
    const requested = { id: `pay_${randomUUID()}`, method: 'card', amount: 2_000, status: 'pending' } as const;
    payOrder(dying(fixture.context, 'extend', when), command(order.id, key), requested).catch(() => undefined);
    await until(() => isPending(order.id));
    await later();
    expect(await isPending(order.id)).toBe(false);
    expect(await read(fixture, path)).toMatchObject({ state: 'payment_pending' });
    expect(fixture.catalog.placesOf(order.id)[0]?.until).toBe((await document(order.id))?.deadline);
    const again = await payOrder(fixture.context, command(order.id, key), requested);
    expect(again.payments).toHaveLength(1);
  });

  test('a repeat completes the capture of a pending payment if its process dies before the sale', async () => {
    const { order, path } = await newOrder(fixture);
    const { data } = await pay(fixture, path, { status: 'pending' });
    const key = randomUUID();
    settleOrderPayment(dying(fixture.context, 'sell', 'before'), command(order.id, key), data.id, 'captured').catch(
      () => undefined,
    );
    await until(() => isPending(order.id));
    const again = await settleOrderPayment(fixture.context, command(order.id, key), data.id, 'captured');
    expect(again).toMatchObject({ state: 'confirmed', payments: [{ status: 'captured' }] });
  });

  test.each(moments)(
    'an addition of lines is aborted if its process dies %s the hold, and a repeat adds them',
    async (when) => {
      const { order, path } = await newOrder(fixture);
      const hall = fixture.catalog.hall(2);
      const items = [hall.item(2)] as never;
      const key = randomUUID();
      addOrderLines(dying(fixture.context, 'hold', when), command(order.id, key), items).catch(() => undefined);
      await until(() => isPending(order.id));
      if (when === 'after') await until(() => fixture.catalog.count(hall).held === 2);
      await later();
      expect(fixture.catalog.count(hall).free).toBe(2);
      expect((await read(fixture, path)).lines).toHaveLength(2);
      await addOrderLines(fixture.context, command(order.id, key), items);
      expect((await read(fixture, path)).lines).toHaveLength(4);
      expect(fixture.catalog.count(hall).held).toBe(2);
    },
  );

  test('a repeat before the sweep adds lines once', async () => {
    const { order, path } = await newOrder(fixture);
    const hall = fixture.catalog.hall(2);
    const items = [hall.item(2)] as never;
    const key = randomUUID();
    addOrderLines(dying(fixture.context, 'hold', 'after'), command(order.id, key), items).catch(() => undefined);
    await until(() => fixture.catalog.count(hall).held === 2);
    await addOrderLines(fixture.context, command(order.id, key), items);
    await later();
    expect((await read(fixture, path)).lines).toHaveLength(4);
    expect(fixture.catalog.count(hall).held).toBe(2);
  });

  test.each(moments)('a removal releases its place if its process dies %s the release', async (when) => {
    const { order, path, hall } = await newOrder(fixture);
    removeOrderLine(dying(fixture.context, 'release', when), command(order.id), order.lines[0]?.id ?? '').catch(
      () => undefined,
    );
    await until(() => isPending(order.id));
    await later();
    expect((await read(fixture, path)).lines).toHaveLength(1);
    expect(fixture.catalog.count(hall)).toEqual({ free: 3, held: 1, sold: 0 });
    expect(await isPending(order.id)).toBe(false);
  });

  test.each(moments)(
    'an extension and a reservation are completed if their process dies %s the hold is extended',
    async (when) => {
      const [first, second] = [await newOrder(fixture), await newOrder(fixture)];
      const context = dying(fixture.context, 'extend', when);
      const key = randomUUID();
      extendOrder(context, command(first.order.id, key), 55).catch(() => undefined);
      reserveOrder(context, command(second.order.id, key), Date.parse('2099-01-01T00:00:00Z')).catch(() => undefined);
      await until(async () => (await isPending(first.order.id)) && (await isPending(second.order.id)));
      await later();
      expect(await read(fixture, second.path)).toMatchObject({ state: 'reserved', dueAt: '2099-01-01T00:00:00.000Z' });
      for (const { order } of [first, second]) {
        const now = await document(order.id);
        expect(now?.pendingStep).toBe(null);
        expect(fixture.catalog.placesOf(order.id)[0]?.until).toBe(now?.deadline);
      }
      const again = await reserveOrder(
        fixture.context,
        command(second.order.id, key),
        Date.parse('2099-01-01T00:00:00Z'),
      );
      expect(again.state).toBe('reserved');
    },
  );

  test('a command waits for the step of a living process, then answers 409 with Retry-After', async () => {
    const { order, path } = await newOrder(fixture);
    confirmOrder(dying(fixture.context, 'sell', 'before'), command(order.id), true).catch(() => undefined);
    await until(() => isPending(order.id));
    const key = randomUUID();
    const busy = await fixture.call('POST', `${path}/cancellation`, { body: {}, key });
    expect(busy).toMatchObject({ status: 409, code: 'conflict' });
    expect(busy.headers.get('retry-after')).toBe('1');
    await later();
    const again = await fixture.call('POST', `${path}/cancellation`, { body: {}, key });
    expect(again).toMatchObject({ status: 200, data: { state: 'cancelled' } });
  });
});
