import { randomUUID } from 'node:crypto';
import type { Stamp } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOne, one } from '../../src/answers.ts';
import type { Desk } from '../../src/context.ts';
import { addOrderLines, removeOrderLine } from '../../src/lines/lines.ts';
import { confirmOrder } from '../../src/orders/confirm.ts';
import { createOrder } from '../../src/orders/create.ts';
import { extendOrder, reserveOrder } from '../../src/orders/extend.ts';
import { payOrder, settleOrderPayment } from '../../src/payments/payments.ts';
import type { OrderDocument } from '../../src/store.ts';
import { engines } from '../fixture/engines.ts';
import { openStand, type Stand, until } from '../fixture/fixture.ts';
import { newOrder, pay, read } from '../fixture/orders.ts';

type Call = keyof Desk['stock'];

const never = (): Promise<never> => new Promise(() => undefined);

/** The desk of a process that dies when it calls the stock so: before the call takes effect, or after. */
const dying = (desk: Desk, call: Call, when: 'before' | 'after'): Desk => {
  const act = desk.stock[call] as (...args: unknown[]) => Promise<unknown>;
  const die = async (...args: unknown[]) => {
    if (when === 'after') await act(...args);
    return never();
  };
  return { ...desk, stock: { ...desk.stock, [call]: die } };
};

/** A key in use, as the HTTP library makes it. */
const stampOf = (key: string): Stamp<OrderDocument> => ({
  key,
  fingerprint: 'the same request',
  expiresAt: Date.now() + 86_400_000,
  answer: (order) => ({ status: newOne(order).status, headers: {}, body: one(order).data }),
});

const moments = ['before', 'after'] as const;

