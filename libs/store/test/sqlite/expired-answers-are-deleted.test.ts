import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openFile } from '../../src/sqlite/file.ts';
import { createIdempotency } from '../../src/sqlite/idempotency.ts';
import { startWriterThread } from '../../src/sqlite/writer/thread.ts';

test('pruning removes every expired answer with its subjects, and no other', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-store-'));
  const thread = startWriterThread();
  const file = await openFile(thread, join(directory, 'answers.sqlite'), [], {});
  const keys = createIdempotency(file);
  const answer = { status: 200, headers: {}, body: null, subjects: ['ada', 'grace'] };
  const [past, future] = [Date.now() - 1, Date.now() + 3_600_000];
  const remember = (key: string, expiresAt: number) => keys.remember({ key, fingerprint: 'print', expiresAt }, answer);
  await Promise.all(Array.from({ length: 2500 }, (_, i) => remember(`old-${i}`, past)));
  await remember('new', future);
  await keys.prune();
  expect(file.reader.all('SELECT key FROM "$answers"')).toEqual([['new']]);
  expect(file.reader.all('SELECT subject, key FROM "$subjects"')).toEqual([
    ['ada', 'new'],
    ['grace', 'new'],
  ]);
  keys.stop();
  await file.close();
  await thread.stop();
  rmSync(directory, { recursive: true });
});
