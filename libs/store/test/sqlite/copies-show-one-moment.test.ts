import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  collection,
  copySqliteFiles,
  type Document,
  openSqliteStores,
  type SqliteStores,
  type Store,
} from '../../src/index.ts';

const notes = collection<Document & { readonly text?: string }>('notes');
const directory = mkdtempSync(join(tmpdir(), 'boxoffice-snapshot-'));
const fileOf = (name: string) => join(directory, `${name}.sqlite`);

let stores: SqliteStores;
let [first, second]: Store[] = [];
beforeAll(async () => {
  stores = openSqliteStores({ directory });
  [first, second] = [await stores.open('first', [notes]), await stores.open('second', [notes])];
});
afterAll(async () => {
  await stores.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Writes a note into the first file, then its copy into the second, repeatedly; returns the function that stops it. */
const write = (): (() => Promise<number>) => {
  let over = false;
  let written = 0;
  const run = async (worker: number) => {
    while (!over) {
      const id = `${worker}-${written++}-${Math.random()}`;
      await first?.collection(notes).of('x').insert({ id });
      await second?.collection(notes).of('x').insert({ id });
    }
  };
  const all = [1, 2, 3, 4].map(run);
  return async () => {
    over = true;
    await Promise.all(all);
    return written;
  };
};

const idsIn = (path: string): Set<unknown> => {
  const copy = new DatabaseSync(path, { readOnly: true });
  const ids = copy
    .prepare('SELECT id FROM notes')
    .all()
    .map(({ id }) => id);
  copy.close();
  return new Set(ids);
};

/** Resolves when the second file has more than `count` notes, so that the writers make progress. */
const moreThan = async (count: number): Promise<void> => {
  while (((await second?.collection(notes).of('x').count()) ?? 0) <= count) await new Promise(setImmediate);
};

/** Notes that the copy of the second file has, and that of the first does not: no moment has such a state. */
const impossible = (name: string): number => {
  const before = idsIn(join(directory, `first-${name}`));
  return [...idsIn(join(directory, `second-${name}`))].filter((id) => !before.has(id)).length;
};

const copy = (name: string, ...files: readonly string[]) =>
  copySqliteFiles(files.map((file) => ({ from: fileOf(file), to: join(directory, `${file}-${name}`) })));

test('during writes: no copy has a later state than another, and every copy has the acknowledged writes', async () => {
  const stop = write();
  await moreThan(0);
  const acknowledged = (await second?.collection(notes).of('x').find())?.map(({ id }) => id);
  for (const name of ['a', 'b', 'c']) await copy(name, 'second', 'first');
  const written = await stop();
  expect(written).toBeGreaterThan(0);
  for (const name of ['a', 'b', 'c']) {
    expect(impossible(name)).toBe(0);
    for (const id of acknowledged ?? []) expect(idsIn(join(directory, `second-${name}`)).has(id)).toBe(true);
    expect(existsSync(join(directory, `first-${name}-wal`))).toBe(false);
  }
});

test('writes continue while pages are copied', async () => {
  const text = 'x'.repeat(100_000);
  const large = await stores.open('large', [notes]);
  // More pages than one step copies.
  for (let count = 0; count < 100; count += 1)
    await large
      .collection(notes)
      .of('x')
      .insert({ id: `${count}`, text });
  const writer = new DatabaseSync(fileOf('large'), { timeout: 0 });
  let copied = 0;
  const onProgress = () => {
    writer.exec('BEGIN IMMEDIATE; ROLLBACK');
    copied += 1;
  };
  expect(
    await copySqliteFiles([{ from: fileOf('large'), to: join(directory, 'large-a') }], onProgress),
  ).toBeGreaterThan(0);
  writer.close();
  expect(copied).toBeGreaterThan(1);
});

test('control: files that are copied one after the other have different moments', async () => {
  const stop = write();
  await copy('control', 'first');
  // The copy of the first file may have the notes that its four writers had not copied into the second one yet.
  await moreThan(((await second?.collection(notes).of('x').count()) ?? 0) + 4);
  await copy('control', 'second');
  await stop();
  expect(impossible('control')).toBeGreaterThan(0);
});

test('a file that is not a database is reported', async () => {
  await expect(
    copySqliteFiles([{ from: join(directory, 'nowhere.sqlite'), to: join(directory, 'x') }]),
  ).rejects.toThrow(/nowhere\.sqlite/);
});
