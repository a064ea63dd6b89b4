import type { Bus, Message } from '@boxoffice/messaging';
import type { Store } from '@boxoffice/store';
import { expect, test } from '@jest/globals';
import { findFreePort, noteQueue, openNotes } from '../fixture.ts';

test('a starting service reports what it waits for, refuses requests, and is ready when its engines are', async () => {
  const fixture = await openNotes();
  const store = Promise.withResolvers<Store>();
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const starting = fixture.start({}, { port, store: store.promise });
  const get = async (path: string) => {
    const response = await fetch(`${url}${path}`).catch(() => undefined);
    if (!response) return undefined;
    const body = (await response.json()) as { readonly waitingFor?: string[] };
    return { status: response.status, body };
  };

  let readiness = await get('/health/ready');
  while (!readiness || readiness.body.waitingFor?.includes('broker')) readiness = await get('/health/ready');
  expect(readiness).toEqual({ status: 503, body: { status: 'starting', waitingFor: ['store', 'start'] } });
  expect(await get('/health/live')).toEqual({ status: 200, body: { status: 'ok' } });
  expect(await get('/notes')).toMatchObject({ status: 503, body: { status: 'service_unavailable', data: null } });

  store.resolve(await fixture.openStore());
  const service = await starting;
  await service.ready();
  expect(await get('/health/ready')).toEqual({ status: 200, body: { status: 'ok' } });
  expect((await fixture.write(service, 'x')).status).toBe(201);
  expect(await get('/notes')).toMatchObject({ status: 405, body: { status: 'method_not_allowed' } });

  await service.close();
  await fixture.close();
});

test('without its broker a service serves and reports that it waits; facts are delivered when the broker connects', async () => {
  const fixture = await openNotes([noteQueue]);
  const bus = Promise.withResolvers<Bus>();
  const received = Promise.withResolvers<Message>();
  const handle = async (message: Message) => received.resolve(message);
  const reactions = () => [{ queue: noteQueue, handle }];
  const store = await fixture.openStore();

  const service = await fixture.start({ queues: [noteQueue], reactions }, { store, bus: bus.promise });
  const readiness = async () => {
    const response = await fetch(`${service.url}/health/ready`);
    return [response.status, await response.json()];
  };
  expect(await readiness()).toEqual([503, { status: 'starting', waitingFor: ['broker'] }]);
  await expect(service.ready()).rejects.toThrow('the broker is not connected yet');
  expect((await fetch(`${service.url}/openapi.json`)).status).toBe(200);
  expect((await fixture.write(service, 'early')).status).toBe(201);
  expect(await store.outbox.pending(10)).toMatchObject([{ type: 'contact.erased' }]);

  bus.resolve(fixture.engines.bus);
  await service.complete;
  expect(await readiness()).toEqual([200, { status: 'ok' }]);
  expect((await received.promise).data).toEqual({ text: 'early' });

  await service.close();
  await fixture.close();
});

test('a service whose broker never connected closes at once', async () => {
  const fixture = await openNotes();
  const bus = new Promise<Bus>(() => undefined);
  const service = await fixture.start({}, { bus });
  await service.close();
  await expect(service.complete).rejects.toThrow('the service is stopping');
  await fixture.close();
});

test('subscriptions that a late broker refuses are all retried', async () => {
  const fixture = await openNotes([noteQueue]);
  const lateQueue = { name: 'orders.notes.v1', types: ['note.taken'] };
  let refusals = 1;
  const refusing: Bus = {
    ...fixture.engines.bus,
    subscribe: async (queue, handle) => {
      if (queue === lateQueue && refusals-- > 0) throw new Error('not now');
      return fixture.engines.bus.subscribe(queue, handle);
    },
  };
  const received = Promise.withResolvers<Message>();
  const reacting = {
    queues: [noteQueue, lateQueue],
    reactions: () => [
      { queue: noteQueue, handle: async (message: Message) => received.resolve(message) },
      { queue: lateQueue, handle: async () => undefined },
    ],
  };
  const service = await fixture.start(reacting, { bus: Promise.resolve(refusing) });
  await service.complete;
  await fixture.write(service, 'late');
  expect((await received.promise).data).toEqual({ text: 'late' });
  await service.close();
  await fixture.close();
});
