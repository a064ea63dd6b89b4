import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { StoreUnavailable } from '../../src/index.ts';
import { engineError } from '../../src/sqlite/errors.ts';
import { commitGroup } from '../../src/sqlite/writer/group.ts';
import { isFailure, type Write } from '../../src/sqlite/writer/protocol.ts';

test('a write that has waited for the file for over 8 s is refused, and others are executed', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE notes (id TEXT)');
  const file = { database, prepare: (sql: string) => database.prepare(sql) };
  const now = Date.now();
  const queued = (id: string, at: number): Write => [1, 1, [['INSERT INTO notes (id) VALUES (?)', 'run', [id]]], at];
  const [late, prompt] = commitGroup(file, [queued('late', now - 8_001), queued('prompt', now)]);
  expect(prompt).toBe(1);
  expect(late !== undefined && isFailure(late) && engineError('notes', late)).toBeInstanceOf(StoreUnavailable);
  const rows = database.prepare('SELECT id FROM notes').all();
  expect(rows.map(({ id }) => id)).toEqual(['prompt']);
  database.close();
});
