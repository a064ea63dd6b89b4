import type { Store } from '@boxoffice/store';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { deliveriesCollection, positionsCollection } from '../../src/store.ts';
import { answerNever, createHoldingAnswer, createStatusAnswer, waitUntil } from '../fixture/receiver.ts';
import { Clock, engines, type Fixture, openFixture } from '../fixture/service.ts';

describe.each(engines)('several processes, on $name', (engine) => {
  let clock: Clock;
  let its: Fixture;

  beforeEach(async () => {
    clock = new Clock();
    its = await openFixture(engine, { clock, runner: { closingMs: 60_000 } });
  });
  afterEach(() => its.close());

  test('events that one process records are delivered once by whichever has the webhook, in order', async () => {
    const [one, other] = [its, await its.another()];
    const all = await Promise.all(Array.from({ length: 6 }, its.receiver));
    for (const [index, { url }] of all.entries()) await (index % 2 ? one : other).webhook(url);
    const events: string[] = [];
    for (let index = 0; index < 12; index += 1)
      events.push(await (index % 2 ? one : other).emit(index === 0 ? 'order.created' : 'order.changed', 'ord_1'));
    await waitUntil('all deliveries', () =>
      all.every(({ received }) => new Set(received.map(({ event }) => event.id)).size === 12),
    );
    for (const at of all) expect(at.ids()).toEqual(events);
  });

  test('what other processes append and change is not delivered twice while one of them has the webhook', async () => {
    const other = await its.another();
    const at = await its.receiver();
    const { answer, release } = createHoldingAnswer();
    at.answer = answer;
    const { id } = await its.webhook(at.url);
    const events = [await its.emit('order.created', 'ord_1')];
    await waitUntil('the first attempt', () => at.received.length === 1);
    for (const each of [other, its]) {
      events.push(await each.emit('order.changed', 'ord_1'));
      expect((await each.call('PATCH', `/${id}`, { body: { types: ['order.*', 'ticket.*'] } })).status).toBe(200);
      events.push(await each.emit('ticket.issued'));
    }
    await waitUntil('those of other resources', () => at.received.length === 3);
    release();
    await waitUntil('the rest', () => at.received.length === events.length);
    expect(at.ids().toSorted()).toEqual(events.toSorted());
    await waitUntil('their records', async () => (await its.attempts(id, '&outcome=waiting')).length === 0);
    expect(await its.attempts(id)).toHaveLength(events.length);
  });

  test('what a stopped process leaves is delivered by the next', async () => {
    clock.stop();
    const at = await its.receiver();
    at.answer = createStatusAnswer(500);
    const { id } = await its.webhook(at.url);
    const events = [await its.emit('order.created', 'ord_1'), await its.emit('order.changed', 'ord_1')];
    await waitUntil('the first failure', async () => (await its.attempts(id, '&outcome=failed')).length === 1);
    await its.stop();
    at.answer = createStatusAnswer(204);
    clock.advance(60_000);
    await its.another();
    await waitUntil('the rest', () => at.received.length === 3);
    expect(at.ids()).toEqual([events[0], ...events]);
  });

  test('planning that was interrupted is repeated, and attempts that were not ended are made again', async () => {
    const at = await its.receiver();
    const { id } = await its.webhook(at.url);
    const events = [await its.emit('order.created', 'ord_1'), await its.emit('order.changed', 'ord_1')];
    await waitUntil('both', async () => (await its.attempts(id, '&outcome=succeeded')).length === 2);
    await its.stop();
    // As if killed after the second delivery was made, before its end and the position were written.
    const store = await its.openStore();
    const deliveries = store.collection(deliveriesCollection).of('opera');
    const last = await deliveries.find({ where: { webhookId: id, eventId: String(events[1]) } });
    await deliveries.update(String(last[0]?.id), (current) => ({
      next: { ...current, outcome: 'waiting', at: null, dueAt: null },
    }));
    await store.collection(positionsCollection).of('opera').delete(id);
    const second = await its.another();
    const later = await second.emit('order.confirmed', 'ord_1');
    await waitUntil('the later one', () => at.ids().includes(later));
    expect(at.ids()).toEqual([...events, events[1], later]);
  });

  test('a process that stops leaves a receiver that does not answer to the next', async () => {
    await its.stop();
    const first = await its.another({ answerMs: 10 * 60_000, runner: { closingMs: 100 } });
    const at = await its.receiver();
    at.answer = answerNever;
    const { id } = await first.webhook(at.url);
    const event = await first.emit('order.created');
    await waitUntil('the attempt', () => at.received.length === 1);
    await first.stop();
    at.answer = createStatusAnswer(204);
    const second = await its.another();
    await waitUntil('the delivery', async () => (await second.attempts(id, '&outcome=succeeded')).length === 1);
    expect(at.ids()).toEqual([event, event]);
  });

  test('a process that stops waits for its attempts, and records them', async () => {
    const at = await its.receiver();
    const arrived = Promise.withResolvers<() => void>();
    at.answer = (_received, response) => arrived.resolve(() => void response.writeHead(204).end());
    const { id } = await its.webhook(at.url);
    await its.emit('order.created');
    const finish = await arrived.promise;
    const closing = its.stop();
    finish();
    await closing;
    at.answer = answerNever;
    const second = await its.another();
    expect(await second.attempts(id)).toEqual([expect.objectContaining({ outcome: 'succeeded', attempt: 1 })]);
  });
});

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

describe.each(engines)('what becomes due meanwhile, on $name', (engine) => {
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
    at.answer = createStatusAnswer(500);
    const { id } = await its.webhook(at.url);
    await its.emit('order.created');
    await waitUntil('the first attempt', async () =>
      (await its.attempts(id)).some(({ attempt, outcome }) => attempt === 1 && outcome === 'failed'),
    );
    at.answer = createStatusAnswer(204);
    isNext = true;
    // Looked at once more, for the change alone.
    expect((await its.call('PATCH', `/${id}`, { body: { types: ['order.*', 'ticket.*'] } })).status).toBe(200);
    await waitUntil('the look', () => !isNext);
    await waitUntil('the second attempt', () => at.received.length === 2);
    await its.close();
  });
});
