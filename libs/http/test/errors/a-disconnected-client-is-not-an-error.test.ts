import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { ok, operation } from '../../src/index.ts';
import { forSuite, start } from '../fixture.ts';

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

const app = forSuite(() => start([taking]));

const line = async (message: string) => {
  while (!app.lines.some((logged) => logged.message === message)) await new Promise(setImmediate);
  return app.lines;
};

test.each(['destroy', 'resetAndDestroy'] as const)(
  'a client that disconnects has its access line and no error line: %s',
  async (leave) => {
    app.lines.length = 0;
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    const arrived = once(app.server, 'request');
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
