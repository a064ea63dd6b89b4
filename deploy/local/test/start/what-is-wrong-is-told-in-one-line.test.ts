import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listen } from '@boxoffice/runtime';
import { expect, test } from '@jest/globals';
import { startProgram, temporaryDirectory } from '../program.ts';

const refusal = async (settings: Record<string, string>, directory?: string): Promise<string> => {
  const program = await startProgram(settings, directory);
  expect(await program.ended).toBe(1);
  const lines = program.output().trim().split('\n');
  expect(lines).toHaveLength(1);
  return String(lines[0]);
};

test('a broken setting', async () => {
  expect(await refusal({ RATE_LIMIT_PER_MINUTE: 'many' })).toBe(
    'boxoffice cannot start: RATE_LIMIT_PER_MINUTE: expected a whole number of at least 1, got "many"',
  );
});

test('a data directory that is not writable', async () => {
  const directory = temporaryDirectory();
  const file = join(directory, 'file');
  writeFileSync(file, '');
  expect(await refusal({ BOXOFFICE_DATA_DIR: file })).toBe(
    `boxoffice cannot start: BOXOFFICE_DATA_DIR: the data directory ${file} is not writable: a file of that name is in the way`,
  );
});

test('a damaged certificate', async () => {
  const directory = temporaryDirectory();
  const file = join(directory, 'certificate.pem');
  writeFileSync(file, 'nonsense');
  expect(await refusal({ TLS_CERT_FILE: file, TLS_KEY_FILE: file })).toBe(
    `boxoffice cannot start: TLS_CERT_FILE: ${file} holds no readable certificate`,
  );
});

test('a database that is none', async () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'catalog.sqlite'));
  expect(await refusal({}, directory)).toMatch(/^boxoffice cannot start: BOXOFFICE_DATA_DIR: .*catalog\.sqlite/);
});

test('a port that another program has', async () => {
  const other = await listen(() => undefined, { host: '127.0.0.1', port: 0 });
  expect(await refusal({ GATEWAY_PORT: `${other.port}`, BOXOFFICE_DEMO: 'off' })).toBe(
    `boxoffice cannot start: GATEWAY_PORT: port ${other.port} of 127.0.0.1 is in use by another program`,
  );
  await other.close();
});

test('a data directory that another npm start has', async () => {
  const first = await startProgram({ BOXOFFICE_DEMO: 'off' });
  await first.printed('boxoffice is ready');
  expect(first.output()).toContain('No demo data');
  expect(await refusal({}, first.directory)).toBe(
    `boxoffice cannot start: BOXOFFICE_DATA_DIR: ${first.directory} is in use by another npm start`,
  );
  first.kill('SIGTERM');
  expect(await first.ended).toBe(0);
});
