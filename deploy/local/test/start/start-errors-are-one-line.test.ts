import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { developmentCertificate, listen } from '@boxoffice/runtime';
import { expect, test } from '@jest/globals';
import { startProgram, temporaryDirectory } from '../program.ts';

const refusal = async (settings: Record<string, string>, directory?: string): Promise<string> => {
  const program = await startProgram(settings, directory);
  expect(await program.ended).toBe(1);
  const lines = program.output().trim().split('\n');
  expect(lines).toHaveLength(1);
  return String(lines[0]);
};

test('an invalid setting is reported', async () => {
  expect(await refusal({ RATE_LIMIT_PER_MINUTE: 'many' })).toBe(
    'boxoffice cannot start: RATE_LIMIT_PER_MINUTE: expected a whole number of at least 1, got "many"',
  );
});

test('a data directory that is not writable is reported', async () => {
  const directory = temporaryDirectory();
  const file = join(directory, 'file');
  writeFileSync(file, '');
  expect(await refusal({ BOXOFFICE_DATA_DIR: file })).toBe(
    `boxoffice cannot start: BOXOFFICE_DATA_DIR: the data directory ${file} is not writable: a file of that name is in the way`,
  );
});

test('all invalid settings are reported together', async () => {
  const directory = temporaryDirectory();
  const program = await startProgram({
    BOXOFFICE_DATA_DIR: join(directory, 'unmade'),
    ACCESS_TOKEN_LIFETIME_SECONDS: '0',
    SERVICE_ROOT_SECRET: 'short',
    KEY_ENCRYPTION_KEY_FILE: join(directory, 'nothing'),
    HOST: 'no_host',
    TLS_CERT_FILE: join(directory, 'certificate.pem'),
    GATEWAY_PORT: '9443',
    GATEWAY_HTTP_PORT: '9443',
    RATE_LIMIT_PER_MINUTE: 'many',
  });
  expect(await program.ended).toBe(1);
  expect(program.output().trim().split('\n')).toEqual([
    'boxoffice cannot start: 8 settings are wrong',
    '  TLS_KEY_FILE: is not set, but TLS_CERT_FILE is; they belong together',
    `  TLS_CERT_FILE: ${directory}/certificate.pem cannot be read: it does not exist`,
    '  RATE_LIMIT_PER_MINUTE: expected a whole number of at least 1, got "many"',
    '  ACCESS_TOKEN_LIFETIME_SECONDS: expected a whole number from 1 to 86400, got "0"',
    `  KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY_FILE names ${directory}/nothing, which cannot be read: it does not exist`,
    '  SERVICE_ROOT_SECRET: expected at least 16 characters, got another value (not shown)',
    '  GATEWAY_HTTP_PORT: 9443 is the port of GATEWAY_PORT already; each listener needs its own',
    '  HOST: no_host is no address of this machine',
  ]);
  // Nothing is created before the settings are valid.
  expect(readdirSync(directory)).toEqual([]);
});

test('a damaged certificate is reported', async () => {
  const directory = temporaryDirectory();
  const file = join(directory, 'certificate.pem');
  writeFileSync(file, 'nonsense');
  await developmentCertificate(directory);
  const key = join(directory, 'development-key.pem');
  expect(await refusal({ TLS_CERT_FILE: file, TLS_KEY_FILE: key })).toBe(
    `boxoffice cannot start: TLS_CERT_FILE: ${file} holds no readable certificate`,
  );
});

test('a file that is no database is reported', async () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'catalog.sqlite'));
  expect(await refusal({}, directory)).toMatch(/^boxoffice cannot start: BOXOFFICE_DATA_DIR: .*catalog\.sqlite/);
});

test('a port in use is reported', async () => {
  const other = await listen(() => undefined, { host: '127.0.0.1', port: 0 });
  expect(await refusal({ GATEWAY_PORT: `${other.port}`, BOXOFFICE_DEMO: 'off' })).toBe(
    `boxoffice cannot start: GATEWAY_PORT: port ${other.port} of 127.0.0.1 is in use by another program`,
  );
  await other.close();
});

test('an operations port in use is reported before the seeding', async () => {
  const other = await listen(() => undefined, { host: '127.0.0.1', port: 0 });
  expect(await refusal({ OPERATIONS_PORT: `${other.port}` })).toBe(
    `boxoffice cannot start: OPERATIONS_PORT: port ${other.port} of 127.0.0.1 is in use by another program`,
  );
  await other.close();
});

test('a full disk during the seeding is reported without a stack', async () => {
  const directory = temporaryDirectory();
  // A limit on file sizes simulates a full disk: databases beyond 2 MB cannot be written.
  const program = await startProgram({}, directory, ['sh', '-c', 'ulimit -f 4000; exec "$@"', 'limited']);
  expect(await program.ended).toBe(1);
  const logged = program
    .output()
    .split('\n')
    .filter((line) => !line.startsWith('{') && !line.startsWith('Demo data'));
  expect(logged).toEqual([
    expect.stringMatching(
      /^boxoffice cannot start: the demo data cannot be created: database file .*catalog\.sqlite: /,
    ),
    '',
  ]);
});

test.each(['{}', 'nonsense'])('a demo.json that holds %s', async (content) => {
  const first = await startProgram({ BOXOFFICE_DEMO: 'off' });
  await first.printed('boxoffice is ready');
  first.kill('SIGTERM');
  await first.ended;
  const file = join(first.directory, 'demo.json');
  writeFileSync(file, content);
  expect(await refusal({}, first.directory)).toMatch(
    new RegExp(`^boxoffice cannot start: ${file} .*; remove it to get new demo credentials$`),
  );
});

test('a data directory in use by another npm start is reported', async () => {
  const first = await startProgram({ BOXOFFICE_DEMO: 'off' });
  await first.printed('boxoffice is ready');
  expect(first.output()).toContain('No demo data');
  expect(await refusal({}, first.directory)).toBe(
    `boxoffice cannot start: BOXOFFICE_DATA_DIR: ${first.directory} is in use by another npm start`,
  );
  first.kill('SIGTERM');
  expect(await first.ended).toBe(0);
});
