import type { Retentions } from '@boxoffice/service';
import { type Documents, type New, type Store, UniqueViolation } from '@boxoffice/store';
import { type EventDocument, eventsCollection, type RetiredDocument, retiredCollection } from '../store.ts';
import { retiredId } from './positions.ts';

/** Readers hide an event at the end of its retention by their own clocks, which may be behind that of the removal. */
const SKEW_MS = 60_000;

type Retired = Documents<RetiredDocument>;

/** Stores the number, or raises it. */
const raise = async (retired: Retired, { id, last }: New<RetiredDocument>): Promise<void> => {
  try {
    await retired.insert({ id, last });
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    await retired.update(id, (current) => (current.last < last ? { next: { ...current, last } } : undefined));
  }
};

/** The id of the document that remembers an institution's last sequence. */
export const lastSequenceId = (institution: string): string => institution;

/** Remembers what the log still needs of an event that is about to be removed. */
const retire = async (store: Pick<Store, 'collection'>, event: EventDocument): Promise<void> => {
  const { institution, resource, position, sequence } = event;
  const retired = store.collection(retiredCollection).of(institution);
  await raise(retired, { id: retiredId(institution, resource.id), last: position });
  const events = store.collection(eventsCollection).of(institution);
  const [newest] = await events.find({ orderBy: 'sequence', descending: true, limit: 1 });
  if (newest === undefined || newest.sequence <= sequence)
    await raise(retired, { id: lastSequenceId(institution), last: sequence });
};

/** How long the documents of each collection are stored. */
export const retentionOf = (retentionMs: number): Retentions => ({
  events: {
    retained: '30 days (`EVENT_RETENTION_DAYS`)',
    ends: [{ field: 'recordedAt', afterMs: retentionMs + SKEW_MS }],
    along: (store, document) => retire(store, document as EventDocument),
  },
  waiting_facts: { retained: 'until the fact before has arrived' },
  open_streams: {
    retained: 'until the streams of a client at an instance have ended, or 10 s after the instance died',
    ends: [{ field: 'until', afterMs: SKEW_MS }],
  },
  client_contacts: { retained: 'for good, one per order of a client that named a contact: ids only' },
  retired_resources: {
    retained:
      'for good: of each resource whose events were removed the last position, of each institution the last sequence',
  },
});
