import assert from 'node:assert/strict';
import type { OutboxEvent, Store } from '../port.ts';
import { type Check, check, createId, createThing, requireUniqueViolation, waitUntil } from './subject.ts';

const pendingOf = async (store: Store, institution: string) =>
  (await store.outbox.pending(100_000)).filter((one) => one.institution === institution);

const fact = (n: number, key?: string) => ({
  type: 'thing.changed',
  data: { n },
  ...(key === undefined ? {} : { key }),
});

export const outbox: readonly Check[] = [
  check(
    'a refused write leaves no event, an accepted one leaves all of its events',
    async ({ store, institution, mine }) => {
      const first = await mine.insert(createThing({ email: 'taken@example.org' }), { events: [fact(1), fact(2)] });
      await requireUniqueViolation(
        mine.insert(createThing({ email: 'taken@example.org' }), { events: [fact(3)] }),
        'email',
      );
      const second = await mine.insert(createThing());
      await assert.rejects(
        mine.update(second.id, (current) => ({
          next: { ...current, email: 'taken@example.org' },
          events: [fact(4)],
        })),
      );
      const events = await pendingOf(store, institution);
      assert.deepEqual(
        events.map((one) => one.data),
        [{ n: 1 }, { n: 2 }],
        'events of refused writes, or missing ones',
      );
      assert.ok(events.every((one) => one.key === first.id && one.version === 1));
    },
  ),
  check(
    'past facts can be added without a write, in their order, and are removed like others',
    async ({ store, institution }) => {
      const text = 'x'.repeat(1_000_000);
      const facts = [1, 2, 3, 4, 5, 6].map((n) => ({ ...fact(n, 'ord_1'), version: 40 + n, key: 'ord_1' }));
      await store.outbox.add(institution, [...facts, { ...fact(7), key: 'ord_1', version: 47, data: { n: 7, text } }]);
      await store.outbox.add(
        institution,
        [1, 2, 3, 4, 5].map((n) => ({ ...fact(n), key: 'x', version: n, data: { text } })),
      );
      await store.outbox.add(institution, []);
      const events = await pendingOf(store, institution);
      const first = events.filter(({ key }) => key === 'ord_1');
      assert.deepEqual(
        first.map(({ type, version, data }) => [type, version, (data as { n: number }).n]),
        [1, 2, 3, 4, 5, 6, 7].map((n) => ['thing.changed', 40 + n, n]),
      );
      assert.equal(events.length, 12);
      assert.equal(new Set(events.map(({ id }) => id)).size, 12);
      await store.outbox.done(first.map(({ id }) => id));
      assert.deepEqual(new Set((await pendingOf(store, institution)).map(({ key }) => key)), new Set(['x']));
      await store.outbox.done(events.map(({ id }) => id));
      assert.deepEqual(await pendingOf(store, institution), []);
    },
  ),
  check('an event has the members that the port declares', async ({ store, institution, mine }) => {
    const started = Date.now();
    const { id } = await mine.insert(createThing(), { events: [fact(1)] });
    await mine.update(id, (current) => ({ next: current, events: [fact(2, 'other-key')] }), { events: [fact(3)] });
    const events = await pendingOf(store, institution);
    assert.deepEqual(
      events.map((one) => [one.type, one.key, one.version, one.institution, one.data]),
      [
        ['thing.changed', id, 1, institution, { n: 1 }],
        ['thing.changed', 'other-key', 2, institution, { n: 2 }],
        ['thing.changed', id, 2, institution, { n: 3 }],
      ],
    );
    assert.equal(new Set(events.map((one) => one.id)).size, 3);
    for (const { occurredAt } of events) {
      assert.equal(new Date(occurredAt).toISOString(), occurredAt);
      assert.ok(Math.abs(Date.parse(occurredAt) - started) < 60_000);
    }
  }),
  check(
    'events of one document are pending in the order of its writes, and the limit omits the newest',
    async ({ store, institution, mine }) => {
      const { id } = await mine.insert(createThing({ count: 0 }), { events: [fact(0)] });
      await Promise.all(
        Array.from({ length: 20 }, () =>
          mine.update(id, (current) => {
            const count = (current.count ?? 0) + 1;
            return { next: { ...current, count }, events: [fact(count)] };
          }),
        ),
      );
      const events = await pendingOf(store, institution);
      assert.deepEqual(
        events.map((one) => one.data),
        Array.from({ length: 21 }, (_, n) => ({ n })),
      );
      assert.equal((await store.outbox.pending(3)).length, 3);
    },
  ),
  check(
    'done removes the given events and no others, and ignores unknown ids',
    async ({ store, institution, mine }) => {
      await mine.insert(createThing(), { events: [fact(1), fact(2), fact(3)] });
      const [a, b, c] = await pendingOf(store, institution);
      assert.ok(a && b && c);
      await store.outbox.done([b.id, createId()]);
      assert.deepEqual(
        (await pendingOf(store, institution)).map((one) => one.id),
        [a.id, c.id],
      );
      await store.outbox.done([]);
      await store.outbox.done([a.id, b.id, c.id]);
      assert.deepEqual(await pendingOf(store, institution), []);
    },
  ),
  check(
    'an event stays pending until done, also when its document is written again',
    async ({ store, institution, mine }) => {
      const { id } = await mine.insert(createThing(), { events: [fact(1)] });
      await mine.update(id, (current) => ({ next: { ...current, name: 'x' } }));
      await mine.claim({ where: { id }, set: { name: 'y' } });
      assert.equal((await pendingOf(store, institution)).length, 1);
      const [event] = await pendingOf(store, institution);
      await store.outbox.done([event?.id ?? '']);
      assert.equal((await mine.get(id))?.version, 3, 'done does not write the document');
    },
  ),
  check('pending with an age omits younger events', async ({ store, institution, mine }) => {
    await mine.insert(createThing(), { events: [fact(1)] });
    const hasPending = async (ms: number) =>
      (await store.outbox.pending(100_000, ms)).some((one) => one.institution === institution);
    assert.equal(await hasPending(3_600_000), false);
    await waitUntil(() => hasPending(20));
  }),
  check(
    'onCommitted reports the events of this instance after their commit, and none of a refused write',
    async ({ store, institution, mine, elsewhere }) => {
      const received: OutboxEvent[] = [];
      const stop = store.outbox.onCommitted((events) => {
        received.push(...events.filter((one) => one.institution === institution));
      });
      const { id } = await mine.insert(createThing({ email: 'a@b.c' }), { events: [fact(1)] });
      await mine.update(id, (current) => ({ next: current, events: [fact(2), fact(3)] }));
      await assert.rejects(mine.insert(createThing({ email: 'a@b.c' }), { events: [fact(4)] }));
      await (await elsewhere()).insert(createThing(), { events: [fact(5)] });
      await waitUntil(async () => received.length >= 3);
      stop();
      await mine.insert(createThing(), { events: [fact(6)] });
      assert.deepEqual(
        received.map((one) => one.data),
        [{ n: 1 }, { n: 2 }, { n: 3 }],
      );
      const stored = await pendingOf(store, institution);
      assert.deepEqual(stored.slice(0, 3), received, 'the reported events are the stored ones');
    },
  ),
  check('a listener that throws affects neither the write nor the other listeners', async ({ store, mine }) => {
    let received = 0;
    const stopFirst = store.outbox.onCommitted(() => {
      throw new Error('listener');
    });
    const stopSecond = store.outbox.onCommitted(() => {
      received++;
    });
    await mine.insert(createThing(), { events: [fact(1)] });
    await waitUntil(async () => received > 0);
    stopFirst();
    stopSecond();
  }),
];
