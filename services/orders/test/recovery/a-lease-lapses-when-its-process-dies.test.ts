import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OrdersContext } from '../../src/context.ts';
import { confirmOrder } from '../../src/orders/confirm.ts';
import { createLease, type Lease } from '../../src/steps/lease.ts';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture, until } from '../fixture/fixture.ts';
import { newOrder, read } from '../fixture/orders.ts';

const MINUTE = 60_000;

describe.each(engines)('the lease of a process that works on steps, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  /** Two processes with separate clocks, and what the second observes of the first over time. */
  const pair = async (clocksApartMs = 0) => {
    let time = 0;
    // The service of the fixture observes real time and would find these leases dead, so they live in another store.
    const { store, discard } = await engine.open();
    const lease = (apart: number): Lease =>
      createLease(store, { clock: () => time + apart, now: () => Date.now() + apart });
    const [worker, watcher] = [lease(0), lease(clocksApartMs)];
    const owner = await worker.hold();
    /** Time passes; the watcher observes every half second, and the worker beats at its own interval. */
    const pass = async (ms: number, beatEveryMs = Number.POSITIVE_INFINITY) => {
      for (let passed = 500; passed <= ms; passed += 500) {
        time += 500;
        if (passed % beatEveryMs === 0) await worker.observe();
        await watcher.observe();
      }
    };
    const stall = (ms: number) => {
      time += ms;
    };
    await watcher.observe();
    return { worker, watcher, owner, pass, stall, discard };
  };

  test('lapses between three and five seconds after the last heartbeat', async () => {
    const { watcher, owner, pass, discard } = await pair();
    await pass(2_500);
    expect(watcher.isOver(owner)).toBe(false);
    await pass(2_000);
    expect(watcher.isOver(owner)).toBe(true);
    await discard();
  });

  test.each([5_000, -5_000, 3_600_000])('lapses after the same time if the clocks differ by %d ms', async (apart) => {
    const { watcher, owner, pass, discard } = await pair(apart);
    await pass(2_500, 1_000);
    expect(watcher.isOver(owner)).toBe(false);
    await pass(4_500);
    expect(watcher.isOver(owner)).toBe(true);
    await discard();
  });

  test('stays valid for a slow process whose heartbeats come at five times the interval', async () => {
    const { worker, watcher, owner, pass, discard } = await pair();
    await pass(MINUTE, 2_500);
    expect(watcher.isOver(owner)).toBe(false);
    expect(await worker.hold()).toBe(owner);
    await discard();
  });

  test('does not lapse because the observer was paused or the store was unavailable for both', async () => {
    const { worker, watcher, owner, pass, stall, discard } = await pair();
    stall(20_000);
    await watcher.observe();
    expect(watcher.isOver(owner)).toBe(false);
    await worker.observe();
    await pass(2_500);
    expect(watcher.isOver(owner)).toBe(false);
    await discard();
  });

  test('never becomes valid again: its process opens another lease and makes no calls for old steps', async () => {
    const { worker, watcher, owner, pass, discard } = await pair();
    await worker.confirm(owner, 'ord_1');
    await pass(4_500);
    await expect(worker.confirm(owner, 'ord_1')).rejects.toMatchObject({ code: 'conflict' });
    const next = await worker.hold();
    expect(next).not.toBe(owner);
    await worker.confirm(next, 'ord_1');
    await watcher.observe();
    expect([watcher.isOver(owner), watcher.isOver(next)]).toEqual([true, false]);
    await discard();
  });

  test('lapses or not if a heartbeat comes at the same time, and both processes agree', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { worker, watcher, owner, pass, discard } = await pair();
      await pass(2_500);
      await Promise.all([worker.observe(), pass(500)]);
      const held = await worker.hold();
      await watcher.observe();
      expect(watcher.isOver(owner)).toBe(held !== owner);
      await discard();
    }
  });

  test('of a step ends after 15 seconds, also for a living process', async () => {
    let time = 0;
    const { store, discard } = await engine.open();
    const lease = createLease(store, { clock: () => time });
    const owner = await lease.hold();
    const done = lease.work('ord_1');
    time += 14_000;
    await lease.confirm(owner, 'ord_1');
    expect(lease.isWorking('ord_1')).toBe(true);
    time += 1_000;
    expect(lease.isWorking('ord_1')).toBe(false);
    await expect(lease.confirm(owner, 'ord_1')).rejects.toMatchObject({ code: 'conflict' });
    done();
    await discard();
  });

  test('lets another instance complete the steps of a dead process without a sweep', async () => {
    const { order, path } = await newOrder(fixture);
    // No process renews this lease.
    const lease = createLease(fixture.store);
    const never = () => new Promise<never>(() => undefined);
    const dead: OrdersContext = { ...fixture.context, lease, stock: { ...fixture.context.stock, sell: never } };
    const command = { institution: 'opera', orderId: order.id, ifMatch: () => undefined };
    confirmOrder(dead, command, true).catch(() => undefined);
    await until(async () => (await read(fixture, path)).state === 'confirmed');
  });
});
