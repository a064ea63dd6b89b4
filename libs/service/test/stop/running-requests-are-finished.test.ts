import { expect, test } from '@jest/globals';
import { startService } from '../../src/index.ts';
import { common, createNote, definition, notes, openEmbedded, openKeys } from '../fixture.ts';

test('closing a service finishes the running request with its write, and accepts no other', async () => {
  const keys = await openKeys();
  const engines = await openEmbedded();
  const store = await engines.store('notes', [notes]);
  const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const waits = async () => {
    started.resolve();
    await released.promise;
  };
  const service = await startService(definition({ operations: () => [createNote(store, waits)] }), {
    ...common(keys),
    store,
    bus: engines.bus,
  });
  const call = { method: 'POST', headers: keys.headers('createNote'), body: '{"text":"stored"}' };
  const answer = fetch(`${service.url}/notes`, call);
  await started.promise;
  const closed = service.close();
  await expect(fetch(`${service.url}/notes`, call)).rejects.toThrow();
  released.resolve();
  const { status, ok } = await answer;
  expect([status, ok]).toEqual([201, true]);
  await closed;
  expect(await store.collection(notes).of('i').count({ text: 'stored' })).toBe(1);
  await engines.close();
  await keys.listening.close();
});
