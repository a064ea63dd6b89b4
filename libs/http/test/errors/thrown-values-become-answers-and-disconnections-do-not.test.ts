// rule 7: 500 `internal_error`: uncaught server failure | libs/http/src/answers/outcome.ts

import { once } from 'node:events';
import { connect } from 'node:net';
import { Fault } from '@boxoffice/envelope';
import { StoreUnavailable } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { type Answer, familyA, ok, operation } from '../../src/index.ts';
import { openForSuite, start } from '../fixture.ts';

const thrown = new Map<string, () => unknown>([
  ['fault', () => new Fault('service_unavailable', 'Later.', { 'Retry-After': '7' })],
  ['bug', () => new TypeError('password=hunter2 at line 3')],
  ['text', () => 'a text'],
  ['nothing', () => undefined],
  ['store', () => new StoreUnavailable('MongoDB did not answer within 6000 ms')],
]);

const failing = operation({
  id: 'fail',
  method: 'post',
  path: '/fail/{how}',
  access: 'public',
  summary: 'Fails',
  params: { how: Type.String() },
  answers: { 200: Type.Object({}) },
  example: { params: { how: 'bug' }, answer: {} },
  handle: ({ params }) => {
    throw thrown.get(params.how)?.();
  },
});

const app = openForSuite(() => start([failing]));

const fail = async (how: string) => {
  const answer = await fetch(`${app.url}/fail/${how}`, { method: 'POST' });
  return { http: answer.status, headers: answer.headers, body: await answer.json() };
};

test('a fault becomes an answer with its code, details and headers', async () => {
  const { http, headers, body } = await fail('fault');
  expect([http, headers.get('retry-after'), headers.get('cache-control')]).toEqual([503, '7', 'no-store']);
  expect(body).toEqual({ status: 'service_unavailable', details: 'Later.', data: null });
});

test.each(['bug', 'text', 'nothing'])(
  'any other thrown value becomes internal_error, and only the log has its message: %s',
  async (how) => {
    app.lines.length = 0;
    const { http, body } = await fail(how);
    expect(http).toBe(500);
    expect(body).toMatchObject({ status: 'internal_error', data: null });
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(app.lines[0]).toMatchObject({ message: 'a request failed', fields: { operation: 'fail' } });
    expect(app.lines[0]?.fields.error).toEqual(thrown.get(how)?.());
  },
);

test('an unavailable store becomes service_unavailable, with Retry-After and no internal detail', async () => {
  app.lines.length = 0;
  const { http, headers, body } = await fail('store');
  expect([http, headers.get('retry-after')]).toEqual([503, '2']);
  expect(body).toEqual({
    status: 'service_unavailable',
    details: 'The service cannot reach its data at the moment.',
    data: null,
  });
  const reason = 'MongoDB did not answer within 6000 ms';
  expect(app.lines[0]).toMatchObject({ message: 'the store is unavailable', fields: { operation: 'fail', reason } });
});

test('a family may answer internal_error for an unavailable store', async () => {
  const other = await start([failing], { family: { ...familyA, withoutStore: 'internal_error' } });
  const answer = await fetch(`${other.url}/fail/store`, { method: 'POST' });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([500, '2']);
  expect(await answer.json()).toMatchObject({ status: 'internal_error', data: null });
  await other.close();
});

describe('an answer', () => {
  const answering = (id: string, answer: () => Answer) =>
    operation({
      id,
      method: 'get',
      path: `/${id}`,
      access: 'public',
      summary: 'Answers',
      answers: { 200: Type.Object({ id: Type.String() }) },
      example: { answer: { id: 'a' } },
      handle: answer as () => Answer<{ id: string }>,
    });
  const operations = [
    answering('right', () => ok({ id: 'a' })),
    answering('different', () => ok({ id: 7 })),
    answering('undeclared', () => ({ status: 202, data: { id: 'a' } })),
    answering('split', () => ok({ id: 'a' }, { headers: { 'X-Odd': 'a\r\nb' } })),
    answering('endless', () => ok({ id: 10n })),
  ];

  test.each([
    ['right', 200],
    ['different', 500],
    ['undeclared', 500],
    ['split', 500],
    ['endless', 500],
  ])(
    'that the operation does not declare becomes internal_error, if the app checks answers: %s',
    async (id, status) => {
      const checked = await start(operations, { checkAnswers: true });
      const answer = await fetch(`${checked.url}/${id}`);
      await checked.close();
      expect(answer.status).toBe(status);
      if (status === 500) expect(checked.lines.find(({ message }) => message === 'a request failed')).toBeDefined();
    },
  );
});

const taking = operation({
  id: 'take',
  method: 'post',
  path: '/take',
  access: 'public',
  summary: 'Takes a body',
  body: Type.Object({}),
  answers: { 200: Type.Object({}) },
  example: { body: {}, answer: {} },
  handle: () => ok({}),
});

const taker = openForSuite(() => start([taking]));

const line = async (message: string) => {
  while (!taker.lines.some((logged) => logged.message === message)) await new Promise(setImmediate);
  return taker.lines;
};

test.each(['destroy', 'resetAndDestroy'] as const)(
  'a client that disconnects has its access line and no error line: %s',
  async (leave) => {
    taker.lines.length = 0;
    const { hostname, port } = new URL(taker.url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    const arrived = once(taker.server, 'request');
    socket.write('POST /take HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a"');
    await arrived;
    socket[leave]();
    expect(await line('request')).toEqual([
      { message: 'request', fields: expect.objectContaining({ operation: 'take', status: 499 }) },
    ]);
  },
);

test('a request that is aborted before its body is read ends without an answer', async () => {
  const held = Promise.withResolvers<void>();
  const slow = await start([{ ...taking, access: 'things:read' }], {
    identify: async () => {
      await held.promise;
      const caller = { institution: 'opera', client: 'c', service: null, user: null, bounds: null, isPublic: false };
      return { ...caller, scopes: ['things:read'], operation: 'take' };
    },
  });
  const { hostname, port } = new URL(slow.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  const arrived = once(slow.server, 'request');
  const head = 'POST /take HTTP/1.1\r\nHost: x\r\nX-Internal-Identity: t\r\nContent-Type: application/json\r\n';
  socket.write(`${head}Content-Length: 9\r\n\r\n{"a"`);
  const [request] = await arrived;
  socket.destroy();
  while (!request.destroyed) await new Promise(setImmediate);
  held.resolve();
  while (slow.lines.length === 0) await new Promise(setImmediate);
  expect(slow.lines.map(({ message }) => message)).toEqual(['request']);
  await slow.close();
});
