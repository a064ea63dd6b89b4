import { probe, waitUntil } from '@boxoffice/messaging/conformance';
import { describe, expect, test } from '@jest/globals';
import { createScriptedBus, eager, startScriptedRelay } from './scripted-bus.ts';

const versionsOf = (events: readonly { key: string; version: number }[], key: string) =>
  events.filter((one) => one.key === key).map(({ version }) => version);

describe('the relay publishes the events of its own process', () => {
  test('at once, one of a key at a time, several keys in parallel, up to the window', async () => {
    const { bus, relay, commit, outbox } = startScriptedRelay({ window: 3 });
    commit(
      probe({ key: 'a', version: 1 }),
      probe({ key: 'a', version: 2 }),
      probe({ key: 'b', version: 1 }),
      probe({ key: 'c', version: 1 }),
      probe({ key: 'd', version: 1 }),
    );
    expect(bus.waiting.map(({ message }) => message.key)).toEqual(['a', 'b', 'c']);
    bus.waiting[1]?.confirm();
    await waitUntil('the window to be used', () => bus.waiting.length === 3);
    expect(bus.waiting.map(({ message }) => message.key)).toEqual(['a', 'c', 'd']);
    bus.flow(true);
    await waitUntil('an empty outbox', () => outbox.pending.size === 0);
    expect(versionsOf(bus.confirmed, 'a')).toEqual([1, 2]);
    await relay.close();
  });

  test('again and in order when the bus refuses one, without delaying other keys', async () => {
    const { bus, relay, commit, outbox } = startScriptedRelay();
    commit(probe({ key: 'a', version: 1 }), probe({ key: 'a', version: 2 }), probe({ key: 'b', version: 1 }));
    bus.waiting[0]?.refuse();
    bus.flow(true);
    await waitUntil('an empty outbox', () => outbox.pending.size === 0);
    expect(bus.confirmed.map(({ key, version }) => `${key}${version}`)).toEqual(['b1', 'a1', 'a2']);
    await relay.close();
  });

  test('not at all once their fact is withdrawn: they leave the outbox', async () => {
    const { bus, relay, commit, outbox } = startScriptedRelay({ withdrawn: ['probe.withdrawn'] });
    commit(probe({ key: 'a', version: 1, type: 'probe.withdrawn' }), probe({ key: 'a', version: 2 }));
    bus.flow(true);
    await waitUntil('an empty outbox', () => outbox.pending.size === 0);
    expect(versionsOf(bus.confirmed, 'a')).toEqual([2]);
    await relay.close();
  });

  test('not at all while the bus is down, and all of them in order when it is back', async () => {
    const bus = createScriptedBus();
    let attempts = 0;
    let pings = 0;
    const counting = {
      publish: (message: Parameters<typeof bus.publish>[0]) => {
        attempts++;
        return bus.publish(message);
      },
      ping: () => {
        pings++;
        return bus.ping();
      },
    };
    const { outbox, relay, commit } = startScriptedRelay({ bus: counting });
    bus.down(true);
    const events = Array.from({ length: 300 }, (_, n) => probe({ key: `key-${n % 60}`, version: n }));
    commit(...events.slice(0, 240));
    await waitUntil('a probe', () => pings >= 1);
    const before = attempts;
    commit(...events.slice(240));
    await waitUntil('more probes', () => pings >= 4);
    expect(attempts).toBe(before);
    bus.down(false);
    bus.flow(true);
    await waitUntil('an empty outbox', () => outbox.pending.size === 0);
    expect(versionsOf(bus.confirmed, 'key-7')).toEqual(versionsOf(events, 'key-7'));
    await relay.close();
  });

  test('marks them done in batches, and does not publish those again that it could not mark', async () => {
    const batches: number[] = [];
    let failing = true;
    const { outbox, bus, relay, commit } = startScriptedRelay(eager, (own) => ({
      async done(ids) {
        if (failing) throw new Error('the store is down');
        batches.push(ids.length);
        await own.done(ids);
      },
    }));
    bus.flow(true);
    commit(...Array.from({ length: 200 }, (_, n) => probe({ key: `key-${n}` })));
    await waitUntil('all published', () => bus.confirmed.length === 200);
    failing = false;
    await waitUntil('an empty outbox', () => outbox.pending.size === 0);
    expect(bus.confirmed.length).toBe(200);
    expect(batches.length).toBeLessThan(20);
    await relay.close();
  });

  test('and leaves those in the outbox that it cannot publish before it closes', async () => {
    const { bus, relay, commit, outbox } = startScriptedRelay({ drainMs: 50 });
    const [stuck, next, quick] = [probe({ key: 'a' }), probe({ key: 'a' }), probe({ key: 'b' })];
    commit(stuck, next, quick);
    bus.waiting.find(({ message }) => message.id === quick.id)?.confirm();
    await relay.close();
    expect([...outbox.pending]).toEqual([stuck.id, next.id]);
    expect(bus.waiting.map(({ message }) => message.id)).toEqual([stuck.id]);
  });

  test('close waits for those in flight, and marks them done', async () => {
    const { bus, relay, commit, outbox } = startScriptedRelay({ drainMs: 60_000 });
    commit(probe({ key: 'a' }), probe({ key: 'a' }), probe({ key: 'b' }));
    const closing = relay.close();
    bus.flow(true);
    await closing;
    expect(bus.confirmed.length).toBe(3);
    expect(outbox.pending.size).toBe(0);
  });
});
