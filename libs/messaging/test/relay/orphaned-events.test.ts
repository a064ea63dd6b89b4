import { createMemoryOutbox, probe, until } from '@boxoffice/messaging/conformance';
import { describe, expect, test } from '@jest/globals';
import { startRelay } from '../../src/index.ts';
import { createScriptedBus } from './scripted-bus.ts';

const logger = { info() {}, warn() {}, error() {} };
const eager = { logger, sweepMs: 10, orphanedAfterMs: 0, drainMs: 100 };

describe('the relay publishes the orphaned events of dead processes', () => {
  test('only the holder of the lease publishes them, at its start', async () => {
    const outbox = createMemoryOutbox();
    const dead = outbox.process();
    outbox.commit(
      dead,
      Array.from({ length: 1200 }, (_, n) => probe({ key: `key-${n % 50}`, version: n })),
    );
    dead.cut();
    const [holder, other] = [outbox.process(), outbox.process()];
    const buses = [createScriptedBus(), createScriptedBus()];
    for (const bus of buses) bus.flow(true);
    await holder.lease('relay', 60_000);
    const relays = [holder, other].map((own, n) => {
      const bus = buses[n] as (typeof buses)[number];
      return startRelay({ ...eager, ...own, outbox: own, bus });
    });
    await until('an empty outbox', () => outbox.pending.size === 0);
    expect(buses.map(({ confirmed }) => confirmed.length)).toEqual([1200, 0]);
    const versions = buses[0]?.confirmed.filter(({ key }) => key === 'key-3').map(({ version }) => version);
    expect(versions).toEqual(Array.from({ length: 24 }, (_, n) => n * 50 + 3));
    for (const relay of relays) await relay.close();
  });

  test('another process takes over when the holder has died', async () => {
    const outbox = createMemoryOutbox();
    const [first, second] = [outbox.process(), outbox.process()];
    await first.lease('relay', 60_000);
    const bus = createScriptedBus();
    bus.flow(true);
    let renewals = 0;
    const lease = (name: string, ms: number) => {
      renewals++;
      return second.lease(name, ms);
    };
    const relay = startRelay({ ...eager, outbox: second, lease, bus });
    outbox.commit(first, [probe()]);
    await until('two searches', () => renewals >= 2);
    expect(bus.confirmed.length).toBe(0);
    first.cut();
    await until('an empty outbox', () => outbox.pending.size === 0);
    await relay.close();
  });

  test('a quiet store is not searched again, until something is written', async () => {
    const outbox = createMemoryOutbox();
    const own = outbox.process();
    const bus = createScriptedBus();
    bus.flow(true);
    let searches = 0;
    const pending = (limit: number, olderThanMs?: number) => {
      searches++;
      return own.pending(limit, olderThanMs);
    };
    let quietMs = 0;
    let looks = 0;
    const quiet = () => {
      looks++;
      return quietMs;
    };
    const relay = startRelay({ ...eager, ...own, outbox: { ...own, pending }, bus, quietMs: quiet });
    await until('a search', () => searches > 0);
    quietMs = 60_000;
    const from = looks;
    await until('looks at a quiet store', () => looks >= from + 5);
    const before = searches;
    await until('more of them', () => looks >= from + 10);
    expect(searches).toBe(before);
    const dead = outbox.process();
    outbox.commit(dead, [probe()]);
    dead.cut();
    quietMs = 0;
    await until('an empty outbox', () => outbox.pending.size === 0);
    await relay.close();
  });

  test('events younger than `orphanedAfterMs` are left to the process that committed them', async () => {
    const outbox = createMemoryOutbox();
    const [own, peer] = [outbox.process(), outbox.process()];
    const bus = createScriptedBus();
    bus.flow(true);
    const ages: number[] = [];
    let looks = 0;
    const pending = async (limit: number, olderThanMs?: number) => {
      looks++;
      ages.push(olderThanMs ?? 0);
      return own.pending(limit, olderThanMs);
    };
    const relay = startRelay({ ...eager, ...own, outbox: { ...own, pending }, bus, orphanedAfterMs: 60_000 });
    outbox.commit(peer, [probe()]);
    await until('some looks', () => looks >= 3);
    expect(bus.confirmed.length).toBe(0);
    expect(new Set(ages)).toEqual(new Set([60_000]));
    await relay.close();
  });

  test('an event is never in flight twice at once, however often the outbox returns it', async () => {
    const outbox = createMemoryOutbox();
    const own = outbox.process();
    const bus = createScriptedBus();
    let looks = 0;
    const pending = async (limit: number, olderThanMs?: number) => {
      looks++;
      return own.pending(limit, olderThanMs);
    };
    const relay = startRelay({ ...eager, ...own, outbox: { ...own, pending }, bus });
    const events = Array.from({ length: 100 }, (_, n) => probe({ key: `key-${n % 40}` }));
    outbox.commit(own, events);
    await until('searches while they wait', () => looks >= 5);
    bus.flow(true);
    await until('an empty outbox', () => outbox.pending.size === 0);
    expect(bus.overlaps).toBe(0);
    expect(bus.confirmed.length).toBe(events.length);
    await relay.close();
  });

  test('events beyond the memory limit are read from the outbox, each once and in order', async () => {
    const outbox = createMemoryOutbox();
    const own = outbox.process();
    const bus = createScriptedBus();
    bus.down(true);
    // orphanedAfterMs excludes the search for orphaned events here.
    const relay = startRelay({
      ...own,
      outbox: own,
      bus,
      logger,
      memory: 50,
      sweepMs: 10,
      orphanedAfterMs: 60_000,
      drainMs: 100,
    });
    const events = Array.from({ length: 900 }, (_, n) => probe({ key: `key-${n % 30}`, version: n }));
    for (const event of events.slice(0, 600)) outbox.commit(own, [event]);
    bus.down(false);
    bus.flow(true);
    for (const event of events.slice(600)) {
      outbox.commit(own, [event]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until('an empty outbox', () => outbox.pending.size === 0);
    expect(bus.confirmed.length).toBe(events.length);
    for (const key of new Set(events.map((event) => event.key))) {
      const versions = (all: typeof events) => all.filter((one) => one.key === key).map(({ version }) => version);
      expect(versions(bus.confirmed)).toEqual(versions(events));
    }
    const last = probe();
    outbox.commit(own, [last]);
    expect(bus.waiting.map(({ message }) => message.id)).toEqual([last.id]);
    await until('the last', () => outbox.pending.size === 0);
    await relay.close();
  });

  test('an event that a slow read of the outbox returns although it is done by then is not published again', async () => {
    const outbox = createMemoryOutbox();
    const own = outbox.process();
    const bus = createScriptedBus();
    const read = Promise.withResolvers<void>();
    let looking = 0;
    const pending = async (limit: number, olderThanMs?: number) => {
      const found = await own.pending(limit, olderThanMs);
      if (found.length > 0) looking++;
      if (looking === 1) await read.promise;
      return found;
    };
    const relay = startRelay({ ...eager, ...own, outbox: { ...own, pending }, bus });
    outbox.commit(own, [probe(), probe()]);
    await until('a look', () => looking === 1);
    bus.flow(true);
    await until('an empty outbox', () => outbox.pending.size === 0);
    read.resolve();
    const last = probe();
    outbox.commit(own, [last]);
    await until('the last', () => bus.confirmed.at(-1)?.id === last.id && outbox.pending.size === 0);
    expect(bus.confirmed.length).toBe(3);
    await relay.close();
  });

  test('an event that is committed while the outbox is read for lack of room is published without another read', async () => {
    const outbox = createMemoryOutbox();
    const own = outbox.process();
    const bus = createScriptedBus();
    const read = Promise.withResolvers<void>();
    let looks = 0;
    const pending = async (limit: number, olderThanMs?: number) => {
      const found = await own.pending(limit, olderThanMs);
      looks++;
      if (looks === 2) await read.promise;
      return found;
    };
    const relay = startRelay({ ...eager, ...own, outbox: { ...own, pending }, bus, memory: 4, sweepMs: 60_000 });
    await until('the first read', () => looks === 1);
    const events = Array.from({ length: 5 }, (_, n) => probe({ key: 'a', version: n }));
    for (const event of events) outbox.commit(own, [event]);
    bus.flow(true);
    await until('the read for those without room', () => looks === 2);
    const meanwhile = probe({ key: 'a', version: 5 });
    outbox.commit(own, [meanwhile]);
    read.resolve();
    await until('an empty outbox', () => outbox.pending.size === 0);
    expect(bus.confirmed.map(({ version }) => version)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(looks).toBe(2);
    await relay.close();
  });

  test('reports the size and the age of its backlog', async () => {
    const outbox = createMemoryOutbox();
    const own = outbox.process();
    const bus = createScriptedBus();
    const counts = { published: 0, failed: 0 };
    const metrics = {
      published(count: number) {
        counts.published += count;
      },
      failed(count: number) {
        counts.failed += count;
      },
    };
    const relay = startRelay({ ...eager, ...own, outbox: own, bus, metrics });
    expect(relay.backlog()).toEqual({ events: 0, oldest: undefined });
    const occurredAt = new Date(Date.now() - 90_000).toISOString();
    outbox.commit(own, [probe(), probe({ occurredAt }), probe()]);
    expect(relay.backlog()).toEqual({ events: 3, oldest: occurredAt });
    await until('all in flight', () => bus.waiting.length === 3);
    bus.waiting[0]?.refuse();
    bus.flow(true);
    await until('no backlog', () => outbox.pending.size === 0 && relay.backlog().events === 0);
    expect(counts).toEqual({ published: 3, failed: 1 });
    await relay.close();
  });
});
