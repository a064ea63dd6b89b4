import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OrdersContext } from '../../src/context.ts';
import { addOrderLines } from '../../src/lines/lines.ts';
import { createOrder } from '../../src/orders/create.ts';
import { createdOrderAnswer, orderAnswer } from '../../src/orders/view.ts';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture, until } from '../fixture/fixture.ts';
import { newOrder, read } from '../fixture/orders.ts';

/** The context of a process that dies when its places are held. */
const dying = (context: OrdersContext): OrdersContext => ({
  ...context,
  stock: {
    ...context.stock,
    hold: async (...args) => {
      await context.stock.hold(...args);
      return new Promise(() => undefined);
    },
  },
});

const newRecord = () => ({
  key: randomUUID(),
  fingerprint: 'the same request',
  expiresAt: Date.now() + 86_400_000,
  answer: (order: Parameters<typeof createdOrderAnswer>[0]) => ({
    status: createdOrderAnswer(order).status,
    headers: {},
    body: orderAnswer(order).data,
  }),
});

describe.each(engines)('a refused repeat releases the places that a dead process held, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  test('the places of a new order are free', async () => {
    const hall = fixture.catalog.hall(3);
    const holder = { institution: 'opera', client: 'partner' };
    const requested = { items: [hall.item(2)] } as never;
    const key = newRecord();
    createOrder(dying(fixture.context), holder, requested, key).catch(() => undefined);
    await until(() => fixture.catalog.count(hall).held === 2);
    fixture.catalog.refuse(hall, 'not_on_sale');
    await expect(createOrder(fixture.context, holder, requested, key)).rejects.toMatchObject({
      code: 'order_not_on_sale',
    });
    expect(fixture.catalog.count(hall)).toEqual({ free: 3, held: 0, sold: 0 });
    expect(await fixture.context.orders.of('opera').count({ performanceId: hall.performanceId })).toBe(0);
  });

  test('the places of added lines are free, and the order stays usable', async () => {
    const { order, path } = await newOrder(fixture);
    const hall = fixture.catalog.hall(3);
    const command = {
      institution: 'opera',
      orderId: order.id,
      ifMatch: () => undefined,
      idempotencyRecord: newRecord(),
    };
    const items = [hall.item(2)] as never;
    addOrderLines(dying(fixture.context), command, items).catch(() => undefined);
    await until(() => fixture.catalog.count(hall).held === 2);
    fixture.catalog.refuse(hall, 'not_on_sale');
    await expect(addOrderLines(fixture.context, command, items)).rejects.toMatchObject({ code: 'order_not_on_sale' });
    expect(fixture.catalog.count(hall)).toEqual({ free: 3, held: 0, sold: 0 });
    expect((await read(fixture, path)).lines).toHaveLength(2);
    expect((await fixture.context.orders.of('opera').get(order.id))?.pendingStep).toBeNull();
  });
});
