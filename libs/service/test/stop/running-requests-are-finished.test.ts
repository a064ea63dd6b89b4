import { expect, test } from '@jest/globals';
import { createNote, notes, openNotes } from '../fixture.ts';

test('closing a service finishes the running request with its write, and accepts no other', async () => {
  const fixture = await openNotes();
  const store = await fixture.openStore();
  const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const waits = async () => {
    started.resolve();
    await released.promise;
  };
  const service = await fixture.start({ operations: () => [createNote(store, waits)] }, { store });
  const call = { method: 'POST', headers: fixture.headers('createNote'), body: '{"text":"stored"}' };
  const answer = fetch(`${service.url}/notes`, call);
  await started.promise;
  const closed = service.close();
  await expect(fetch(`${service.url}/notes`, call)).rejects.toThrow();
  released.resolve();
  const { status, ok } = await answer;
  expect([status, ok]).toEqual([201, true]);
  await closed;
  expect(await store.collection(notes).of('i').count({ text: 'stored' })).toBe(1);
  await fixture.close();
});
