import type { Store } from '@boxoffice/store';
import { expect, test } from '@jest/globals';
import { freePort, openNotes } from '../fixture.ts';

test('a starting service reports what it waits for, refuses requests, and is ready when its engines are', async () => {
  const fixture = await openNotes();
  const store = Promise.withResolvers<Store>();
  const port = await freePort();
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
  const call = { method: 'POST', headers: fixture.headers('createNote'), body: '{"text":"x"}' };
  expect((await fetch(`${url}/notes`, call)).status).toBe(201);
  expect(await get('/notes')).toMatchObject({ status: 405, body: { status: 'method_not_allowed' } });

  await service.close();
  await fixture.close();
});
