import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cancelOrder } from '../../src/orders/cancel.ts';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture } from '../fixture/fixture.ts';
import { newOrder, pay } from '../fixture/orders.ts';

describe.each(engines)('a cancellation, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  /** A repeat of a cancellation. While it asks for the tickets, the write of the first attempt arrives. */
  const repeated = async (ifMatch: (version: string) => void) => {
    const { order, path } = await newOrder(fixture);
    await pay(fixture, path, { amount: order.total });
    await fixture.call('POST', `${path}/confirmation`);
    const answer = () => ({ status: 200, headers: {}, body: {} });
    const idempotencyRecord = { key: randomUUID(), fingerprint: 'a', expiresAt: Date.now() + 86_400_000, answer };
    const command = { institution: 'opera', orderId: order.id, ifMatch, idempotencyRecord };
    const { context } = fixture;
    const late = {
      ...context,
      tickets: {
        ...context.tickets,
        controlled: async () => {
          await cancelOrder(context, { ...command, ifMatch: () => undefined }, { reason: null, override: true });
          return [];
        },
      },
    };
    const outcome = cancelOrder(late, command, { reason: null, override: false });
    await expect(outcome).rejects.toMatchObject({ name: 'IdempotencyKeyTaken' });
    expect(await context.orders.of('opera').get(order.id)).toMatchObject({ state: 'cancelled' });
  };

  test('that is written late is what its repeat gets as its answer, not that the order is cancelled', () =>
    repeated(() => undefined));

  test('that is written late is what its repeat gets as its answer, not that the version is another', () =>
    repeated(() => {
      throw new Error('the version is another');
    }));
});
