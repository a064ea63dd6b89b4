import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { collection, type Document, openSqliteStores, StoreUnavailable } from '../../src/index.ts';
import { createEngineError } from '../../src/sqlite/database.ts';
import { type DatabaseFile, openFile } from '../../src/sqlite/file.ts';
import { describeTable } from '../../src/sqlite/schema.ts';
import { commitGroup } from '../../src/sqlite/writer/group.ts';
import { isFailure, readMonotonicMs, type Step, type Write } from '../../src/sqlite/writer/protocol.ts';
import { startWriterThread, type WriterThread } from '../../src/sqlite/writer/thread.ts';

interface Note extends Document {
  readonly text: string;
}
const notes = collection<Note>('notes', [{ name: 'by_text', fields: ['text'] }]);

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'boxoffice-store-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));

const insert = (id: string, text: string): Step => [
  'INSERT INTO notes (id, institution, version, body) VALUES (?, ?, 1, ?)',
  'run',
  [id, 'inst', JSON.stringify({ id, text })],
];

const openNotes = async (use: (file: DatabaseFile, thread: WriterThread) => Promise<void>) => {
  const thread = startWriterThread();
  const file = await openFile(thread, join(directory, 'notes.sqlite'), [describeTable(notes)], {});
  try {
    await use(file, thread);
  } finally {
    await file.close();
    await thread.stop();
  }
};

const opening = async (name: string, where = directory) => {
  const stores = openSqliteStores({ directory: where });
  try {
    await stores.open(name, [notes]);
  } finally {
    await stores.close();
  }
};

test('a directory that cannot be created is named', async () => {
  writeFileSync(join(directory, 'file'), '');
  await expect(opening('notes', join(directory, 'file', 'data'))).rejects.toThrow(
    /data directory .*file.data: ENOTDIR/,
  );
});

test('a file that cannot be opened is named, with the reason', async () => {
  mkdirSync(join(directory, 'notes.sqlite'));
  await expect(opening('notes')).rejects.toThrow(/notes\.sqlite: it cannot be opened/);
});

test('a file that is not a database is named as corrupted', async () => {
  writeFileSync(
    join(directory, 'notes.sqlite'),
    'this is a text, and a long one, where a header is expected '.repeat(100),
  );
  await expect(opening('notes')).rejects.toThrow(/notes\.sqlite: it is corrupted, or not a database/);
});

test('a file that is damaged while in use is named as corrupted by reads and writes', async () => {
  await openNotes(async (file) => {
    await file.write(Array.from({ length: 200 }, (_, i) => insert(`n${i}`, 'x'.repeat(1000))));
  });
  const path = join(directory, 'notes.sqlite');
  const content = readFileSync(path);
  content.fill(0xaa, 8192);
  writeFileSync(path, content);
  const thread = startWriterThread();
  const outcome = openFile(thread, path, [describeTable(notes)], {}).then(async (file) => {
    try {
      file.reader.all('SELECT count(body) FROM notes NOT INDEXED');
    } finally {
      await file.close();
    }
  });
  await expect(outcome).rejects.toThrow(/notes\.sqlite: it is corrupted/);
  await thread.stop();
});

test('on a full disk every write that does not fit is refused with that reason, and acknowledged writes stay', async () => {
  await openNotes(async (file) => {
    await file.write([['PRAGMA max_page_count = 40', 'rows', []]]);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, i) => file.write([insert(`n${i}`, 'x'.repeat(2000)), insert(`m${i}`, '')])),
    );
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    expect(refused.length).toBeGreaterThan(0);
    for (const reason of refused) expect(reason).toMatch(/StoreUnavailable: .*notes\.sqlite: the disk is full/);
    const stored = file.reader.all('SELECT count(*) FROM notes');
    expect(stored).toEqual([[2 * (100 - refused.length)]]);
    await file.write([['PRAGMA max_page_count = 100000', 'rows', []]]);
    expect(await file.write([insert('later', 'fits again')])).toBe(1);
  });
});

test('when the writer thread dies, pending writes, later writes and ping reject, and close resolves', async () => {
  await openNotes(async (file, thread) => {
    await file.write([insert('before', 'x')]);
    const pending = ['a', 'b'];
    const outcomes = Promise.allSettled(pending.map((id) => file.write([insert(id, 'x')])));
    await thread.stop();
    const stored = file.reader.all('SELECT id FROM notes').flat();
    for (const [index, one] of (await outcomes).entries()) {
      // The thread may have been faster.
      if (one.status === 'fulfilled') expect(stored).toContain(pending[index]);
      else expect(String(one.reason)).toMatch(/the SQLite writer thread has ended/);
    }
    await expect(file.write([insert('c', 'x')])).rejects.toThrow(/the SQLite writer thread has ended/);
    await expect(file.ping()).rejects.toThrow(/the SQLite writer thread has ended/);
    // Whether the pending writes were committed is unknown, as after any crash.
    expect(file.reader.all('SELECT id FROM notes')).toContainEqual(['before']);
  });
});

test('of the writes that share a commit, one that fails does not affect the others', async () => {
  await openNotes(async (file) => {
    await file.write([insert('taken', 'x')]);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        file.write([insert(`p${i}`, 'x'), insert(i % 5 === 0 ? 'taken' : `q${i}`, 'x')]),
      ),
    );
    expect(answers.filter((one) => one === 1)).toHaveLength(16);
    expect(answers.filter((one) => typeof one === 'object')).toHaveLength(4);
    expect(file.reader.all('SELECT count(*) FROM notes')).toEqual([[33]]);
  });
});

test('a file that is locked for longer than the engine waits, or on a full disk, is unavailable; a damaged one is not', () => {
  for (const code of [5, 261, 6]) {
    const error = createEngineError('notes.sqlite', { code, message: 'database is locked', step: 0 });
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error.message).toMatch(/notes\.sqlite: another process keeps it locked/);
  }
  for (const code of [13, 10, 4874]) {
    expect(createEngineError('notes.sqlite', { code, message: 'no space', step: 0 })).toBeInstanceOf(StoreUnavailable);
  }
  expect(createEngineError('notes.sqlite', { code: 11, message: 'malformed', step: 0 })).not.toBeInstanceOf(
    StoreUnavailable,
  );
});

test('a write that has waited for the file for over 8 s is refused, and others are executed', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE notes (id TEXT)');
  const file = { database, prepare: (sql: string) => database.prepare(sql) };
  const now = readMonotonicMs();
  const queued = (id: string, at: number): Write => [1, 1, [['INSERT INTO notes (id) VALUES (?)', 'run', [id]]], at];
  const [late, prompt] = commitGroup(file, [queued('late', now - 8_001), queued('prompt', now)]);
  expect(prompt).toBe(1);
  expect(late !== undefined && isFailure(late) && createEngineError('notes', late)).toBeInstanceOf(StoreUnavailable);
  const rows = database.prepare('SELECT id FROM notes').all();
  expect(rows.map(({ id }) => id)).toEqual(['prompt']);
  database.close();
});

test('a write is not refused for its wait because the clock of the host was set', () =>
  openNotes(async (file) => {
    const behind = Date.now() - 3_600_000;
    const spy = jest.spyOn(Date, 'now').mockReturnValue(behind);
    try {
      expect(await file.write([insert('one', 'a')])).toBe(1);
    } finally {
      spy.mockRestore();
    }
  }));
