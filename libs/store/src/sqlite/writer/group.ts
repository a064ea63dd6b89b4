import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { readRows, toFailure } from '../database.ts';
import { type Answer, type Failure, isFailure, readMonotonicMs, type Step, type Write } from './protocol.ts';

export interface WritableFile {
  readonly database: DatabaseSync;
  prepare(sql: string): StatementSync;
}

const busy = 5;
/** Milliseconds that a write waits; then it is refused: one that records its own time must be visible soon. */
const PATIENCE_MS = 8_000;

/** In one transaction, each all or nothing; responds after the commit. If the transaction itself fails, all fail. */
export function commitGroup(file: WritableFile, writes: readonly Write[]): Answer[] {
  const { database } = file;
  try {
    file.prepare('BEGIN IMMEDIATE').run();
    const answers: Answer[] = [];
    for (const write of writes) {
      const answer = runWrite(file, write);
      if (!database.isTransaction) return writes.map(() => (isFailure(answer) ? answer : toFailure('rolled back')));
      answers.push(answer);
    }
    file.prepare('COMMIT').run();
    return answers;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    const failure = toFailure(error);
    return writes.map(() => failure);
  }
}

/** Runs one write inside the open transaction; a failure rolls it back completely. */
const runWrite = (file: WritableFile, [, , steps, queuedAt]: Write): Answer => {
  if (readMonotonicMs() - queuedAt > PATIENCE_MS)
    return { step: -1, code: busy, message: 'the write has waited too long' };
  // A single statement is atomic already; only several need a savepoint.
  const several = steps.length > 1;
  let at = 0;
  try {
    if (several) file.prepare('SAVEPOINT write').run();
    let answer: Answer = 0;
    for (; at < steps.length; at++) {
      const result = perform(file, steps[at] as Step);
      if (result === undefined) {
        if (several) file.database.exec('ROLLBACK TO write; RELEASE write');
        return unmet(at);
      }
      if (at === 0) answer = result;
    }
    if (several) file.prepare('RELEASE write').run();
    return answer;
  } catch (error) {
    // A full disk or an I/O error may have ended the whole transaction; commitGroup handles that.
    if (several && file.database.isTransaction) file.database.exec('ROLLBACK TO write; RELEASE write');
    return toFailure(error, at);
  }
};

const perform = ({ prepare }: WritableFile, [sql, kind, values]: Step): Answer | undefined => {
  const statement = prepare(sql);
  if (kind === 'rows') return readRows(statement, values);
  if (kind === 'each') return values.reduce((changes, row) => changes + Number(statement.run(...row).changes), 0);
  const changes = Number(statement.run(...values).changes);
  return kind === 'must' && changes === 0 ? undefined : changes;
};

const unmet = (step: number): Failure => ({ step, code: 0, message: 'no row changed' });
