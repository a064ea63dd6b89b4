import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deriveServiceSecret } from '@boxoffice/runtime';
import { expect, test } from '@jest/globals';
import { operatorOf, temporaryDirectory } from './program.ts';

const ROOT = 'a root secret of the operator tests';
const PROCESSES = ['gateway', 'catalog', 'contacts', 'orders', 'tickets', 'events', 'pos'];
const directory = temporaryDirectory();

// A missing data directory: the command needs no installation.
const nowhere = join(directory, 'nowhere');
const operator = operatorOf(nowhere, { SERVICE_ROOT_SECRET: ROOT });

test('service-secrets prints the secret of each process, or of one, and creates no files', async () => {
  expect(JSON.parse((await operator('service-secrets', '--json')).out)).toEqual(
    PROCESSES.map((process) => ({ process, secret: deriveServiceSecret(ROOT, process) })),
  );
  expect((await operator('service-secrets', 'pos')).out).toBe(`${deriveServiceSecret(ROOT, 'pos')}\n`);
  expect(existsSync(nowhere)).toBe(false);
});

test('--directory writes them into files that only the owner can read, whatever was there, and prints none', async () => {
  writeFileSync(join(directory, 'pos.service-secret'), 'an earlier one', { mode: 0o644 });
  const { status, out } = await operator('service-secrets', '--directory', directory);
  expect(status).toBe(0);
  for (const process of PROCESSES) {
    const file = join(directory, `${process}.service-secret`);
    expect(readFileSync(file, 'utf8')).toBe(deriveServiceSecret(ROOT, process));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(out).not.toContain(deriveServiceSecret(ROOT, process));
  }
});

test.each([
  ['there is no process shop; there are: gateway,', { SERVICE_ROOT_SECRET: ROOT }, ['service-secrets', 'shop']],
  ['SERVICE_ROOT_SECRET: is not set', {}, ['service-secrets']],
])('refused: %s', async (message, settings, words) => {
  const { status, err } = await operatorOf(nowhere, settings)(...words);
  expect([status, err]).toEqual([1, expect.stringContaining(message)]);
});
