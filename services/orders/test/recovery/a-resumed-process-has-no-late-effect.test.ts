import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addToCart } from '../../src/cart/add.ts';
import type { OrdersContext } from '../../src/context.ts';
import { addOrderLines, removeOrderLine } from '../../src/lines/lines.ts';
import { confirmOrder } from '../../src/orders/confirm.ts';
import { createOrder } from '../../src/orders/create.ts';
import { extendOrder } from '../../src/orders/extend.ts';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture, until } from '../fixture/fixture.ts';
import { newOrder, read } from '../fixture/orders.ts';

type Call = 'extend' | 'sell' | 'release' | 'hold';

describe.each(engines)('a process that was paused during a step and resumes, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const command = (orderId: string) => ({ institution: 'opera', orderId, ifMatch: () => undefined });

  /** The context of a process that is paused before a call: before it confirms its lease, or after. */
  const pausing = (call: Call, when: 'before the check' | 'after it') => {
    const { stock, lease } = fixture.context;
    const [paused, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const pause = async () => {
      paused.resolve();
      await resumed.promise;
    };
    let calls = 0;
    const act = stock[call] as (...args: unknown[]) => Promise<unknown>;
    const counted = async (...args: unknown[]) => {
      if (when === 'after it') await pause();
      calls += 1;
      return act(...args);
    };
    const confirm: OrdersContext['lease']['confirm'] = async (...args) => {
      if (when === 'before the check') await pause();
      await lease.confirm(...args);
    };
    const context: OrdersContext = {
      ...fixture.context,
      stock: { ...stock, [call]: counted },
      lease: { ...lease, confirm },
    };
    return { context, paused: paused.promise, resume: resumed.resolve, calls: () => calls };
  };

  /** The outcome of a promise, as data. */
  const outcomeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'done',
      (error: { readonly code?: string }) => error.code ?? 'failed',
    );

  test('makes no calls after another process took its step over', async () => {
    const { order, path } = await newOrder(fixture);
    const { context, paused, resume, calls } = pausing('sell', 'before the check');
    const outcome = outcomeOf(confirmOrder(context, command(order.id), true));
    await paused;
    await fixture.later();
    resume();
    expect([await outcome, calls()]).toEqual(['conflict', 0]);
    expect(await read(fixture, path)).toMatchObject({ state: 'confirmed' });
  });

  test.each(['before the check', 'after it'] as const)(
    'deletes no order that a repeat of its request made, paused %s of the lease',
    async (when) => {
      const hall = fixture.catalog.hall(4);
      const holder = { institution: 'opera', client: 'partner' };
      const requested = { items: [hall.item(2)] } as never;
      const answer = () => ({ status: 201, headers: {}, body: {} });
      const key = { key: randomUUID(), fingerprint: 'the same request', expiresAt: Date.now() + 86_400_000, answer };
      const { context, paused, resume } = pausing('hold', when);
      const outcome = outcomeOf(createOrder(context, holder, requested, key));
      await paused;
      const order = await createOrder(fixture.context, holder, requested, key);
      await fixture.context.lease.end();
      resume();
      expect(await outcome).not.toBe('done');
      expect(await fixture.context.orders.of('opera').get(order.id)).toMatchObject({ state: 'open', id: order.id });
      expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 2, sold: 0 });
    },
  );

  test.each(['before the check', 'after it'] as const)(
    'holds the places anew when recovery has abandoned its draft, paused %s of the lease',
    async (when) => {
      const hall = fixture.catalog.hall(4);
      const holder = { institution: 'opera', client: 'partner' };
      const requested = { items: [hall.item(4)] } as never;
      const answer = () => ({ status: 201, headers: {}, body: {} });
      const key = { key: randomUUID(), fingerprint: 'a request', expiresAt: Date.now() + 86_400_000, answer };
      const { context, paused, resume, calls } = pausing('hold', when);
      const created = createOrder(context, holder, requested, key);
      await paused;
      await fixture.later();
      resume();
      const order = await created;
      expect(order).toMatchObject({ state: 'open', heldPlaces: 4 });
      expect(fixture.catalog.placesOf(order.id)).toHaveLength(4);
      expect(fixture.catalog.count(hall)).toEqual({ free: 0, held: 4, sold: 0 });
      expect(calls()).toBe(when === 'before the check' ? 1 : 2);
    },
  );

  test('holds the places anew when its lease has lapsed and nobody has taken its draft', async () => {
    const hall = fixture.catalog.hall(2);
    const holder = { institution: 'opera', client: 'partner' };
    const { context, paused, resume } = pausing('hold', 'before the check');
    const created = createOrder(context, holder, { items: [hall.item(2)] } as never, undefined);
    await paused;
    await fixture.context.lease.end();
    resume();
    expect(await created).toMatchObject({ state: 'open', heldPlaces: 2 });
    expect(fixture.catalog.count(hall)).toEqual({ free: 0, held: 2, sold: 0 });
  });

  test('makes the cart anew when recovery has abandoned its draft', async () => {
    const hall = fixture.catalog.hall(4);
    const { context, paused, resume } = pausing('hold', 'after it');
    const addition = {
      institution: 'opera',
      orderId: context.newId('ord'),
      request: randomUUID(),
      pointOfSale: 'shop.opera.example',
      address: '127.0.0.7',
      items: [hall.item(4)],
    };
    const added = addToCart(context, addition as never);
    await paused;
    await fixture.later();
    resume();
    expect(await added).toMatchObject({ id: addition.orderId, state: 'open', heldPlaces: 4 });
    expect(fixture.catalog.count(hall)).toEqual({ free: 0, held: 4, sold: 0 });
  });

  test('releases no place that its order holds again, although it was paused after the lease check', async () => {
    const { order, path, hall } = await newOrder(fixture);
    const [line] = order.lines;
    const { context, paused, resume, calls } = pausing('release', 'after it');
    const outcome = outcomeOf(removeOrderLine(context, command(order.id), String(line?.id)));
    await paused;
    await fixture.later();
    const placeIds = [String(line?.place.id)];
    await addOrderLines(fixture.context, command(order.id), [hall.item(1, placeIds)] as never);
    resume();
    expect(['done', 'conflict']).toContain(await outcome);
    expect(calls()).toBe(1);
    expect((await read(fixture, path)).lines).toHaveLength(2);
    expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 2, sold: 0 });
  });

  test('does not shorten a hold that was extended meanwhile', async () => {
    const { order } = await newOrder(fixture);
    const { context, paused, resume } = pausing('extend', 'after it');
    const outcome = outcomeOf(extendOrder(context, command(order.id), 20));
    await paused;
    await fixture.later();
    const longer = await extendOrder(fixture.context, command(order.id), 50);
    resume();
    expect(await outcome).toBe('conflict');
    expect(fixture.catalog.placesOf(order.id).map(({ until: end }) => end)).toEqual([longer.deadline, longer.deadline]);
  });

  test('does not end a step as failed while another process works on it', async () => {
    const { order, path } = await newOrder(fixture);
    const first = pausing('extend', 'after it');
    const outcome = outcomeOf(extendOrder(first.context, command(order.id), 20));
    await first.paused;
    fixture.catalog.mishaps.set('extendHold', 'fails');
    await fixture.later();
    // Left to recovery by one process, and taken over by another that works on it.
    const document = () => fixture.context.orders.of('opera').get(order.id);
    await until(async () => (await document())?.pendingStep?.owner === 'nobody');
    const owner = await fixture.context.lease.hold();
    await fixture.context.orders.of('opera').update(order.id, (current) => ({
      next: { ...current, pendingStep: current.pendingStep && { ...current.pendingStep, owner } },
    }));
    first.resume();
    expect(await outcome).toBe('service_unavailable');
    expect((await document())?.pendingStep).toMatchObject({ step: 'extend', owner });
    fixture.catalog.mishaps.clear();
    await fixture.later();
    expect(await read(fixture, path)).toMatchObject({ state: 'open' });
    expect((await document())?.pendingStep).toBeNull();
  });
});
