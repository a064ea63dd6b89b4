import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Installation, startInstallation } from '../installation.ts';

let installation: Installation;
beforeAll(async () => {
  installation = await startInstallation();
});
afterAll(() => installation.close());

const FORM = 'application/x-www-form-urlencoded';

test.each([
  ['a plain token request', '/auth/token', FORM, 'Content-Length: 99'],
  ['a chunked token request', '/auth/token', FORM, 'Transfer-Encoding: chunked'],
  ['an introspection request', '/auth/introspect', FORM, 'Content-Length: 99'],
  ["a service's request", '/internal/decisions', 'application/json', 'Content-Length: 99'],
])('%s whose body does not arrive completely has no error line', async (_name, path, type, framing) => {
  const { port } = new URL(installation.url);
  for (const leave of ['end', 'destroy', 'resetAndDestroy'] as const) {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\n${framing}\r\n\r\n3\r\n`;
    await new Promise<void>((resolve) => socket.write(head, () => resolve()));
    // A later request on another connection is answered, so the first one has been handled.
    await installation.get('/auth/jwks');
    socket[leave]();
    socket.resume();
    await closed;
    expect((await installation.get('/auth/jwks')).status).toBe(200);
  }
  expect(installation.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
});
