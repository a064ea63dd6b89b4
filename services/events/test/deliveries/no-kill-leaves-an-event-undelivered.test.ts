import { startCompletion } from '@boxoffice/service';
import type { Document, Documents, Store } from '@boxoffice/store';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createPlannedAttempt } from '../../src/deliveries/plan.ts';
import { deliveriesCollection, WEBHOOKS_OF_0_3, type WebhookDocument, webhooksCollection } from '../../src/store.ts';
import { type Receiver, waitUntil } from '../fixture/receiver.ts';
import { Clock, createFact, engines, type Fixture, openFixture } from '../fixture/service.ts';

type Operation = 'get' | 'find' | 'update';

/** Called around an operation on the webhooks of an institution: may read, write, or throw as if killed. */
type Around = (operation: Operation, result: () => Promise<unknown>) => Promise<unknown>;

const watchWebhooks = (store: Store, around: Around): Store => ({
  ...store,
  collection<T extends Document>(asked: Parameters<typeof store.collection<T>>[0]) {
    const handle = store.collection<T>(asked);
    if (asked.name !== webhooksCollection.name) return handle;
    const of = (institution: string): Documents<T> => {
      const documents = handle.of(institution);
      return {
        ...documents,
        get: (id) => around('get', () => documents.get(id)) as ReturnType<typeof documents.get>,
        find: (query) => around('find', () => documents.find(query)) as ReturnType<typeof documents.find>,
        update: (id, fn, options) =>
          around('update', () => documents.update(id, fn, options)) as ReturnType<typeof documents.update>,
      };
    };
    return { ...handle, of };
  },
});

const killed = () => Promise.reject(new Error('killed'));

describe.each(engines)('no kill leaves an event undelivered, on $name', (engine) => {
  let clock: Clock;
  let its: Fixture;
  let at: Receiver;
  let around: Around;
  /** A store that nothing is put around. */
  let plain: Store;

  beforeEach(async () => {
    clock = new Clock();
    around = (_operation, result) => result();
    const storeOf = (store: Store) => watchWebhooks(store, (...given) => around(...given));
    its = await openFixture(engine, { clock, storeOf });
    at = await its.receiver();
    plain = await its.openStore();
  });
  afterEach(() => its.close());

  const read = (id: string): Promise<WebhookDocument | undefined> =>
    plain.collection(webhooksCollection).of('opera').get(id);

  /** Nothing is due of the webhook: nobody will look at it, unless something happens. */
  const isIdle = (id: string) => async (): Promise<boolean> => {
    const webhook = await read(id);
    return webhook !== undefined && webhook.due === undefined;
  };

  test.each<Operation>(['find', 'update'])(
    'where an append was killed before its %s made the webhook due, the fact that comes again does',
    async (step) => {
      const { id } = await its.webhook(at.url);
      await waitUntil('idle', isIdle(id));
      const fact = createFact();
      around = (operation, result) => (operation === step ? killed() : result());
      await expect(its.take(fact)).rejects.toThrow('killed');
      expect(await its.context.feed.head('opera')).toBe(1);
      expect((await read(id))?.due).toBeUndefined();
      around = (_operation, result) => result();
      await its.take(fact);
      await waitUntil('the delivery', () => at.received.length > 0);
      expect(await its.context.feed.head('opera')).toBe(1);
      await waitUntil('idle again', isIdle(id));
      expect(at.received).toHaveLength(1);
    },
  );

  // The first update of a handler ends its claim, the second says that nothing is due.
  test.each([1, 2])('an event that is appended before update %s of a handler that ends is delivered', async (nth) => {
    let updates = 0;
    let event: string | undefined;
    around = async (operation, result) => {
      if (operation === 'update') updates += 1;
      if (operation === 'update' && updates === nth) event = await its.emit('order.created');
      return result();
    };
    const { id } = await its.webhook(at.url);
    await waitUntil('the delivery', () => at.received.length > 0);
    expect(at.ids()).toEqual([event]);
    await waitUntil('idle', isIdle(id));
  });

  test.each([1, 2])('a handler that is killed at its update %s is followed by another', async (nth) => {
    let updates = 0;
    around = (operation, result) => {
      if (operation === 'update') updates += 1;
      return operation === 'update' && updates === nth ? killed() : result();
    };
    const { id } = await its.webhook(at.url);
    await waitUntil('idle', isIdle(id));
    expect(updates).toBeGreaterThan(nth);
    const event = await its.emit('order.created');
    await waitUntil('the delivery', () => at.received.length > 0);
    expect(at.ids()).toEqual([event]);
  });

  test('what a dead process has claimed is delivered when its claim ends', async () => {
    const { id } = await its.webhook(at.url);
    await waitUntil('idle', isIdle(id));
    await its.stop();
    clock.stop();
    const webhooks = plain.collection(webhooksCollection);
    await webhooks.of('opera').update(id, (current) => ({ next: current, due: { deliver: clock.now() } }));
    const [claimed] = await webhooks.acrossInstitutions.claimDue({
      now: clock.now(),
      limit: 1,
      forMs: { deliver: 60_000 },
    });
    expect(claimed?.document.id).toBe(id);
    const second = await its.another();
    const event = await second.emit('order.created');
    // Whoever works on it looks again; it died, so it does not, and the end of the claim is when it is due.
    expect((await read(id))?.due).toEqual(claimed?.document.due);
    clock.advance(60_000);
    await waitUntil('the delivery', () => at.received.length > 0);
    expect(at.ids()).toEqual([event]);
  });

  test('an event that follows a change of its webhook goes by the change, however slowly the webhook was read', async () => {
    const { id } = await its.webhook(at.url, { types: ['ticket.*'] });
    await waitUntil('idle', isIdle(id));
    let order: string | undefined;
    around = async (operation, result) => {
      const found = await result();
      if (operation === 'get' && order === undefined) {
        order = '';
        await its.call('PATCH', `/${id}`, { body: { types: ['order.*'] } });
        order = await its.emit('order.created');
      }
      return found;
    };
    await its.emit('contact.created');
    await waitUntil('the delivery', () => at.received.length > 0);
    expect(at.ids()).toEqual([order]);
  });

  test('what release 0.3.0 has left is delivered', async () => {
    const { id } = await its.webhook(at.url);
    await waitUntil('idle', isIdle(id));
    const event = await its.emit('order.created');
    await waitUntil('the delivery', () => at.received.length === 1);
    await waitUntil('idle', isIdle(id));
    await its.stop();
    const { upgrade: _, ...asThen } = webhooksCollection;
    const stored = plain.collection(asThen).of('opera');
    await stored.update(id, (current) => ({ next: { ...current, shard: 14, changedAt: clock.now() } }));
    const planned = createPlannedAttempt(
      id,
      { id: event, type: 'order.created', sequence: 1, resource: { id: 'ord_1' } },
      { origin: 'redelivery', round: 'rdl_1' },
      { dueAt: clock.now(), now: clock.now() },
    );
    await plain.collection(deliveriesCollection).of('opera').insert(planned);
    const warn = (message: string) => expect(message).toBeUndefined();
    const completion = startCompletion(plain, webhooksCollection, WEBHOOKS_OF_0_3, { warn });
    await its.another();
    await waitUntil('the delivery', () => at.received.length === 2);
    await completion.close();
    expect(at.ids()).toEqual([event, event]);
    expect(await stored.get(id)).not.toMatchObject({ shard: expect.anything() });
  });
});
