import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rawExchange, until } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';
import { echo } from '../fixtures/upstream.ts';

const LIST = '/svc/v3/contacts/individuals';
/** A twentieth of the requests that a service may have in flight. */
const MOST = 100;
const MOST_OF_CONNECTION = 20;

let its: Installation;
beforeAll(async () => {
  its = await startInstallation({ trustProxy: ['127.0.0.0/8'] });
});
beforeEach(() => {
  its.contacts.answer(echo);
});
afterAll(() => its.close());

const lines = (method: string, path: string, more: readonly string[]): string =>
  `${[`${method} ${path} HTTP/1.1`, 'Host: a', 'X-Forwarded-Proto: https', ...more].join('\r\n')}\r\n\r\n`;

const statusesIn = (answers: string): string[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code = '']) => code);

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
  const path = '/tnwr/v1/sessions';
  const head = (address: string) =>
    lines('POST', path, [`X-Forwarded-For: ${address}`, 'Content-Type: application/json', 'Content-Length: 50']);
  const started = its.pos.started();
  const answers: string[] = [];
  const sockets = Array.from({ length: MOST + 50 }, (): Socket => {
    const socket = connect({ port: its.gateway.httpPort, host: '127.0.0.1' });
    socket.on('data', (data) => answers.push(data.toString('latin1'))).on('error', () => undefined);
    socket.write(head('192.0.2.7'));
    return socket;
  });
  await until(() => answers.length === 50);
  expect(new Set(statusesIn(answers.join('')))).toEqual(new Set(['429']));
  expect(its.pos.started()).toBe(started);
  const other = await rawExchange(
    its.gateway.httpPort,
    `${lines('POST', path, ['X-Forwarded-For: 198.51.100.9', 'Connection: close', 'Content-Length: 2'])}{}`,
  );
  expect(statusesIn(other)).toEqual(['200']);
  for (const socket of sockets) socket.destroy();
});

test('a connection has at most so many pipelined requests that are not answered', async () => {
  const token = its.authorizer.token(['contacts:read']);
  const held: (() => void)[] = [];
  its.contacts.answer((request, response, raw) => void held.push(() => echo(request, response, raw)));
  const one = lines('GET', LIST, [`Authorization: Bearer ${token}`]);
  const last = lines('GET', LIST, [`Authorization: Bearer ${token}`, 'Connection: close']);
  const answered = rawExchange(its.gateway.httpPort, one.repeat(MOST_OF_CONNECTION + 5) + last);
  await until(() => held.length === MOST_OF_CONNECTION);
  for (const answer of held) answer();
  expect(statusesIn(await answered)).toEqual([
    ...Array.from({ length: MOST_OF_CONNECTION }, () => '200'),
    ...Array.from({ length: 6 }, () => '429'),
  ]);
});
