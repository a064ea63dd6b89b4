import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Family, familyA, familyB } from '@boxoffice/http';
import type { Bus } from '@boxoffice/messaging';
import type { Store } from '@boxoffice/store';
import { expect, test } from '@jest/globals';
import { delayUntilReady } from '../../src/start/refuse.ts';
import { findFreePort, openNotes } from '../fixture.ts';

/** Starts a service whose store is still opening. */
const begin = async (startWaitMs: number, family: Family = familyA) => {
  const fixture = await openNotes();
  const store = Promise.withResolvers<Store>();
  const port = await findFreePort();
  const starting = fixture.start({ family }, { port, store: store.promise, startWaitMs });
  const url = `http://127.0.0.1:${port}`;
  const isThere = () =>
    fetch(`${url}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isThere()));
  const ask = () => fixture.write({ url }, 'x');
  const arrive = async () => store.resolve(await fixture.openStore());
  const end = async () => {
    await (await starting).close();
    await fixture.close();
  };
  return { ask, arrive, end };
};

test('early requests are answered once the service is ready', async () => {
  const { ask, arrive, end } = await begin(60_000);
  const early = [ask(), ask()];
  const health = await Promise.race([...early, new Promise((resolve) => setImmediate(() => resolve('still waiting')))]);
  expect(health).toBe('still waiting');
  await arrive();
  expect((await Promise.all(early)).map(({ status }) => status)).toEqual([201, 201]);
  expect((await ask()).status).toBe(201);
  await end();
});

test('requests after the maximum wait are refused in the same turn of the event loop', async () => {
  const refused: unknown[] = [];
  const listener = (ms: number) =>
    delayUntilReady(ms, new Promise(() => undefined), (request) => void refused.push(request));
  const [timedOut, waiting] = [listener(1), listener(3_600_000)];
  const request = (url: string) => ({ url }) as IncomingMessage;
  const response = { destroyed: false } as ServerResponse;
  timedOut(request('first'), response);
  while (refused.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  timedOut(request('second'), response);
  waiting(request('waiting'), response);
  await new Promise((resolve) => setImmediate(resolve));
  expect(refused).toEqual([{ url: 'first' }, { url: 'second' }]);
});

test('a start that takes too long refuses the waiting and the later requests until it is done', async () => {
  const { ask, arrive, end } = await begin(300);
  const waited = await ask();
  expect([waited.status, waited.headers.get('retry-after')]).toEqual([503, '1']);
  expect((await ask()).status).toBe(503);
  await arrive();
  let status = 503;
  while (status === 503) status = (await ask()).status;
  expect(status).toBe(201);
  await end();
});

test('in family B a starting service answers 500 with its consequences and Retry-After', async () => {
  const { ask, arrive, end } = await begin(0, familyB);
  const refused = await ask();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([500, '1']);
  const consequences = { userLoggedOut: false, orderCancelled: false };
  expect(await refused.json()).toMatchObject({ success: false, errorCode: 'internal_error', ...consequences });
  await arrive();
  await end();
});

test('a service that listens when ready has its port closed until it is prepared and has its broker', async () => {
  const fixture = await openNotes();
  const bus = Promise.withResolvers<Bus>();
  const port = await findFreePort();
  const [preparing, prepared] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const prepare = async () => {
    preparing.resolve();
    await prepared.promise;
  };
  const starting = fixture.start({ prepare }, { port, bus: bus.promise, listensWhenReady: true });
  const ask = () => fetch(`http://127.0.0.1:${port}/health/ready`);
  await preparing.promise;
  await expect(ask()).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  prepared.resolve();
  await new Promise(setImmediate);
  await expect(ask()).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  bus.resolve(fixture.engines.bus);
  const service = await starting;
  expect((await ask()).status).toBe(200);
  await service.close();
  await fixture.close();
});
