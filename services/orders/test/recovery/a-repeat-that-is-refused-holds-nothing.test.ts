import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOne, one } from '../../src/answers.ts';
import type { Desk } from '../../src/context.ts';
import { addOrderLines } from '../../src/lines/lines.ts';
import { createOrder } from '../../src/orders/create.ts';
import { engines } from '../fixture/engines.ts';
import { openStand, type Stand, until } from '../fixture/fixture.ts';
import { newOrder, read } from '../fixture/orders.ts';

/** The desk of a process that dies when its places are held. */
const dying = (desk: Desk): Desk => ({
  ...desk,
  stock: {
    ...desk.stock,
    hold: async (...args) => {
      await desk.stock.hold(...args);
      return new Promise(() => undefined);
    },
  },
});

const stamp = () => ({
  key: randomUUID(),
  fingerprint: 'the same request',
  expiresAt: Date.now() + 86_400_000,
  answer: (order: Parameters<typeof newOne>[0]) => ({
    status: newOne(order).status,
    headers: {},
    body: one(order).data,
  }),
});

describe.each(engines)(
  'a process dies with places held, and the repeat of its request is refused, on $name',
  (engine) => {
    let stand: Stand;
    beforeAll(async () => {
      stand = await openStand(engine);
    });
    afterAll(() => stand.close());

    test('a new order: its places are free', async () => {
      const hall = stand.catalog.hall(3);
      const holder = { institution: 'opera', client: 'partner' };
      const wish = { items: [hall.item(2)] } as never;
      const key = stamp();
      createOrder(dying(stand.desk), holder, wish, key).catch(() => undefined);
      await until(() => stand.catalog.count(hall).held === 2);
      stand.catalog.refuse(hall, 'not_on_sale');
      await expect(createOrder(stand.desk, holder, wish, key)).rejects.toMatchObject({ code: 'order_not_on_sale' });
      expect(stand.catalog.count(hall)).toEqual({ free: 3, held: 0, sold: 0 });
      expect(await stand.desk.orders.of('opera').count({ performanceId: hall.performanceId })).toBe(0);
    });

    test('more lines: their places are free, and the order goes on', async () => {
      const { order, path } = await newOrder(stand);
      const hall = stand.catalog.hall(3);
      const asking = { institution: 'opera', orderId: order.id, ifMatch: () => undefined, stamp: stamp() };
      const items = [hall.item(2)] as never;
      addOrderLines(dying(stand.desk), asking, items).catch(() => undefined);
      await until(() => stand.catalog.count(hall).held === 2);
      stand.catalog.refuse(hall, 'not_on_sale');
      await expect(addOrderLines(stand.desk, asking, items)).rejects.toMatchObject({ code: 'order_not_on_sale' });
      expect(stand.catalog.count(hall)).toEqual({ free: 3, held: 0, sold: 0 });
      expect((await read(stand, path)).lines).toHaveLength(2);
      expect((await stand.desk.orders.of('opera').get(order.id))?.begun).toBeNull();
    });
  },
);
