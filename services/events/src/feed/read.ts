import { Fault } from '@boxoffice/envelope';
import type { Store } from '@boxoffice/store';
import { newestOf } from '../log/log.ts';
import { type EventDocument, eventsCollection } from '../store.ts';

/** Which events of an institution a reader wants. */
export interface Selection {
  /** Absent: all. */
  readonly types?: readonly string[] | undefined;
  /** The id of a resource; absent: any. */
  readonly resource?: string | undefined;
}

/** A stretch of the feed: the selected events, and the sequence up to which everything was looked at. */
export interface Stretch {
  readonly events: readonly EventDocument[];
  readonly upTo: number;
}

/** Reads of the stored events that are not older than the retention. */
export interface Feed {
  /** The sequence of the newest event; 0: there is none. */
  head(institution: string): Promise<number>;
  /** The position before the oldest event. */
  start(institution: string): Promise<number>;
  /**
   * The selected events after a sequence, at most `limit`, of at most {@link WINDOW} events.
   * @throws {Fault} `event_cursor_expired` if an event after it was removed, or it is later than the newest event
   */
  read(institution: string, after: number, selection: Selection, limit: number): Promise<Stretch>;
  get(institution: string, eventId: string): Promise<EventDocument | undefined>;
}

/** Events that one read looks at, however few of them are selected. */
const WINDOW = 2_000;

const expired = () =>
  new Fault(
    'event_cursor_expired',
    'Events after this cursor were removed: read the resources again, and start with after=start.',
  );

/** `retentionMs`: how long events are shown. */
export const createFeed = (store: Pick<Store, 'collection'>, retentionMs: number, now: () => number): Feed => {
  const documents = store.collection(eventsCollection);
  const isShown = ({ recordedAt }: EventDocument): boolean => recordedAt > now() - retentionMs;

  const head = async (institution: string): Promise<number> => (await newestOf(store, institution)).sequence;

  /**
   * `recordedAt` never falls with the sequence: if the first event after a position is there, so are all others. A
   * position that is not reached yet is of before a restore: what follows it will not be what its reader has not seen.
   */
  const requireWhole = async (institution: string, after: number, last: number): Promise<void> => {
    if (after === last) return;
    if (after > last) throw expired();
    const [next] = await documents.of(institution).find({ where: { sequence: after + 1 }, limit: 1 });
    if (!next || !isShown(next)) throw expired();
  };

  return {
    head,
    async start(institution) {
      const shown = { recordedAt: { gt: now() - retentionMs } };
      const [oldest] = await documents.of(institution).find({ where: shown, orderBy: 'sequence', limit: 1 });
      return oldest ? oldest.sequence - 1 : head(institution);
    },
    async read(institution, after, { types, resource }, limit) {
      const last = await head(institution);
      await requireWhole(institution, after, last);
      const upTo = resource === undefined ? Math.min(last, after + WINDOW) : last;
      const where = {
        sequence: { gt: after, lte: upTo },
        ...(types ? { type: { in: types } } : {}),
        ...(resource === undefined ? {} : { 'resource.id': resource }),
      };
      const events = await documents.of(institution).find({ where, orderBy: 'sequence', limit });
      const end = events.length === limit ? events.at(-1)?.sequence : undefined;
      return { events, upTo: end ?? Math.max(after, upTo) };
    },
    async get(institution, eventId) {
      const event = await documents.of(institution).get(eventId);
      return event && isShown(event) ? event : undefined;
    },
  };
};
