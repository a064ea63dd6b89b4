import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rawExchange, until } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';

let its: Installation;
beforeAll(async () => {
  its = await startInstallation({ trustProxy: ['127.0.0.0/8'], timeouts: { body: 5_000 } });
});
afterAll(() => its.close());

/** More failures than open a breaker. */
const SEVERAL = 7;

const stalled = (path: string) => {
  const token = its.authorizer.token(['contacts:write']);
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\nAuthorization: Bearer ${token}\r\nContent-Length: 50\r\n\r\n`;
  return rawExchange(its.gateway.httpPort, `${head}{`);
};

const bodyOf = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));

const envelope = { status: 'request_timeout', details: expect.any(String), data: null };
const posError = { success: false, errorCode: 'request_timeout', errorMessage: expect.any(String) };

test('a stalled body is one 408 per connection, and the service stays available', async () => {
  const noted = its.log.length;
  const rows = [
    { path: '/auth/token', body: envelope },
    { path: '/svc/v3/contacts/individuals', body: envelope },
    { path: '/tnwr/v1/sessions', body: posError },
  ];
  const all = rows.flatMap((row) =>
    Array.from({ length: SEVERAL }, async () => [row, await stalled(row.path)] as const),
  );
  for (const [{ body }, answer] of await Promise.all(all)) {
    // The connection has closed: everything that was written to it has been read, and that is one response.
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 408']);
    expect(answer).toContain('\r\nConnection: close\r\n');
    expect(bodyOf(answer)).toMatchObject(body);
  }
  const call = its.as(its.authorizer.token(['contacts:write']));
  for (const { path } of rows) expect((await call(path, { method: 'POST', body: '{}' })).status).toBe(200);
  const logged = () => its.log.slice(noted);
  expect(logged().filter(({ message }) => message === 'a service did not answer')).toEqual([]);
  // Each request is logged with its status, although it never ended.
  await until(() => logged().filter(({ status }) => status === 408).length === all.length);
});
