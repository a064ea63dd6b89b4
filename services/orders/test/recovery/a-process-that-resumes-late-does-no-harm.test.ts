import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addToCart } from '../../src/cart/add.ts';
import type { OrdersContext } from '../../src/context.ts';
import { confirmOrder } from '../../src/orders/confirm.ts';
import { createOrder } from '../../src/orders/create.ts';
import { extendOrder } from '../../src/orders/extend.ts';
import { addOrderLines, removeOrderLine } from '../../src/orders/lines.ts';
import { payOrder } from '../../src/payments/payments.ts';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture, until } from '../fixture/fixture.ts';
import { newOrder, read } from '../fixture/orders.ts';

type Call = 'extend' | 'sell' | 'release' | 'hold';

describe.each(engines)('a process that is paused before a call, and resumes, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const command = (orderId: string) => ({ institution: 'opera', orderId, ifMatch: () => undefined });

  /** The context of a process that is paused before a call. */
  const pausing = (call: Call) => {
    const { stock } = fixture.context;
    const [paused, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const act = stock[call] as (...args: unknown[]) => Promise<unknown>;
    const late = async (...args: unknown[]) => {
      paused.resolve();
      await resumed.promise;
      return act(...args);
    };
    const context: OrdersContext = { ...fixture.context, stock: { ...stock, [call]: late } };
    return { context, paused: paused.promise, resume: resumed.resolve };
  };

  /** The outcome of a promise, as data. */
  const outcomeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'done',
      (error: { readonly code?: string }) => error.code ?? 'failed',
    );

  test('finds the order confirmed that another process has sold meanwhile', async () => {
    const { order, path, hall } = await newOrder(fixture);
    const { context, paused, resume } = pausing('sell');
    const payment = { id: `pay_${randomUUID()}`, method: 'card', amount: 2_000, status: 'captured' } as const;
    const outcome = outcomeOf(payOrder(context, command(order.id), payment));
    await paused;
    await fixture.later();
    expect(await read(fixture, path)).toMatchObject({ state: 'confirmed' });
    resume();
    expect(await outcome).toBe('done');
    expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 0, sold: 2 });
  });

  test('sells nothing of an order that was cancelled meanwhile', async () => {
    const { order, path, hall } = await newOrder(fixture);
    const { context, paused, resume } = pausing('sell');
    const outcome = outcomeOf(confirmOrder(context, command(order.id), true));
    await paused;
    await fixture.call('POST', `${path}/cancellation`, { body: {} });
    await until(() => fixture.facts.some(({ key }) => key === order.id));
    for (const fact of fixture.facts) fixture.catalog.receive(fact);
    resume();
    expect(await outcome).toBe('precondition_failed');
    expect(fixture.catalog.count(hall)).toEqual({ free: 4, held: 0, sold: 0 });
  });

  test('makes no second order of a request that was repeated meanwhile', async () => {
    const hall = fixture.catalog.hall(4);
    const holder = { institution: 'opera', client: 'partner' };
    const requested = { items: [hall.item(2)] } as never;
    const answer = () => ({ status: 201, headers: {}, body: {} });
    const key = { key: randomUUID(), fingerprint: 'the same request', expiresAt: Date.now() + 86_400_000, answer };
    const { context, paused, resume } = pausing('hold');
    const outcome = createOrder(context, holder, requested, key).catch((error: Error) => error.name);
    await paused;
    const order = await createOrder(fixture.context, holder, requested, key);
    resume();
    expect(await outcome).toBe('IdempotencyKeyTaken');
    expect(await fixture.context.orders.of('opera').get(order.id)).toMatchObject({ state: 'open', id: order.id });
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
    const added = addToCart(context, { ...addition, request: randomUUID() } as never);
    await paused;
    await addToCart(fixture.context, { ...addition, request: randomUUID() } as never);
    resume();
    expect(await added).toMatchObject({ id: addition.orderId, state: 'open', heldPlaces: 4 });
    expect(fixture.catalog.count(hall)).toEqual({ free: 0, held: 4, sold: 0 });
  });

  test('releases no place that its order holds again', async () => {
    const { order, path, hall } = await newOrder(fixture);
    const [line] = order.lines;
    const { context, paused, resume } = pausing('release');
    const outcome = outcomeOf(removeOrderLine(context, command(order.id), String(line?.id)));
    await paused;
    await fixture.later();
    const placeIds = [String(line?.place.id)];
    await addOrderLines(fixture.context, command(order.id), [hall.item(1, placeIds)] as never);
    resume();
    expect(await outcome).toBe('done');
    expect((await read(fixture, path)).lines).toHaveLength(2);
    expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 2, sold: 0 });
  });

  test('does not shorten a hold that was extended meanwhile', async () => {
    const { order } = await newOrder(fixture);
    const { context, paused, resume } = pausing('extend');
    const outcome = outcomeOf(extendOrder(context, command(order.id), 20));
    await paused;
    await fixture.later();
    const longer = await extendOrder(fixture.context, command(order.id), 50);
    resume();
    expect(await outcome).toBe('done');
    expect(fixture.catalog.placesOf(order.id).map(({ until: end }) => end)).toEqual([longer.deadline, longer.deadline]);
  });
});
