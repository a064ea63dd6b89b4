import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { findFreePort } from '../fixture.ts';

const script = `
import { runService } from '@boxoffice/service';
await runService({ name: 'notes', version: '0', collections: [], operations: () => [] });
`;

const required = { SERVICE_SECRET: 'a secret of the tests', AUTHORIZER_URL: 'http://127.0.0.1:1' };

/** Runs the script with these settings. */
const run = (env: Readonly<Record<string, string>>) =>
  spawn(process.execPath, ['--conditions=source', '--input-type=module', '--eval', script], {
    cwd: new URL('../../../../deploy/local', import.meta.url).pathname,
    env: { ...required, ...env },
  });

const portOf = (server: ReturnType<typeof createServer>): number => (server.address() as AddressInfo).port;

/** Whether the port accepts connections. */
const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => socket.destroy()).once('connect', () => socket.destroy());
  });

test('the port is closed until the first attempt to open the database; then an instance without it reports that', async () => {
  const database = createServer().listen(0, '127.0.0.1');
  const connections: Socket[] = [];
  const arrived = new Promise<void>((resolve) => {
    database.on('connection', (socket) => {
      connections.push(socket.on('error', () => undefined));
      resolve();
    });
  });
  await once(database, 'listening');
  const port = await findFreePort();
  const child = run({
    PORT: String(port),
    MONGODB_URL: `mongodb://127.0.0.1:${portOf(database)}/?directConnection=true&serverSelectionTimeoutMS=6000`,
    AMQP_URL: 'amqp://127.0.0.1:1',
  });
  for (const stream of [child.stdout, child.stderr]) stream.resume();
  const ended = once(child, 'close');
  // The start has done everything before the database, which accepts the connection and does not respond for 6 s.
  await arrived;
  expect(await accepts(port)).toBe(false);

  await new Promise((resolve) => {
    database.close(resolve);
    for (const socket of connections) socket.destroy();
  });
  while (!(await accepts(port))) await new Promise((resolve) => setTimeout(resolve, 20));
  const health = await fetch(`http://127.0.0.1:${port}/health/ready`);
  expect([health.status, await health.json()]).toEqual([
    503,
    { status: 'starting', waitingFor: expect.arrayContaining(['store']) },
  ]);
  child.kill('SIGTERM');
  await ended;
});

test('without MONGODB_URL and AMQP_URL it does not start, and the message names both', async () => {
  const child = run({});
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => printed.push(text));
  const [status] = await once(child, 'close');
  expect(status).toBe(1);
  expect(printed.join('').trim().split('\n')).toEqual([
    'boxoffice cannot start: 2 settings are wrong',
    expect.stringMatching(
      /^ {2}MONGODB_URL: is not set; a standalone service needs MongoDB, since the embedded engines/,
    ),
    expect.stringMatching(/^ {2}AMQP_URL: is not set; a standalone service needs RabbitMQ, since the embedded engines/),
  ]);
});
