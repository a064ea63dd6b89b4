import type { OpenEngine } from '@boxoffice/service/testkit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { deliveriesCollection, positionsCollection } from '../../src/deliveries/documents.ts';
import { createShards, SHARDS } from '../../src/deliveries/shards.ts';
import {
  Clock,
  engines,
  type Instance,
  type InstanceOptions,
  openInstance,
  openReceiver,
  type Receiver,
  Registrations,
  silence,
  status,
  until,
} from '../webhooks/fixture.ts';

describe.each(engines)('on $name', (engine) => {
  let opened: OpenEngine;
  let clock: Clock;
  const clients = new Registrations();
  const instances: Instance[] = [];
  const receivers: Receiver[] = [];

  beforeEach(async () => {
    clock = new Clock();
    opened = await engine.start();
  });
  afterEach(async () => {
    await Promise.all(instances.splice(0).map((one) => one.close()));
    await Promise.all(receivers.splice(0).map((one) => one.close()));
    await opened.close();
  });

  const instance = async (options: InstanceOptions = {}): Promise<Instance> => {
    const started = await openInstance(await opened.open(), { clock, clients }, options);
    instances.push(started);
    return started;
  };
  const receiver = async (): Promise<Receiver> => {
    const started = await openReceiver();
    receivers.push(started);
    return started;
  };

  test('each share has one process, and all have some', async () => {
    const shards = await Promise.all(
      [1, 2, 3].map(async () => createShards(await opened.open(), { clock: clock.now })),
    );
    const all = new Set(Array.from({ length: SHARDS }, (_, shard) => shard));
    const owned: ReadonlySet<number>[] = [];
    await until('every share is with one', async () => {
      clock.advance(1_000);
      for (const [index, one] of shards.entries()) owned[index] = await one.beat(all);
      const sum = owned.reduce((total, { size }) => total + size, 0);
      expect(new Set(owned.flatMap((one) => [...one])).size).toBe(sum);
      return sum === SHARDS && owned.every(({ size }) => size > 0);
    });
    await Promise.all(shards.map((one) => one.close()));
  });

  test('a process that has not renewed its share begins nothing more', async () => {
    const shards = createShards(await opened.open(), { clock: clock.now });
    await shards.beat(new Set([1]));
    expect(shards.owns(1)).toBe(true);
    clock.advance(3_000);
    expect(shards.owns(1)).toBe(false);
    await shards.beat(new Set([1]));
    expect(shards.owns(1)).toBe(true);
    await shards.close();
  });

  test('events that one process records are delivered once by whichever has the webhook, in order', async () => {
    const [one, other] = [await instance(), await instance()];
    const all = await Promise.all(Array.from({ length: 6 }, receiver));
    for (const [index, { url }] of all.entries()) await (index % 2 ? one : other).webhook(url);
    const events: string[] = [];
    for (let index = 0; index < 12; index += 1)
      events.push(await (index % 2 ? one : other).emit(index === 0 ? 'order.created' : 'order.changed', 'ord_1'));
    await until('all deliveries', () =>
      all.every(({ received }) => new Set(received.map(({ event }) => event.id)).size === 12),
    );
    // A share that moves to the second process while it starts may repeat one, never change the order.
    for (const at of all) expect([...new Set(at.ids())]).toEqual(events);
  });

  test('what a stopped process leaves is delivered by the next', async () => {
    const first = await instance();
    const at = await receiver();
    at.answer = status(500);
    const { id } = await first.webhook(at.url);
    const events = [await first.emit('order.created', 'ord_1'), await first.emit('order.changed', 'ord_1')];
    await until('the first failure', async () => (await first.attempts(id, '&outcome=failed')).length === 1);
    await first.close();
    instances.splice(0);
    at.answer = status(204);
    clock.advance(60_000);
    await instance();
    await until('the rest', () => at.received.length === 3);
    expect(at.ids()).toEqual([events[0], ...events]);
  });

  test('planning that was interrupted is repeated, and attempts that were not ended are made again', async () => {
    const first = await instance();
    const at = await receiver();
    const { id } = await first.webhook(at.url);
    const events = [await first.emit('order.created', 'ord_1'), await first.emit('order.changed', 'ord_1')];
    await until('both', async () => (await first.attempts(id, '&outcome=succeeded')).length === 2);
    await first.close();
    instances.splice(0);
    // As if killed after the second delivery was made, before its end and the position were written.
    const store = await opened.open();
    const deliveries = store.collection(deliveriesCollection).of('opera');
    const last = await deliveries.find({ where: { webhookId: id, eventId: String(events[1]) } });
    await deliveries.update(String(last[0]?.id), (current) => ({
      next: { ...current, outcome: 'waiting', at: null, dueAt: null },
    }));
    await store.collection(positionsCollection).of('opera').delete(id);
    const second = await instance();
    const later = await second.emit('order.confirmed', 'ord_1');
    await until('the later one', () => at.ids().includes(later));
    expect(at.ids()).toEqual([...events, events[1], later]);
  });

  test('a process that stops leaves a receiver that does not answer to the next', async () => {
    const first = await instance({ answerMs: 10 * 60_000 });
    const at = await receiver();
    at.answer = silence;
    const { id } = await first.webhook(at.url);
    const event = await first.emit('order.created');
    await until('the attempt', () => at.received.length === 1);
    await first.close();
    instances.splice(0);
    at.answer = status(204);
    const second = await instance();
    await until('the delivery', async () => (await second.attempts(id, '&outcome=succeeded')).length === 1);
    expect(at.ids()).toEqual([event, event]);
  });

  test('a process that stops waits for its attempts, and records them', async () => {
    const first = await instance();
    const at = await receiver();
    const arrived = Promise.withResolvers<() => void>();
    at.answer = (_received, response) => arrived.resolve(() => void response.writeHead(204).end());
    const { id } = await first.webhook(at.url);
    await first.emit('order.created');
    const finish = await arrived.promise;
    const closing = first.close();
    finish();
    await closing;
    instances.splice(0);
    at.answer = silence;
    const second = await instance();
    expect(await second.attempts(id)).toEqual([expect.objectContaining({ outcome: 'succeeded', attempt: 1 })]);
  });
});
