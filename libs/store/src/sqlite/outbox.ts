import { randomUUID } from 'node:crypto';
import type { Surroundings } from '../engines.ts';
import type { Document, Fact, Outbox, OutboxEvent, PastFact } from '../port.ts';
import { createEngineError } from './database.ts';
import { buildEndSteps } from './due.ts';
import type { DatabaseFile } from './file.ts';
import { isFailure, type Step } from './writer/protocol.ts';

// Random for each start of the program, counted within: unique, and next to each other in the index of the outbox.
const start = randomUUID();
let count = 0;

type Trace = Surroundings['trace'];

export function buildEvents(
  facts: readonly Fact[],
  { id, version, institution }: Document,
  trace: Trace,
): OutboxEvent[] {
  return asEvents(
    institution,
    facts.map(({ type, key = id, data }) => ({ type, key, version, data })),
    trace,
  );
}

const asEvents = (institution: string, facts: readonly PastFact[], trace: Trace): OutboxEvent[] => {
  if (facts.length === 0) return [];
  const occurredAt = new Date().toISOString();
  const traceparent = trace?.();
  return facts.map(({ type, key, version, data }) => ({
    id: newEventId(),
    type,
    key,
    version,
    institution,
    occurredAt,
    ...(traceparent === undefined ? {} : { traceparent }),
    data,
  }));
};

const newEventId = () => `${start}-${(++count).toString(36).padStart(8, '0')}`;

export function buildOutboxSteps(events: readonly OutboxEvent[]): Step[] {
  return events.map((event) => [
    'INSERT INTO "$outbox" (id, at, event) VALUES (?, ?, ?)',
    'run',
    [event.id, Date.parse(event.occurredAt), JSON.stringify(event)],
  ]);
}

export function createOutbox(file: DatabaseFile): Outbox {
  return {
    async pending(limit, olderThanMs = 0) {
      const sql = 'SELECT event FROM "$outbox" WHERE at <= ? ORDER BY seq LIMIT ?';
      const rows = file.reader.all(sql, [Date.now() - olderThanMs, limit]);
      return Array.from(rows, ([event]) => JSON.parse(event as string) as OutboxEvent);
    },
    async add(institution, facts) {
      const events = asEvents(institution, facts, file.surroundings.trace);
      const answer = await file.write(buildOutboxSteps(events), events);
      if (isFailure(answer)) throw createEngineError(file.path, answer);
    },
    async done(ids, ended = []) {
      if (ids.length + ended.length === 0) return;
      const sql = 'DELETE FROM "$outbox" WHERE id IN (SELECT value FROM json_each(?))';
      await file.write([[sql, 'run', [JSON.stringify(ids)]], ...buildEndSteps(file, ended)]);
    },
    onCommitted: file.onCommitted,
  };
}
