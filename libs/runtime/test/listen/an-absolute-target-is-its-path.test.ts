import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Listening, listen } from '../../src/index.ts';

let listening: Listening;
beforeAll(async () => {
  listening = await listen(
    ({ url, ...request }, response) => {
      const { originalUrl } = request as { readonly originalUrl?: string };
      response.end(JSON.stringify({ url, originalUrl }));
    },
    { host: '127.0.0.1', port: 0 },
  );
});
afterAll(() => listening.close(0));

const seen = async (target: string): Promise<unknown> => {
  const socket = connect(listening.port, '127.0.0.1');
  socket.setEncoding('latin1');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  await once(socket, 'close');
  return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
};

test.each([
  ['http://tickets.example.org/a/b?c=d', '/a/b?c=d'],
  ['HTTPS://tickets.example.org', '/'],
  ['http://tickets.example.org?c', '/?c'],
  ['http://tickets.example.org:port/a', '/a'],
  ['http://[', '/'],
  ['*', '*'],
  ['ftp://tickets.example.org/a', '*'],
])('%s is served as %s, and the application can see what was sent', async (target, url) => {
  expect(await seen(target)).toEqual({ url, originalUrl: target });
});

test('a path is served as it is', async () => {
  expect(await seen('//a/%2F?b')).toEqual({ url: '//a/%2F?b' });
});
