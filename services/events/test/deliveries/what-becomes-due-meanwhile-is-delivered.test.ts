import type { Store } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import { deliveriesCollection } from '../../src/deliveries/documents.ts';
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
});
