import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { authorizer, rotateKeys } from '@boxoffice/authorizer';
import { createLogger, createStop, ensureDevelopmentCertificate, listen, StartFault } from '@boxoffice/runtime';
import { openSqliteStores } from '@boxoffice/store';
import { expect, test } from '@jest/globals';
import { readLocalSettings } from '../src/settings.ts';
import { compose } from '../src/start.ts';
import { createTemporaryDirectory, startProgram } from './program.ts';

/** What a start in this process is refused with; `npm start` prints it after "boxoffice cannot start: ". */
const refusal = async (
  settings: Readonly<Record<string, string>>,
  directory = createTemporaryDirectory(),
): Promise<string> => {
  const logger = createLogger({ service: 'test', level: 'error' });
  const stop = createStop(logger);
  const own = { BOXOFFICE_DATA_DIR: directory, GATEWAY_PORT: '0', GATEWAY_HTTP_PORT: '0', LOG_LEVEL: 'error' };
  try {
    await compose(await readLocalSettings({ ...own, ...settings }), logger, stop);
  } catch (error) {
    // Any other error is printed with its stack.
    if (error instanceof StartFault) return error.message;
    throw error;
  } finally {
    await stop.run();
  }
  throw new Error('it started');
};

test('an invalid setting is reported in one line, with status 1', async () => {
  const program = await startProgram({ RATE_LIMIT_PER_MINUTE: 'many' });
  expect(await program.ended).toBe(1);
  expect(program.output()).toBe(
    'boxoffice cannot start: RATE_LIMIT_PER_MINUTE: expected a whole number of at least 1, got "many"\n',
  );
});

test('a data directory that is not writable is reported', async () => {
  const directory = createTemporaryDirectory();
  const file = join(directory, 'file');
  writeFileSync(file, '');
  expect(await refusal({ BOXOFFICE_DATA_DIR: file })).toBe(
    `BOXOFFICE_DATA_DIR: the data directory ${file} is not writable: a file of that name is in the way`,
  );
});

test('all invalid settings are reported together', async () => {
  const directory = createTemporaryDirectory();
  const settings = {
    BOXOFFICE_DATA_DIR: join(directory, 'unmade'),
    ACCESS_TOKEN_LIFETIME_SECONDS: '0',
    SERVICE_ROOT_SECRET: 'short',
    KEY_ENCRYPTION_KEY_FILE: join(directory, 'nothing'),
    HOST: 'no_host',
    TLS_CERT_FILE: join(directory, 'certificate.pem'),
    GATEWAY_PORT: '9443',
    GATEWAY_HTTP_PORT: '9443',
    RATE_LIMIT_PER_MINUTE: 'many',
  };
  expect((await refusal(settings)).split('\n')).toEqual([
    '8 settings are wrong',
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
  const directory = createTemporaryDirectory();
  const file = join(directory, 'certificate.pem');
  writeFileSync(file, 'nonsense');
  await ensureDevelopmentCertificate(directory);
  const key = join(directory, 'development-key.pem');
  expect(await refusal({ TLS_CERT_FILE: file, TLS_KEY_FILE: key })).toBe(
    `TLS_CERT_FILE: ${file} holds no readable certificate`,
  );
});

test('a file that is no database is reported', async () => {
  const directory = createTemporaryDirectory();
  mkdirSync(join(directory, 'catalog.sqlite'));
  expect(await refusal({}, directory)).toMatch(/^BOXOFFICE_DATA_DIR: .*catalog\.sqlite/);
});

test.each(['GATEWAY_PORT', 'OPERATIONS_PORT'])('%s in use is reported, before the seeding', async (setting) => {
  const directory = createTemporaryDirectory();
  const other = await listen(() => undefined, { host: '127.0.0.1', port: 0 });
  expect(await refusal({ [setting]: `${other.port}` }, directory)).toBe(
    `${setting}: port ${other.port} of 127.0.0.1 is in use by another program`,
  );
  expect(existsSync(join(directory, 'demo.json'))).toBe(false);
  await other.close();
});

test.each(['{}', 'nonsense'])('a demo.json that holds %s', async (content) => {
  const directory = createTemporaryDirectory();
  const file = join(directory, 'demo.json');
  writeFileSync(file, content);
  expect(await refusal({}, directory)).toMatch(new RegExp(`^${file} .*; remove it to get new demo credentials$`));
});

test('a missing or another key encryption key is reported, and the printed remedy works', async () => {
  const directory = createTemporaryDirectory();
  const file = join(directory, 'key-encryption-key');
  const rotate = async (options: { readonly secret: string; readonly compromised?: boolean }) => {
    const stores = openSqliteStores({ directory });
    await rotateKeys(await stores.open(authorizer.name, authorizer.collections), options);
    await stores.close();
  };
  const start = () => refusal({ BOXOFFICE_DEMO: 'off' }, directory);
  const wayOut = `restore ${file} or the setting; if it is lost for good, put a new one there and run npm run operator -- keys rotate --compromised`;

  await rotate({ secret: 'the key of these tests' });
  expect(await start()).toBe(
    `KEY_ENCRYPTION_KEY: is neither set nor stored, but the authorizer's store holds signing keys that are encrypted under it: ${wayOut}`,
  );
  expect(existsSync(file)).toBe(false);
  writeFileSync(file, 'a new key of these tests\n');
  expect(await start()).toBe(
    `KEY_ENCRYPTION_KEY: is not the one that the stored signing keys are encrypted under: ${wayOut}`,
  );
  await rotate({ secret: 'a new key of these tests', compromised: true });
  await expect(start()).rejects.toThrow('it started');
});

test('a full disk during the seeding is reported without a stack', async () => {
  const directory = createTemporaryDirectory();
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

const SCRIPT = new URL('../src/needed-node.mjs', import.meta.url).pathname;

/** Runs the check on a Node that reports another version. */
const onNode = (version: string) => {
  const disguise = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`;
  return spawnSync(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(disguise)}`, SCRIPT], {
    encoding: 'utf8',
  });
};

test('a Node that is too old is reported with the version to install', () => {
  const { status, stderr } = onNode('20.19.0');
  expect(stderr).toMatch(/^boxoffice runs on Node 24\. .* is 20\.19\.0: install Node 24 .*\n$/);
  expect(status).toBe(1);
});

test.each(['24.0.0', '26.3.1'])('Node %s is accepted', (version) => {
  expect(onNode(version)).toMatchObject({ status: 0, stderr: '' });
});

const START = new URL('../src/start.ts', import.meta.url).href;

/** Packages that an installation on embedded engines needs late or never. */
const LATER = [
  'mongodb',
  'amqplib',
  'prom-client',
  '@peculiar/x509',
  'reflect-metadata',
  '@opentelemetry/sdk-trace-base',
  'typebox/build/value',
];

/** Prints the files that an import loads. */
const PROGRAM = `
  import { registerHooks } from 'node:module';
  registerHooks({ load(url, context, next) { console.log(url); return next(url, context); } });
  await import(${JSON.stringify(START)});
`;

test('importing the program loads no package that a default start does not use', async () => {
  const options = ['--conditions=source', '--no-warnings', '--input-type=module', '-e', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, options, { maxBuffer: 10_000_000 });
  const files = stdout.split('\n');
  expect(LATER.filter((name) => files.some((file) => file.includes(`/node_modules/${name}/`)))).toEqual([]);
  expect(files.some((file) => file.includes('/node_modules/express/'))).toBe(true);
});
