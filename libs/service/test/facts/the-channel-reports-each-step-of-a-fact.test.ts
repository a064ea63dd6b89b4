import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Bus, Handler } from '@boxoffice/messaging';
import { afterEach, expect, test } from '@jest/globals';
import { subscribeAll } from '../../src/facts/subscriptions.ts';
import { noteQueue } from '../fixture.ts';

const moments: unknown[] = [];
const hear = (moment: unknown) => moments.push(moment);
afterEach(() => {
  unsubscribe('boxoffice:fact', hear);
  moments.length = 0;
});

const message = { id: 'e1', type: 'contact.erased', key: 'k', version: 1, institution: 'i', occurredAt: '', data: {} };

/** The handler that the bus calls for a message of the queue whose reaction is `handle`. */
const subscribed = async (handle: Handler): Promise<Handler> => {
  const subscribers: Handler[] = [];
  const bus: Pick<Bus, 'subscribe'> = {
    async subscribe(_queue, handler) {
      subscribers.push(handler);
      return { close: async () => undefined };
    },
  };
  await subscribeAll(bus as Bus, [{ queue: noteQueue, handle }], [], 'notes');
  return subscribers[0] as Handler;
};

test('a fact is reported as received, and as handled when its handler has resolved', async () => {
  subscribe('boxoffice:fact', hear);
  const handler = await subscribed(async () => void expect(moments).toHaveLength(1));
  await handler(message, 2);
  const about = { queue: noteQueue.name, type: 'contact.erased', id: 'e1', attempt: 2 };
  expect(moments).toEqual([
    { ...about, phase: 'received' },
    { ...about, phase: 'handled' },
  ]);
});

test('a fact whose handler rejects is not reported as handled, and the bus gets the rejection', async () => {
  subscribe('boxoffice:fact', hear);
  const handler = await subscribed(() => Promise.reject(new Error('no')));
  await expect(handler(message, 1)).rejects.toThrow('no');
  expect(moments).toMatchObject([{ phase: 'received' }]);
});
