import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { flood, lines, rawExchange, statusesIn, until } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';
import { echo } from '../fixtures/upstream.ts';

const LIST = '/svc/v3/contacts/individuals';
const SESSIONS = '/tnwr/v1/sessions';
/** A twentieth of the requests that a service may have in flight. */
const MOST = 100;

let its: Installation;
beforeAll(async () => {
  its = await startInstallation({ trustProxy: ['127.0.0.0/8'] });
});
beforeEach(() => {
  its.contacts.answer(echo);
});
afterAll(() => its.close());

const ofShop = (address: string, length: number): string[] => [
  `X-Forwarded-For: ${address}`,
  'Content-Type: application/json',
  `Content-Length: ${length}`,
];

describe('requests that a service does not answer', () => {
  test('are at most a twentieth per client and user; others are answered, and it again once they end', async () => {
    const [token, other] = [its.authorizer.token(['contacts:read']), its.authorizer.token(['contacts:read'])];
    const held: (() => void)[] = [];
    its.contacts.answer((request, response, raw) => {
      if (request.headers['x-hold'] === undefined) echo(request, response, raw);
      else held.push(() => echo(request, response, raw));
    });
    const call = its.as(token);
    const waiting = Array.from({ length: MOST }, () => call(LIST, { headers: { 'x-hold': '1' } }));
    await until(() => held.length === MOST);
    const refused = await call(LIST);
    expect([refused.status, refused.body.status]).toEqual([429, 'too_many_requests']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await its.as(other)(LIST)).status).toBe(200);
    for (const answer of held) answer();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 200));
    expect((await call(LIST)).status).toBe(200);
  });

  test('are released when their client leaves', async () => {
    const call = its.as(its.authorizer.token(['contacts:read']));
    let started = 0;
    its.contacts.answer((request, response, raw) => {
      if (request.headers['x-hold'] === undefined) echo(request, response, raw);
      else started += 1;
    });
    const token = its.authorizer.token(['contacts:read']);
    const head = lines('GET', LIST, [`Authorization: Bearer ${token}`, 'X-Hold: 1']);
    const sockets = Array.from({ length: MOST }, (): Socket => {
      const socket = connect({ port: its.gateway.httpPort, host: '127.0.0.1' });
      socket.write(head);
      return socket;
    });
    await until(() => started === MOST);
    expect((await its.as(token)(LIST)).status).toBe(429);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await its.as(token)(LIST)).status === 200);
    expect((await call(LIST)).status).toBe(200);
  });
});

test('bodies that never come hold nothing of a service, and at most so many of an address are waited for', async () => {
  const started = its.pos.started();
  const head = lines('POST', SESSIONS, ofShop('192.0.2.7', 50));
  const { count, close } = flood(its.gateway.httpPort, 2_050, () => head);
  await until(() => count('429') === 2_050 - MOST);
  expect(its.pos.started()).toBe(started);
  const other = lines('POST', SESSIONS, [...ofShop('198.51.100.9', 2), 'Connection: close']);
  expect(statusesIn(await rawExchange(its.gateway.httpPort, `${other}{}`))).toEqual(['200']);
  close();
});

test('of bodies that hold too much memory together, the oldest are refused, and others are answered', async () => {
  const size = 250_000;
  // 64 MiB, of several callers.
  const fit = Math.floor((64 * 1024 * 1024) / size);
  const body = 'x'.repeat(size);
  const { count, close } = flood(
    its.gateway.httpPort,
    fit + 12,
    (index) => lines('POST', SESSIONS, ofShop(`192.0.2.${100 + (index % 4)}`, size + 1)) + body,
  );
  // Family B answers 500 for what is 503 in family A.
  await until(() => count('500') === 12);
  const other = lines('POST', SESSIONS, [...ofShop('198.51.100.9', size), 'Connection: close']);
  expect(statusesIn(await rawExchange(its.gateway.httpPort, other + body))).toEqual(['200']);
  close();
});
