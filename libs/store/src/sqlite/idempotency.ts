import { repeat } from '@boxoffice/runtime/time';
import type { Idempotency, RememberedAnswer, StoredAnswer } from '../port.ts';
import { createEngineError } from './database.ts';
import type { DatabaseFile } from './file.ts';
import { isFailure, type Step, type Value } from './writer/protocol.ts';

export interface Remembered {
  readonly key: string;
  readonly fingerprint: string;
  readonly expiresAt: number;
  readonly answer: RememberedAnswer;
}

/** The step that takes the key, or finds it taken; an expired key counts as free. */
export function takeKey({ key, fingerprint, expiresAt, answer }: Remembered): Step {
  return [
    `INSERT INTO "$answers" (key, fingerprint, expires_at, answer) VALUES (?, ?, ?, ?)
   ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, expires_at = excluded.expires_at,
   answer = excluded.answer WHERE expires_at <= ?`,
    'must',
    [key, fingerprint, expiresAt, JSON.stringify(answer), Date.now()],
  ];
}

export function isKeyTaken({ reader }: Pick<DatabaseFile, 'reader'>, key: string): boolean {
  return reader.all('SELECT 1 FROM "$answers" WHERE key = ? AND expires_at > ?', [key, Date.now()]).length > 0;
}

/** The step that records the subjects of the answer; after the steps of `forget`, so that it is not deleted itself. */
export function recordSubjects({ key, expiresAt, answer }: Remembered): Step[] {
  const rows = [...new Set(answer.subjects)].map((subject): readonly Value[] => [subject, key, expiresAt]);
  if (rows.length === 0) return [];
  return [['INSERT OR REPLACE INTO "$subjects" (subject, key, expires_at) VALUES (?, ?, ?)', 'each', rows]];
}

/** A reused key has another expiry. */
export function forgetSteps(subject: string): Step[] {
  return [
    [
      `DELETE FROM "$answers" WHERE (key, expires_at) IN (SELECT key, expires_at FROM "$subjects" WHERE subject = ?)`,
      'run',
      [subject],
    ],
    ['DELETE FROM "$subjects" WHERE subject = ?', 'run', [subject]],
  ];
}

const minute = 60_000;

/** The stored answers of a file; expired ones are removed every minute until `stop`. */
export function createIdempotency(file: DatabaseFile): Idempotency & { prune(): Promise<void>; stop(): void } {
  const pruneAll = async () => {
    while (await prune(file));
  };
  const pruning = repeat(pruneAll, {
    everyMs: minute,
    failed: (error) => file.surroundings.logger?.error('expired answers could not be removed', { error }),
  });

  const find = async (key: string): Promise<StoredAnswer | undefined> => {
    const sql = 'SELECT fingerprint, answer FROM "$answers" WHERE key = ? AND expires_at > ?';
    const [row] = file.reader.all(sql, [key, Date.now()]);
    return row && { fingerprint: row[0] as string, answer: JSON.parse(row[1] as string) as RememberedAnswer };
  };

  return {
    find,
    async remember(request, answer) {
      const remembered = { ...request, answer };
      for (;;) {
        const outcome = await file.write([takeKey(remembered), ...recordSubjects(remembered)]);
        if (!isFailure(outcome)) return undefined;
        if (outcome.code !== 0) throw createEngineError(file.path, outcome);
        const earlier = await find(request.key);
        if (earlier) return earlier;
      }
    },
    async forget(subject) {
      await file.write(forgetSteps(subject));
    },
    async trim(subject, most) {
      await file.write(trimSteps(subject, most));
    },
    prune: pruneAll,
    stop: () => void pruning.close(),
  };
}

/** Deletes a thousand expired answers, found by an index; returns whether there may be more. */
const prune = async (file: DatabaseFile): Promise<boolean> => {
  const now = Date.now();
  const deleteExpired = (table: string, key: string): Step => [
    `DELETE FROM "${table}" WHERE (${key}) IN
     (SELECT ${key} FROM "${table}" WHERE expires_at <= ? ORDER BY expires_at LIMIT 1000)`,
    'run',
    [now],
  ];
  const removed = [
    await file.write([deleteExpired('$subjects', 'subject, key')]),
    await file.write([deleteExpired('$answers', 'key')]),
  ];
  return removed.includes(1000);
};

/** The steps that delete the answers about a subject, except the given number that expire last. */
const trimSteps = (subject: string, most: number): Step[] => {
  const over = 'FROM "$subjects" WHERE subject = ? ORDER BY expires_at DESC LIMIT -1 OFFSET ?';
  return [
    [`DELETE FROM "$answers" WHERE (key, expires_at) IN (SELECT key, expires_at ${over})`, 'run', [subject, most]],
    [`DELETE FROM "$subjects" WHERE (subject, key) IN (SELECT subject, key ${over})`, 'run', [subject, most]],
  ];
};
