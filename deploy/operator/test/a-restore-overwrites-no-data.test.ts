import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalog, createInstitution, listInstitutions } from '@boxoffice/catalog';
import { lockDirectory } from '@boxoffice/local';
import { openSqliteStores } from '@boxoffice/store';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type PutBackOptions, putBack, takeBackup } from '../src/backup.ts';
import { MANIFEST } from '../src/backup-manifest.ts';
import { createOperator } from './program.ts';

const root = mkdtempSync(join(tmpdir(), 'boxoffice-backup-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const data = join(root, 'data');
const backup = join(root, 'backup');
const versions = { catalog: '1.2.3' };
const tell = () => undefined;
const options = (to: string, more: Partial<PutBackOptions> = {}): PutBackOptions => ({
  data: join(root, to),
  versions,
  force: false,
  tell,
  ...more,
});

const institutionsIn = async (directory: string) => {
  const stores = openSqliteStores({ directory });
  const ids = (await listInstitutions(await stores.open('catalog', catalog.collections))).map(({ id }) => id);
  await stores.close();
  return ids;
};

/** A copy of the backup, to be damaged. */
const copyOf = async (name: string): Promise<string> => {
  const copy = join(root, name);
  await takeBackup(copy, { data, versions, tell });
  return copy;
};

beforeAll(async () => {
  const stores = openSqliteStores({ directory: data });
  const store = await stores.open('catalog', catalog.collections);
  await createInstitution(store, { id: 'club', name: 'Club', currency: 'EUR', languages: ['en'] });
  writeFileSync(join(data, 'key-encryption-key'), 'the key\n');
  for (const folder of ['gateway', 'tls']) mkdirSync(join(data, folder));
  writeFileSync(join(data, 'tls', 'key.pem'), 'a key');
  writeFileSync(join(data, 'gateway', 'catalog.json'), '{}');
  for (const name of ['running.json', 'demo.json.4711']) writeFileSync(join(data, name), '{}');
  // The backup runs while the database is open and everything is in its log.
  await takeBackup(backup, { data, versions, tell });
  await stores.close();
});

test('a restore brings back all data, readable by the owner only, and no file of a running process', async () => {
  const { manifest, aside } = await putBack(backup, options('whole'));
  expect(manifest.files.map(({ path }) => path)).toEqual([
    'catalog.sqlite',
    'key-encryption-key',
    join('tls', 'key.pem'),
  ]);
  expect([manifest.versions, manifest.elsewhere, aside]).toEqual([versions, ['SERVICE_ROOT_SECRET'], undefined]);
  expect(readFileSync(join(root, 'whole', 'key-encryption-key'), 'utf8')).toBe('the key\n');
  expect(await institutionsIn(join(root, 'whole'))).toEqual(['club']);
  for (const path of ['whole', 'backup']) expect(statSync(join(root, path)).mode & 0o77).toBe(0);
  for (const path of [join(backup, 'catalog.sqlite'), join(backup, MANIFEST), join(root, 'whole', 'catalog.sqlite')]) {
    expect(statSync(path).mode & 0o777).toBe(0o600);
  }
});

test('a directory that is not empty is refused; with --force its content is moved aside', async () => {
  mkdirSync(join(root, 'full'));
  writeFileSync(join(root, 'full', 'catalog.sqlite'), 'mine');
  await expect(putBack(backup, options('full'))).rejects.toThrow(/is not empty; --force moves its content aside/);
  expect(readFileSync(join(root, 'full', 'catalog.sqlite'), 'utf8')).toBe('mine');
  const { aside = '' } = await putBack(backup, options('full', { force: true }));
  expect(readFileSync(join(aside, 'catalog.sqlite'), 'utf8')).toBe('mine');
  expect(await institutionsIn(join(root, 'full'))).toEqual(['club']);
  await takeBackup(join(root, 'again'), { data: join(root, 'full'), versions, tell });
  expect(existsSync(join(root, 'again', aside.slice(join(root, 'full').length)))).toBe(false);
});

test('a running installation is refused, even with --force', async () => {
  mkdirSync(join(root, 'running'));
  const unlock = await lockDirectory(join(root, 'running'));
  await expect(putBack(backup, options('running', { force: true }))).rejects.toThrow(/in use by another npm start/);
  await unlock();
});

test('damaged, incomplete, foreign and newer backups are refused, and nothing is created', async () => {
  const damaged = await copyOf('damaged');
  appendFileSync(join(damaged, 'catalog.sqlite'), 'x');
  rmSync(join(damaged, 'key-encryption-key'));
  await expect(putBack(damaged, options('nothing'))).rejects.toThrow(
    /catalog.sqlite differs from its checksum; key-encryption-key is missing/,
  );
  const unfinished = await copyOf('unfinished');
  rmSync(join(unfinished, MANIFEST));
  await expect(putBack(unfinished, options('nothing'))).rejects.toThrow(/is no backup, or an unfinished one/);
  const strange = await copyOf('strange');
  const manifest = JSON.parse(readFileSync(join(strange, MANIFEST), 'utf8'));
  writeFileSync(
    join(strange, MANIFEST),
    JSON.stringify({ ...manifest, files: [{ path: '../x', bytes: 1, sha256: '' }] }),
  );
  await expect(putBack(strange, options('nothing'))).rejects.toThrow(/is incomplete/);
  await expect(putBack(backup, options('nothing', { versions: { catalog: '1.2.2' } }))).rejects.toThrow(
    /of a newer version: catalog 1.2.3/,
  );
  expect(existsSync(join(root, 'nothing'))).toBe(false);
});

test('a backup needs a new directory outside the data directory', async () => {
  await expect(takeBackup(backup, { data, versions, tell })).rejects.toThrow(/is not empty/);
  await expect(takeBackup(join(data, 'backup'), { data, versions, tell })).rejects.toThrow(
    /must not lie in the data directory/,
  );
});

test('missing parent directories are created; a failure is reported in one line before the backup', async () => {
  const deep = join(root, 'by', 'date', 'today');
  expect((await takeBackup(deep, { data, versions, tell })).manifest.files).toHaveLength(3);
  expect(statSync(deep).mode & 0o777).toBe(0o700);
  const file = join(root, 'file');
  writeFileSync(file, '');
  const here: readonly (readonly [string, string])[] = [
    [file, 'a part of the path is no directory'],
    [join(file, 'below'), 'a part of the path is no directory'],
  ];
  // Where /proc exists: it reports a newly created directory as missing.
  const proc = ['/proc/x', '/proc/x/y'].map((path) => [path, 'it cannot be created there'] as const);
  for (const [path, reason] of [...here, ...(existsSync('/proc/self') ? proc : [])]) {
    const { status, err } = await createOperator(data)('backup', path);
    expect([path, status, err.trimEnd().split('\n')]).toEqual([
      path,
      1,
      [expect.stringContaining(`${path} cannot be written: ${reason}`)],
    ]);
  }
});

test('a failed backup reports the reason and leaves no directory that looks complete', async () => {
  const broken = join(root, 'broken');
  mkdirSync(broken);
  writeFileSync(join(broken, 'orders.sqlite'), 'no database, whatever its name says');
  const target = join(root, 'of-broken');
  await expect(takeBackup(target, { data: broken, versions, tell })).rejects.toThrow(
    /^there is no backup: database file .*orders\.sqlite: it is corrupted/,
  );
  expect(readdirSync(target)).toEqual([]);
});

test('the commands print a summary; with MongoDB, backup names mongodump', async () => {
  const target = join(root, 'by-command');
  const taken = await createOperator(data)('backup', target, '--json');
  expect([taken.status, JSON.parse(taken.out)]).toEqual([0, expect.objectContaining({ backup: target, files: 3 })]);
  const restored = await createOperator(join(root, 'new'))('restore', target);
  expect([restored.status, restored.out]).toEqual([0, expect.stringContaining('npm start')]);
  const elsewhere = await createOperator(data, { MONGODB_URL: 'mongodb://127.0.0.1:1/x' })(
    'backup',
    join(root, 'mongo'),
  );
  expect([elsewhere.status, elsewhere.err]).toEqual([1, expect.stringContaining('mongodump --oplog')]);
});
