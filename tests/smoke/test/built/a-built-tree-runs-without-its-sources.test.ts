import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ROOT } from '../../src/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'boxoffice-built-'));
const build = (...words: readonly string[]): SpawnSyncReturns<string> =>
  spawnSync('sh', ['deploy/build', ...words], { cwd: ROOT, encoding: 'utf8', timeout: 1_200_000 });

beforeAll(() => {
  const { status, stdout, stderr } = build(folder, 'contacts');
  if (status !== 0) throw new Error(`${stdout}\n${stderr}`);
}, 1_200_000);
afterAll(() => rmSync(folder, { recursive: true }));

const service = (...words: readonly string[]) => {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const options = { cwd: folder, encoding: 'utf8', env: { PATH: env.PATH, HOME: env.HOME } } as const;
  return spawnSync('npm', ['run', '--silent', 'service', '--', ...words], options);
};

test('it has the JavaScript of a process and its packages, and neither sources nor tests', () => {
  expect(readdirSync(folder).toSorted()).toEqual(['contacts', 'node', 'package.json', 'start.mjs']);
  expect(existsSync(join(folder, 'contacts/dist/main.js'))).toBe(true);
  for (const absent of ['src', 'test']) expect(existsSync(join(folder, 'contacts', absent))).toBe(false);
});

test('its process starts by name: without settings it names the missing ones', () => {
  const { status, stderr } = service('contacts');
  expect([status, stderr]).toEqual([1, expect.stringContaining('MONGODB_URL: is not set')]);
});

test('a process that was not built is named', () => {
  const { status, stderr } = service('orders');
  expect([status, stderr]).toEqual([1, expect.stringContaining('there is no service "orders" in this directory')]);
});

test('neither a directory with something in it nor an unknown service is built', () => {
  expect(build(folder)).toMatchObject({ status: 1, stderr: expect.stringContaining('is not empty') });
  expect(build(join(folder, 'new'), 'order')).toMatchObject({ status: 1, stderr: expect.stringContaining('"order"') });
});