describe.each(engines)('what a dead process had begun is finished or taken back, on $name', (engine) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(engine);
  });
  afterAll(() => stand.close());

  const holder = { institution: 'opera', client: 'partner' };
  const asking = (orderId: string, key?: string) => ({
    institution: 'opera',
    orderId,
    ifMatch: () => undefined,
    stamp: key === undefined ? undefined : stampOf(key),
  });
  const document = (id: string) => stand.desk.orders.of('opera').get(id);
  /** Time goes by until marks are taken for dead, and an instance sweeps. */
  const later = () => stand.later();
  const begun = async (id: string) => (await document(id))?.begun !== null;

  test.each(moments)('a new order, %s the hold: nothing is left', async (when) => {
    const hall = stand.catalog.hall(3);
    const other = stand.catalog.hall(1);
    const wish = { items: [hall.item(2), other.item()] } as never;
    createOrder(dying(stand.desk, 'hold', when), holder, wish, undefined).catch(() => undefined);
    const drafts = () =>
      stand.desk.orders.of('opera').find({ where: { performanceId: hall.performanceId, state: 'draft' } });
    await until(async () => (await drafts()).length === 1);
    if (when === 'after') await until(() => stand.catalog.count(hall).held === 2);
    const [draft] = await drafts();
    expect((await stand.call('GET', `/${draft?.id}`)).status).toBe(404);
    await later();
    expect(stand.catalog.count(hall)).toEqual({ free: 3, held: 0, sold: 0 });
    expect(await drafts()).toEqual([]);
    expect(await stand.desk.links.of('opera').find({ where: { orderId: String(draft?.id) } })).toEqual([]);
  });

  test.each(moments)(
    'a new order, %s the hold, and its repeat: it gets the places that are held for it',
    async (when) => {
      const hall = stand.catalog.hall(2);
      const wish = { items: [hall.item(2)] } as never;
      const key = randomUUID();
      createOrder(dying(stand.desk, 'hold', when), holder, wish, stampOf(key)).catch(() => undefined);
      if (when === 'after') await until(() => stand.catalog.count(hall).held === 2);
      else
        await until(async () => (await stand.desk.orders.of('opera').count({ performanceId: hall.performanceId })) > 0);
      const order = await createOrder(stand.desk, holder, wish, stampOf(key));
      expect(order).toMatchObject({ state: 'open', heldPlaces: 2 });
      await later();
      expect(stand.catalog.count(hall)).toEqual({ free: 0, held: 2, sold: 0 });
      expect(await stand.desk.orders.of('opera').count({ performanceId: hall.performanceId })).toBe(1);
    },
  );

  test('a new order whose draft is being dropped, and its repeat: a new order', async () => {
    const hall = stand.catalog.hall(2);
    const wish = { items: [hall.item()] } as never;
    const key = randomUUID();
    createOrder(dying(stand.desk, 'hold', 'after'), holder, wish, stampOf(key)).catch(() => undefined);
    await until(() => stand.catalog.count(hall).held === 1);
    stand.catalog.mishaps.set('releaseHold', 'fails');
    await later();
    stand.catalog.mishaps.clear();
    const order = await createOrder(stand.desk, holder, wish, stampOf(key));
    await later();
    expect(stand.catalog.count(hall)).toEqual({ free: 1, held: 1, sold: 0 });
    expect(stand.catalog.placesOf(order.id)).toHaveLength(1);
  });

  test.each(moments)('a confirmation, %s the sale: confirmed, and its repeat says so', async (when) => {
    const { order, path, hall } = await newOrder(stand);
    const key = randomUUID();
    confirmOrder(dying(stand.desk, 'sell', when), asking(order.id, key), true).catch(() => undefined);
    await until(() => begun(order.id));
    if (when === 'after') await until(() => stand.catalog.count(hall).sold === 2);
    await later();
    expect(await read(stand, path)).toMatchObject({ state: 'confirmed' });
    expect(stand.catalog.count(hall).sold).toBe(2);
    const again = await confirmOrder(stand.desk, asking(order.id, key), true);
    expect(again).toMatchObject({ state: 'confirmed', version: (await read(stand, path)).version });
    await expect(confirmOrder(stand.desk, asking(order.id, randomUUID()), true)).rejects.toMatchObject({
      code: 'order_confirmed',
    });
    await until(() => stand.facts.filter(({ key: about }) => about === order.id).length > 0);
    expect(stand.facts.filter(({ key: about }) => about === order.id)).toHaveLength(1);
  });

  test('a confirmation, and its repeat before anybody swept: it takes over at once', async () => {
    const { order, hall } = await newOrder(stand);
    const key = randomUUID();
    confirmOrder(dying(stand.desk, 'sell', 'after'), asking(order.id, key), true).catch(() => undefined);
    await until(() => stand.catalog.count(hall).sold === 2);
    expect(await confirmOrder(stand.desk, asking(order.id, key), true)).toMatchObject({ state: 'confirmed' });
  });

  test('a confirmation whose places are gone meanwhile: the order stays open', async () => {
    const { order, path } = await newOrder(stand);
    confirmOrder(dying(stand.desk, 'sell', 'before'), asking(order.id), true).catch(() => undefined);
    await until(() => begun(order.id));
    stand.catalog.steal(order.lines[0]?.place.id ?? '');
    await later();
    expect(await read(stand, path)).toMatchObject({ state: 'open' });
    expect(await begun(order.id)).toBe(false);
  });

  test.each(moments)('a payment, %s the sale: the money is there, once, and the order confirmed', async (when) => {
    const { order, path } = await newOrder(stand);
    const key = randomUUID();
    const wish = { id: `pay_${randomUUID()}`, method: 'card', amount: 2_000, status: 'captured' } as const;
    payOrder(dying(stand.desk, 'sell', when), asking(order.id, key), wish).catch(() => undefined);
    await until(() => begun(order.id));
    await later();
    expect(await read(stand, path)).toMatchObject({ state: 'confirmed', paid: 2_000 });
    const again = await payOrder(stand.desk, asking(order.id, key), { ...wish, id: 'pay_other' });
    expect(again.payments.map(({ id }) => id)).toEqual([wish.id]);
  });

  test.each([
    ['renew', 'before'],
    ['renew', 'after'],
    ['sell', 'before'],
    ['sell', 'after'],
  ] as const)('a late payment, at %s, %s it', async (call, when) => {
    stand.catalog.holdMs = 1;
    const { order, path, hall } = await newOrder(stand);
    stand.catalog.holdMs = 900_000;
    expect((await read(stand, path)).state).toBe('expired');
    stand.catalog.steal(order.lines[0]?.place.id ?? '');
    const key = randomUUID();
    const wish = { id: `pay_${randomUUID()}`, method: 'card', amount: 2_000, status: 'captured' } as const;
    payOrder(dying(stand.desk, call, when), asking(order.id, key), wish).catch(() => undefined);
    await until(() => begun(order.id));
    await later();
    expect(await read(stand, path)).toMatchObject({ state: 'confirmed', paid: 2_000 });
    expect(stand.catalog.count(hall).sold).toBe(3);
    const again = await payOrder(stand.desk, asking(order.id, key), wish);
    expect(again.payments).toHaveLength(1);
  });

  test.each(moments)('a pending payment, %s the places are kept longer', async (when) => {
    const { order, path } = await newOrder(stand);
    const key = randomUUID();
    const wish = { id: `pay_${randomUUID()}`, method: 'card', amount: 2_000, status: 'pending' } as const;
    payOrder(dying(stand.desk, 'extend', when), asking(order.id, key), wish).catch(() => undefined);
    await until(() => begun(order.id));
    await later();
    expect(await begun(order.id)).toBe(false);
    expect(await read(stand, path)).toMatchObject({ state: 'payment_pending' });
    expect(stand.catalog.placesOf(order.id)[0]?.until).toBe((await document(order.id))?.deadline);
    const again = await payOrder(stand.desk, asking(order.id, key), wish);
    expect(again.payments).toHaveLength(1);
  });

  test('the capture of a pending payment, before the sale', async () => {
    const { order, path } = await newOrder(stand);
    const { data } = await pay(stand, path, { status: 'pending' });
    const key = randomUUID();
    settleOrderPayment(dying(stand.desk, 'sell', 'before'), asking(order.id, key), data.id, 'captured').catch(
      () => undefined,
    );
    await until(() => begun(order.id));
    const again = await settleOrderPayment(stand.desk, asking(order.id, key), data.id, 'captured');
    expect(again).toMatchObject({ state: 'confirmed', payments: [{ status: 'captured' }] });
  });

  test.each(moments)('more lines, %s the hold: taken back, and the repeat adds them', async (when) => {
    const { order, path } = await newOrder(stand);
    const hall = stand.catalog.hall(2);
    const items = [hall.item(2)] as never;
    const key = randomUUID();
    addOrderLines(dying(stand.desk, 'hold', when), asking(order.id, key), items).catch(() => undefined);
    await until(() => begun(order.id));
    if (when === 'after') await until(() => stand.catalog.count(hall).held === 2);
    await later();
    expect(stand.catalog.count(hall).free).toBe(2);
    expect((await read(stand, path)).lines).toHaveLength(2);
    await addOrderLines(stand.desk, asking(order.id, key), items);
    expect((await read(stand, path)).lines).toHaveLength(4);
    expect(stand.catalog.count(hall).held).toBe(2);
  });

  test('more lines, and the repeat before anybody swept: they are added once', async () => {
    const { order, path } = await newOrder(stand);
    const hall = stand.catalog.hall(2);
    const items = [hall.item(2)] as never;
    const key = randomUUID();
    addOrderLines(dying(stand.desk, 'hold', 'after'), asking(order.id, key), items).catch(() => undefined);
    await until(() => stand.catalog.count(hall).held === 2);
    await addOrderLines(stand.desk, asking(order.id, key), items);
    await later();
    expect((await read(stand, path)).lines).toHaveLength(4);
    expect(stand.catalog.count(hall).held).toBe(2);
  });

  test.each(moments)('a line taken out, %s its place is given back', async (when) => {
    const { order, path, hall } = await newOrder(stand);
    removeOrderLine(dying(stand.desk, 'release', when), asking(order.id), order.lines[0]?.id ?? '').catch(
      () => undefined,
    );
    await until(() => begun(order.id));
    await later();
    expect((await read(stand, path)).lines).toHaveLength(1);
    expect(stand.catalog.count(hall)).toEqual({ free: 3, held: 1, sold: 0 });
    expect(await begun(order.id)).toBe(false);
  });

  test.each(moments)('an extension and a reservation, %s the places are kept longer', async (when) => {
    const [first, second] = [await newOrder(stand), await newOrder(stand)];
    const desk = dying(stand.desk, 'extend', when);
    const key = randomUUID();
    extendOrder(desk, asking(first.order.id, key), 55).catch(() => undefined);
    reserveOrder(desk, asking(second.order.id, key), Date.parse('2099-01-01T00:00:00Z')).catch(() => undefined);
    await until(async () => (await begun(first.order.id)) && (await begun(second.order.id)));
    await later();
    expect(await read(stand, second.path)).toMatchObject({ state: 'reserved', dueAt: '2099-01-01T00:00:00.000Z' });
    for (const { order } of [first, second]) {
      const now = await document(order.id);
      expect(now?.begun).toBe(null);
      expect(stand.catalog.placesOf(order.id)[0]?.until).toBe(now?.deadline);
    }
    const again = await reserveOrder(stand.desk, asking(second.order.id, key), Date.parse('2099-01-01T00:00:00Z'));
    expect(again.state).toBe('reserved');
  });

  test('a live step is waited for, and then told to come again', async () => {
    const { order, path } = await newOrder(stand);
    confirmOrder(dying(stand.desk, 'sell', 'before'), asking(order.id), true).catch(() => undefined);
    await until(() => begun(order.id));
    const key = randomUUID();
    const busy = await stand.call('POST', `${path}/cancellation`, { body: {}, key });
    expect(busy).toMatchObject({ status: 409, code: 'conflict' });
    expect(busy.headers.get('retry-after')).toBe('1');
    await later();
    const again = await stand.call('POST', `${path}/cancellation`, { body: {}, key });
    expect(again).toMatchObject({ status: 200, data: { state: 'cancelled' } });
  });
});
