import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';

const PROGRAM = `
  const { listen } = await import(${JSON.stringify(new URL('../../src/index.ts', import.meta.url).href)});
  const { port } = await listen((request, response) => response.end(), { host: '127.0.0.1', port: 0 });
  process.send(port);
  // From the next message on, the event loop accepts nothing.
  process.once('message', () => {
    process.send('busy', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
  });
`;

/** More than the queue of Node's default has; fewer where the system allows none as long. */
const connections = (): number => {
  try {
    return Math.min(1_500, Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')));
  } catch {
    return 100;
  }
};

test('while the event loop is busy, thousands of connections wait in the queue of the system', async () => {
  const child = spawn(process.execPath, ['--conditions=source', '--input-type=module', '--eval', PROGRAM], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const sockets: Socket[] = [];
  try {
    const [port] = (await once(child, 'message')) as [number];
    child.send('be busy');
    await once(child, 'message');
    for (let index = 0; index < connections(); index++) sockets.push(connect(port, '127.0.0.1'));
    // Without a place in the queue, a connection is not made before the process accepts again: never.
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    expect(sockets.every(({ readyState }) => readyState === 'open')).toBe(true);
  } finally {
    for (const socket of sockets) socket.destroy();
    child.kill('SIGKILL');
  }
});
