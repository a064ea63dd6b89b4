import { Fault } from '@boxoffice/envelope';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { operation } from '../../src/index.ts';
import { type Started, start } from '../fixture.ts';

const thrown = new Map<string, () => unknown>([
  ['fault', () => new Fault('service_unavailable', 'Later.', { 'Retry-After': '7' })],
  ['bug', () => new TypeError('password=hunter2 at line 3')],
  ['text', () => 'a text'],
  ['nothing', () => undefined],
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

let app: Started;
beforeAll(async () => {
  app = await start([failing]);
});
afterAll(() => app.close());

const fail = async (how: string) => {
  const answer = await fetch(`${app.url}/fail/${how}`, { method: 'POST' });
  return { http: answer.status, headers: answer.headers, body: await answer.json() };
};

test('a fault gives its code, details and headers', async () => {
  const { http, headers, body } = await fail('fault');
  expect([http, headers.get('retry-after'), headers.get('cache-control')]).toEqual([503, '7', 'no-store']);
  expect(body).toEqual({ status: 'service_unavailable', details: 'Later.', data: null });
});

test.each(['bug', 'text', 'nothing'])('anything else is internal_error, told to the log only: %s', async (how) => {
  app.lines.length = 0;
  const { http, body } = await fail(how);
  expect(http).toBe(500);
  expect(body).toMatchObject({ status: 'internal_error', data: null });
  expect(JSON.stringify(body)).not.toContain('hunter2');
  expect(app.lines[0]).toMatchObject({ message: 'a request failed', fields: { operation: 'fail' } });
  expect(app.lines[0]?.fields.error).toEqual(thrown.get(how)?.());
});
