import { createMemoryOutbox, probe, silent, waitUntil } from '@boxoffice/messaging/conformance';
import { describe, expect, test } from '@jest/globals';
import { type RelayOptions, startRelay } from '../../src/index.ts';
import { createScriptedBus, eager, startScriptedRelay } from './scripted-bus.ts';

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
      return startRelay({ ...eager, ...own, outbox: own, bus, logger: silent, drainMs: 100 });
    });
    await waitUntil('an empty outbox', () => outbox.pending.size === 0);
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
    const relay = startRelay({ ...eager, outbox: second, lease, bus, logger: silent, drainMs: 100 });
    outbox.commit(first, [probe()]);
    await waitUntil('two searches', () => renewals >= 2);
    expect(bus.confirmed.length).toBe(0);
    first.cut();
    await waitUntil('an empty outbox', () => outbox.pending.size === 0);
    await relay.close();
  });

  test('an empty outbox is not searched, and an event is left alone until it is old enough', async () => {
    let searches = 0;
    const look: { at?: (oldest: number | undefined) => void } = {};
    const onLook: RelayOptions['onLook'] = (listener) => {
      look.at = listener;
      return () => undefined;
    };
    const { outbox, bus, relay } = startScriptedRelay(
      { ...eager, orphanedAfterMs: 60_000, sweepMs: 60_000, onLook },
      ({ pending }) => ({
        pending(limit) {
          searches++;
          return pending(limit, 0);
        },
      }),
    );
    bus.flow(true);
    const dead = outbox.process();
    outbox.commit(dead, [probe()]);
    dead.cut();
    look.at?.(undefined);
    look.at?.(Date.now() - 1_000);
    expect(searches).toBe(0);
    // It is old enough a moment after this look, before any other.
    look.at?.(Date.now() - 59_990);
    await waitUntil('an empty outbox', () => outbox.pending.size === 0);
    expect(searches).toBe(1);
    await relay.close();
  });

  test('events younger than `orphanedAfterMs` are left to the process that committed them', async () => {
    const ages: number[] = [];
    const { outbox, bus, relay } = startScriptedRelay({ ...eager, orphanedAfterMs: 60_000 }, ({ pending }) => ({
      pending(limit, olderThanMs = 0) {
        ages.push(olderThanMs);
        return pending(limit, olderThanMs);
      },
    }));
    bus.flow(true);
    outbox.commit(outbox.process(), [probe()]);
    await waitUntil('some looks', () => ages.length >= 3);
    expect(bus.confirmed.length).toBe(0);
    expect(new Set(ages)).toEqual(new Set([60_000]));
    await relay.close();
  });

  test('an event is never in flight twice at once, however often the outbox returns it', async () => {
    let looks = 0;
    const { outbox, bus, relay, commit } = startScriptedRelay(eager, ({ pending }) => ({
      pending(...asked) {
        looks++;
        return pending(...asked);
      },
    }));
    const events = Array.from({ length: 100 }, (_, n) => probe({ key: `key-${n % 40}` }));
    commit(...events);
    await waitUntil('searches while they wait', () => looks >= 5);
    bus.flow(true);
    await waitUntil('an empty outbox', () => outbox.pending.size === 0);
    expect(bus.overlaps).toBe(0);
    expect(bus.confirmed.length).toBe(events.length);
    await relay.close();
  });

  test('events beyond the memory limit are read from the outbox, each once and in order', async () => {
    // orphanedAfterMs excludes the search for orphaned events here.
    const { outbox, bus, relay, commit } = startScriptedRelay({ memory: 50, sweepMs: 10, orphanedAfterMs: 60_000 });
    bus.down(true);
    const events = Array.from({ length: 300 }, (_, n) => probe({ key: `key-${n % 30}`, version: n }));
    for (const event of events.slice(0, 200)) commit(event);
    bus.down(false);
    bus.flow(true);
    for (const event of events.slice(200)) {
      commit(event);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await waitUntil('an empty outbox', () => outbox.pending.size === 0);
    expect(bus.confirmed.length).toBe(events.length);
    for (const key of new Set(events.map((event) => event.key))) {
      const versions = (all: typeof events) => all.filter((one) => one.key === key).map(({ version }) => version);
      expect(versions(bus.confirmed)).toEqual(versions(events));
    }
    const last = probe();
    commit(last);
    expect(bus.waiting.map(({ message }) => message.id)).toEqual([last.id]);
    await waitUntil('the last', () => outbox.pending.size === 0);
    await relay.close();
  });

  test('an event that a slow read of the outbox returns although it is done by then is not published again', async () => {
    const read = Promise.withResolvers<void>();
    let looking = 0;
    const { outbox, bus, relay, commit } = startScriptedRelay(eager, ({ pending }) => ({
      async pending(...asked) {
        const found = await pending(...asked);
        if (found.length > 0) looking++;
        if (looking === 1) await read.promise;
        return found;
      },
    }));
    commit(probe(), probe());
    await waitUntil('a look', () => looking === 1);
    bus.flow(true);
    await waitUntil('an empty outbox', () => outbox.pending.size === 0);
    read.resolve();
    const last = probe();
    commit(last);
    await waitUntil('the last', () => bus.confirmed.at(-1)?.id === last.id && outbox.pending.size === 0);
    expect(bus.confirmed.length).toBe(3);
    await relay.close();
  });

  test('an event that is committed while the outbox is read for lack of room is published without another read', async () => {
    const read = Promise.withResolvers<void>();
    let looks = 0;
    const { outbox, bus, relay, commit } = startScriptedRelay(
      { ...eager, memory: 4, sweepMs: 60_000 },
      ({ pending }) => ({
        async pending(...asked) {
          const found = await pending(...asked);
          looks++;
          if (looks === 2) await read.promise;
          return found;
        },
      }),
    );
    await waitUntil('the first read', () => looks === 1);
    const events = Array.from({ length: 5 }, (_, n) => probe({ key: 'a', version: n }));
    for (const event of events) commit(event);
    bus.flow(true);
    await waitUntil('the read for those without room', () => looks === 2);
    const meanwhile = probe({ key: 'a', version: 5 });
    commit(meanwhile);
    read.resolve();
    await waitUntil('an empty outbox', () => outbox.pending.size === 0);
    expect(bus.confirmed.map(({ version }) => version)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(looks).toBe(2);
    await relay.close();
  });

  test('reports the size and the age of its backlog', async () => {
    const counts = { published: 0, failed: 0 };
    const metrics = {
      published(count: number) {
        counts.published += count;
      },
      failed(count: number) {
        counts.failed += count;
      },
    };
    const { outbox, bus, relay, commit } = startScriptedRelay({ ...eager, metrics });
    expect(relay.backlog()).toEqual({ events: 0, oldest: undefined });
    const occurredAt = new Date(Date.now() - 90_000).toISOString();
    commit(probe(), probe({ occurredAt }), probe());
    expect(relay.backlog()).toEqual({ events: 3, oldest: occurredAt });
    await waitUntil('all in flight', () => bus.waiting.length === 3);
    bus.waiting[0]?.refuse();
    bus.flow(true);
    await waitUntil('no backlog', () => outbox.pending.size === 0 && relay.backlog().events === 0);
    expect(counts).toEqual({ published: 3, failed: 1 });
    await relay.close();
  });
});
