import { createLogger } from '@boxoffice/runtime';
import { expect, test } from '@jest/globals';
import { createNote, notes, openNotes } from './fixture.ts';

test('closing a service finishes the running request with its write, and accepts no other', async () => {
  const fixture = await openNotes();
  const store = await fixture.openStore();
  const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const waits = async () => {
    started.resolve();
    await released.promise;
  };
  const service = await fixture.start({ operations: () => [createNote(store, waits)] }, { store });
  const answer = fixture.write(service, 'stored');
  await started.promise;
  const closed = service.close();
  await expect(fixture.write(service, 'stored')).rejects.toThrow();
  released.resolve();
  const { status, ok } = await answer;
  expect([status, ok]).toEqual([201, true]);
  await closed;
  expect(await store.collection(notes).of('i').count({ text: 'stored' })).toBe(1);
  await fixture.close();
});

test('a request that the HTTP parser refuses has one line in the access log, with the id of its answer', async () => {
  const fixture = await openNotes();
  const lines: string[] = [];
  const logger = createLogger({ service: 'notes', pretty: false, write: (line) => lines.push(line) });
  const service = await fixture.start({}, { logger });

  const headers = { 'x-filler': 'x'.repeat(17_000), authorization: 'Bearer hunter2' };
  const answer = await fetch(`${service.url}/notes?secret=hunter2`, { headers });
  expect(answer.status).toBe(431);
  expect(await answer.json()).toMatchObject({ status: 'headers_too_large', data: null });
  const requests = lines.map((line) => JSON.parse(line)).filter(({ message }) => message === 'request');
  expect(requests).toEqual([
    expect.objectContaining({
      level: 'info',
      requestId: answer.headers.get('x-request-id'),
      operation: 'none',
      method: 'GET',
      status: 431,
    }),
  ]);
  expect(lines.join()).not.toMatch(/hunter2|notes\?/);

  await service.close();
  await fixture.close();
});
