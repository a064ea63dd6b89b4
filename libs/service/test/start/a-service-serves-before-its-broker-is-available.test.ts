import type { Bus, Message } from '@boxoffice/messaging';
import { expect, test } from '@jest/globals';
import { noteQueue, openNotes } from '../fixture.ts';

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
  const call = { method: 'POST', headers: fixture.headers('createNote'), body: '{"text":"early"}' };
  expect((await fetch(`${service.url}/notes`, call)).status).toBe(201);
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
  let refusals = 1;
  const refusing: Bus = {
    ...fixture.engines.bus,
    listen: async (broadcast, hear) => {
      if (refusals-- > 0) throw new Error('not now');
      return fixture.engines.bus.listen(broadcast, hear);
    },
  };
  const received = Promise.withResolvers<Message>();
  const reacting = {
    queues: [noteQueue],
    reactions: () => [{ queue: noteQueue, handle: async (message: Message) => received.resolve(message) }],
    listens: () => [{ broadcast: { types: ['token.revoked'] }, handle: () => undefined }],
  };
  const service = await fixture.start(reacting, { bus: Promise.resolve(refusing) });
  await service.complete;
  const call = { method: 'POST', headers: fixture.headers('createNote'), body: '{"text":"late"}' };
  await fetch(`${service.url}/notes`, call);
  expect((await received.promise).data).toEqual({ text: 'late' });
  await service.close();
  await fixture.close();
});
