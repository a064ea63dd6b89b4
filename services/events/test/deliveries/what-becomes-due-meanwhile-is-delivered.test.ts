import type { Store } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import { createRunner } from '../../src/deliveries/runner.ts';
import { deliveriesCollection, positionsCollection, webhooksCollection } from '../../src/store.ts';
import { status, until } from '../fixture/receiver.ts';
import { Clock, engines, openFixture } from '../fixture/service.ts';

/** A store that calls `looked` after each look for due deliveries. */
const watched = (store: Store, looked: () => void): Store => ({
  ...store,
  collection: (asked) => {
    const handle = store.collection(asked);
    if (asked.name !== deliveriesCollection.name) return handle;
    const of = (institution: string) => {
      const documents = handle.of(institution);
      const find: typeof documents.find = async (query) => {
        const found = await documents.find(query);
        const { dueAt } = (query?.where ?? {}) as { dueAt?: { lte?: number } | null };
        if (dueAt?.lte !== undefined) looked();
        return found;
      };
      return { ...documents, find };
    };
    return { ...handle, of };
  },
});

describe.each(engines)('on $name', (engine) => {
  test('an attempt that becomes due just after the look for due ones is made', async () => {
    const clock = new Clock();
    clock.stop();
    let isNext = false;
    const looked = (): void => {
      if (isNext) clock.advance(10_000);
      isNext = false;
    };
    const its = await openFixture(engine, { clock, storeOf: (store) => watched(store, looked) });
    const at = await its.receiver();
    at.answer = status(500);
    const { id } = await its.webhook(at.url);
    await its.emit('order.created');
    await until('the first attempt', async () =>
      (await its.attempts(id)).some(({ attempt, outcome }) => attempt === 1 && outcome === 'failed'),
    );
    at.answer = status(204);
    isNext = true;
    // Looked at once more, for the change alone.
    expect((await its.call('PATCH', `/${id}`, { body: { types: ['order.*', 'ticket.*'] } })).status).toBe(200);
    await until('the look', () => !isNext);
    await until('the second attempt', () => at.received.length === 2);
    await its.close();
  });

  // The second question precedes all attempts that are due, the third a single one.
  test.each([2, 3])('an attempt is made although the share was not renewed in time for question %s', async (lostAt) => {
    const clock = new Clock();
    // This process gets no share, so the webhook is the runner's alone.
    const its = await openFixture(engine, { clock, storeOf: (store) => ({ ...store, lease: async () => false }) });
    const { id } = await its.webhook((await its.receiver()).url);
    const event = await its.emit('order.created');
    const store = await its.openStore();
    const made: string[] = [];
    let asked = 0;
    const runner = createRunner({
      institution: 'opera',
      webhookId: id,
      webhooks: store.collection(webhooksCollection).of('opera'),
      deliveries: store.collection(deliveriesCollection).of('opera'),
      positions: store.collection(positionsCollection).of('opera'),
      feed: its.context.feed,
      attempt: async (_webhook, message) => {
        made.push(message.id);
        return { startedAt: clock.now(), durationMs: 1, httpStatus: 204, error: null };
      },
      body: () => '{}',
      delivered: async () => ({ types: ['order.created'], bounds: undefined }),
      isOwner: () => {
        asked += 1;
        return asked !== lostAt;
      },
      now: clock.now,
      ended: () => undefined,
      failed: () => undefined,
    });
    runner.wake();
    // As the process does: it wakes what is due.
    await until('the attempt', () => {
      if ((runner.dueAt() ?? Number.POSITIVE_INFINITY) <= clock.now()) runner.wake();
      return made.length > 0;
    });
    expect(made).toEqual([event]);
    expect(asked).toBeGreaterThan(lostAt);
    await runner.close();
    await its.close();
  });
});
