import { randomUUID } from 'node:crypto';
import type { Document, Fact, Outbox, OutboxEvent } from '../port.ts';
import type { DatabaseFile } from './file.ts';
import type { Step } from './protocol.ts';

// Random for each start of the program, counted within: unique, and next to each other in the index of the outbox.
const start = randomUUID();
let count = 0;
const newEventId = () => `${start}-${(++count).toString(36).padStart(8, '0')}`;

/** The facts of a write as events of the document that it writes. */
export const eventsOf = (
  facts: readonly Fact[],
  document: Document,
  trace: (() => string | undefined) | undefined,
): OutboxEvent[] => {
  if (facts.length === 0) return [];
  const occurredAt = new Date().toISOString();
  const traceparent = trace?.();
  return facts.map(({ type, key, data }) => ({
    id: newEventId(),
    type,
    key: key ?? document.id,
    version: document.version,
    institution: document.institution,
    occurredAt,
    ...(traceparent === undefined ? {} : { traceparent }),
    data,
  }));
};

/** The steps that put events into the outbox, in their order. */
export const outboxSteps = (events: readonly OutboxEvent[]): Step[] =>
  events.map((event) => [
    'INSERT INTO "$outbox" (id, at, event) VALUES (?, ?, ?)',
    'run',
    [event.id, Date.parse(event.occurredAt), JSON.stringify(event)],
  ]);

/** The outbox of a file. */
export const createOutbox = (file: DatabaseFile): Outbox => ({
  async pending(limit, olderThanMs = 0) {
    const sql = 'SELECT event FROM "$outbox" WHERE at <= ? ORDER BY seq LIMIT ?';
    const rows = file.reader.all(sql, [Date.now() - olderThanMs, limit]);
    return Array.from(rows, ([event]) => JSON.parse(event as string) as OutboxEvent);
  },
  async done(ids) {
    if (ids.length === 0) return;
    const sql = 'DELETE FROM "$outbox" WHERE id IN (SELECT value FROM json_each(?))';
    await file.write([[sql, 'run', [JSON.stringify(ids)]]], 0);
  },
  onCommitted: (listener) => file.onCommitted(listener),
});
