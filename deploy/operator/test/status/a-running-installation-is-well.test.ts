import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { operatorOf, temporaryDirectory } from '../program.ts';

const MAIN = new URL('../../../local/src/main.ts', import.meta.url).pathname;
const directory = temporaryDirectory();
let product: ChildProcess | undefined;
afterAll(() => {
  product?.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

const start = async (): Promise<ChildProcess> => {
  const env = {
    PATH: process.env.PATH,
    BOXOFFICE_DATA_DIR: directory,
    BOXOFFICE_DEMO: 'off',
    GATEWAY_PORT: '0',
    GATEWAY_HTTP_PORT: '0',
  };
  const child = spawn('node', ['--conditions=source', MAIN], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  // Read to the end: a program whose output nobody takes cannot write its log.
  const ready = Promise.withResolvers<void>();
  child.stdout.on('data', (text) => {
    if (String(text).includes('is ready')) ready.resolve();
  });
  child.once('close', () => ready.reject(new Error('it ended instead')));
  await ready.promise;
  return child;
};

const OPERATOR = new URL('../../src/main.ts', import.meta.url).pathname;

/** Watches until the second report, then ends as Ctrl-C does. */
const watched = async (): Promise<{ reports: number; status: number | null }> => {
  const env = { PATH: process.env.PATH, BOXOFFICE_DATA_DIR: directory };
  const words = ['--conditions=source', OPERATOR, 'status', '--watch', '--json'];
  const child = spawn('node', words, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const closed = once(child, 'close');
  let out = '';
  child.stdout.on('data', (text) => {
    out += text;
    if (out.split('"problems":').length === 3) child.kill('SIGINT');
  });
  const [status] = await closed;
  return { reports: out.split('"at":').length - 1, status };
};

test('while it runs; and once it was killed, whatever it left behind', async () => {
  const operator = operatorOf(directory);
  product = await start();
  const [status, check, watching] = await Promise.all([
    operator('status', '--json'),
    operator('check', '--json'),
    watched(),
  ]);
  expect(watching.status).toBe(0);
  expect(watching.reports).toBeGreaterThan(1);
  expect(check).toMatchObject({ status: 0 });
  const told = JSON.parse(status.out);
  expect([status.status, told.problems, told.addresses]).toEqual([0, [], 'npm start']);
  const services = ['gateway', 'authorizer', 'catalog', 'contacts', 'orders', 'tickets', 'pos'];
  expect(told.processes.map(({ service }: { service: string }) => service)).toEqual(services);
  for (const { version, state } of told.processes)
    expect([version, state]).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+$/), 'ready']);
  expect((await operator('restore', directory)).status).toBe(1);

  product.kill('SIGKILL');
  await once(product, 'close');
  expect(existsSync(join(directory, 'running.json'))).toBe(true);
  const dead = await operator('status');
  expect([dead.status, dead.out]).toEqual([1, expect.stringContaining('WRONG: boxoffice is not running on')]);
}, 60_000);
