import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Desk } from '../../src/context.ts';
import { addOrderLines, removeOrderLine } from '../../src/lines/lines.ts';
import { confirmOrder } from '../../src/orders/confirm.ts';
import { extendOrder } from '../../src/orders/extend.ts';
import { engines } from '../fixture/engines.ts';
import { openStand, type Stand, until } from '../fixture/fixture.ts';
import { newOrder, read } from '../fixture/orders.ts';

type Call = 'extend' | 'sell' | 'release' | 'hold';

describe.each(engines)('a process that was paused in the middle of a step, on $name', (engine) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(engine);
  });
  afterAll(() => stand.close());

  const asking = (orderId: string) => ({ institution: 'opera', orderId, ifMatch: () => undefined });

  /** The desk of a process that is paused before a call: before it makes sure that it has its lease, or after. */
  const pausing = (call: Call, when: 'before the check' | 'after it') => {
    const { stock, lease } = stand.desk;
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
    const confirm: Desk['lease']['confirm'] = async (...args) => {
      if (when === 'before the check') await pause();
      await lease.confirm(...args);
    };
    const desk: Desk = { ...stand.desk, stock: { ...stock, [call]: counted }, lease: { ...lease, confirm } };
    return { desk, paused: paused.promise, resume: resumed.resolve, calls: () => calls };
  };

  /** What becomes of a promise, as data. */
  const outcomeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'done',
      (error: { readonly code?: string }) => error.code ?? 'failed',
    );

  test('calls nobody any more when another one has its step', async () => {
    const { order, path } = await newOrder(stand);
    const { desk, paused, resume, calls } = pausing('sell', 'before the check');
    const outcome = outcomeOf(confirmOrder(desk, asking(order.id), true));
    await paused;
    await stand.later();
    resume();
    expect([await outcome, calls()]).toEqual(['conflict', 0]);
    expect(await read(stand, path)).toMatchObject({ state: 'confirmed' });
  });

  test('frees nothing that its order holds again, when it was paused after it had made sure', async () => {
    const { order, path, hall } = await newOrder(stand);
    const [line] = order.lines;
    const { desk, paused, resume, calls } = pausing('release', 'after it');
    const outcome = outcomeOf(removeOrderLine(desk, asking(order.id), String(line?.id)));
    await paused;
    await stand.later();
    const placeIds = [String(line?.place.id)];
    await addOrderLines(stand.desk, asking(order.id), [hall.item(1, placeIds)] as never);
    resume();
    expect(['done', 'conflict']).toContain(await outcome);
    expect(calls()).toBe(1);
    expect((await read(stand, path)).lines).toHaveLength(2);
    expect(stand.catalog.count(hall)).toEqual({ free: 2, held: 2, sold: 0 });
  });

  test('does not shorten a hold that was moved since', async () => {
    const { order } = await newOrder(stand);
    const { desk, paused, resume } = pausing('extend', 'after it');
    const outcome = outcomeOf(extendOrder(desk, asking(order.id), 20));
    await paused;
    await stand.later();
    const longer = await extendOrder(stand.desk, asking(order.id), 50);
    resume();
    expect(await outcome).toBe('conflict');
    expect(stand.catalog.placesOf(order.id).map(({ until: end }) => end)).toEqual([longer.deadline, longer.deadline]);
  });

  test('does not end as failed what another one is just finishing', async () => {
    const { order, path } = await newOrder(stand);
    const first = pausing('extend', 'after it');
    const outcome = outcomeOf(extendOrder(first.desk, asking(order.id), 20));
    await first.paused;
    stand.catalog.mishaps.set('extendHold', 'fails');
    await stand.later();
    // Left by the one who tried to finish it, and taken up by one more, who is at it.
    const document = () => stand.desk.orders.of('opera').get(order.id);
    await until(async () => (await document())?.begun?.owner === 'nobody');
    const owner = await stand.desk.lease.hold();
    await stand.desk.orders.of('opera').update(order.id, (current) => ({
      next: { ...current, begun: current.begun && { ...current.begun, owner } },
    }));
    first.resume();
    expect(await outcome).toBe('service_unavailable');
    expect((await document())?.begun).toMatchObject({ step: 'extend', owner });
    stand.catalog.mishaps.clear();
    await stand.later();
    expect(await read(stand, path)).toMatchObject({ state: 'open' });
    expect((await document())?.begun).toBeNull();
  });
});
