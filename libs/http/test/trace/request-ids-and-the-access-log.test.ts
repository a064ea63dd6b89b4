import { getCurrentTrace } from '@boxoffice/runtime';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { ok, operation } from '../../src/index.ts';
import { type Line, openForSuite, start } from '../fixture.ts';

const whoAmI = operation({
  id: 'getTrace',
  method: 'get',
  path: '/trace/{id}',
  access: 'things:read',
  summary: 'Returns the trace',
  params: { id: Type.String() },
  answers: { 200: Type.Unknown() },
  example: { params: { id: 'a' }, answer: {} },
  handle: async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return ok<unknown>(getCurrentTrace());
  },
});

const app = openForSuite(() => start([whoAmI]));
beforeEach(() => {
  app.lines.length = 0;
});

const as = { operation: 'getTrace', scopes: ['things:read'], client: 'cl_7' };
const get = (headers: Record<string, string>) => app.call('/trace/secret?', { as, headers });

const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

test('well-formed ids are adopted, returned, and passed on to whatever the request causes', async () => {
  const answer = await get({ 'X-Request-Id': 'order.17_a-b', traceparent });
  expect(answer.headers.get('x-request-id')).toBe('order.17_a-b');
  expect(answer.headers.get('traceparent')).toBe(traceparent);
  expect(await answer.json()).toMatchObject({ data: { requestId: 'order.17_a-b', traceparent } });
});

test('ids that are not well-formed are replaced', async () => {
  const answer = await get({ 'X-Request-Id': 'a b', traceparent: '00-0-0-0' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.headers.get('traceparent')).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
});

test('errors carry the ids, too', async () => {
  const answer = await fetch(`${app.url}/nowhere`, { headers: { 'X-Request-Id': 'mine' } });
  expect(answer.headers.get('x-request-id')).toBe('mine');
});

describe('the access log', () => {
  /** Lines are written when the connection is done with the answer, shortly after the client has it. */
  const logged = async (count: number): Promise<Line[]> => {
    while (app.lines.length < count) await new Promise((resolve) => setImmediate(resolve));
    return app.lines;
  };

  test('has one line per request, without paths, queries and tokens', async () => {
    await get({ 'X-Request-Id': 'mine' });
    const [line, ...others] = await logged(1);
    expect(others).toEqual([]);
    expect(line).toEqual({
      message: 'request',
      fields: {
        requestId: 'mine',
        client: 'cl_7',
        operation: 'getTrace',
        method: 'GET',
        status: 200,
        durationMs: expect.any(Number),
      },
    });
  });

  test('has only a debug line for a 304 of the description, which gateways request every few seconds', async () => {
    const levels: string[] = [];
    const logAt = (level: string) => () => void levels.push(level);
    const logger = { debug: logAt('debug'), info: logAt('info'), error: logAt('error') };
    const described = await start([whoAmI], { logger });
    const { headers } = await fetch(`${described.url}/openapi.json`);
    await fetch(`${described.url}/openapi.json`, { headers: { 'If-None-Match': String(headers.get('etag')) } });
    // A refusal is logged at the usual level.
    await fetch(`${described.url}/openapi.json?x=1`);
    while (levels.length < 3) await new Promise((resolve) => setImmediate(resolve));
    expect(levels).toEqual(['debug', 'debug', 'info']);
    await described.close();
  });

  test('has one line for a refused request, too', async () => {
    await fetch(`${app.url}/nowhere`);
    await fetch(`${app.url}/trace/a`);
    const lines = await logged(2);
    expect(lines.map(({ fields }) => [fields.operation, fields.client, fields.status])).toEqual([
      ['none', null, 404],
      ['getTrace', null, 401],
    ]);
  });
});
