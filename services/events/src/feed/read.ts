import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import type { Caller } from '@boxoffice/identity';
import type { Store } from '@boxoffice/store';
import { readHead } from '../log/log.ts';
import { type EventDocument, eventsCollection } from '../store.ts';
import { type ClientContacts, type EventBounds, selectVisibleEvents } from './visible.ts';

export interface Selection {
  /** Absent: all. */
  readonly types?: readonly string[] | undefined;
  /** The id of a resource; absent: any. */
  readonly resource?: string | undefined;
  /** Absent: the institution's. */
  readonly bounds?: EventBounds | undefined;
}

/** `upTo`: everything up to this sequence was looked at. */
export interface Stretch {
  readonly events: readonly EventDocument[];
  readonly upTo: number;
}

export interface Feed {
  /** The sequence of the newest event; 0: there is none. */
  head(institution: string): Promise<number>;
  /** The position before the oldest event. */
  start(institution: string): Promise<number>;
  /**
   * At most `limit`, of at most {@link WINDOW} events. @throws {Fault} `event_cursor_expired` if an event after the
   * sequence was removed, or it is later than the newest event
   */
  read(institution: string, after: number, selection: Selection, limit: number): Promise<Stretch>;
  /** Counts after a sequence, up to another. @throws {Fault} as `read` */
  count(institution: string, after: number, until: number, selection: Selection): Promise<number>;
  /** Leaves out events out of the bounds. */
  getAll(institution: string, eventIds: readonly string[], bounds?: EventBounds): Promise<readonly EventDocument[]>;
}

/** One read looks at so many events, however few are selected. */
const WINDOW = 2_000;

/** Events read at once where some may be out of bounds. */
const BATCH = 500;

/** Events are shown for `retentionMs`. */
export function createFeed(
  store: Pick<Store, 'collection'>,
  clientContacts: ClientContacts,
  retentionMs: number,
  now: () => number,
): Feed {
  const documents = store.collection(eventsCollection);
  const isShown = ({ recordedAt }: EventDocument): boolean => recordedAt > now() - retentionMs;

  const head = async (institution: string): Promise<number> => (await readHead(store, institution)).sequence;

  /**
   * `recordedAt` never falls with the sequence: if the first event after a position is there, so are all others. A
   * position that is not reached yet is of before a restore.
   */
  const requireWhole = async (institution: string, after: number, last: number): Promise<void> => {
    if (after === last) return;
    if (after > last) throw createExpiredFault();
    const [next] = await documents.of(institution).find({ where: { sequence: after + 1 }, limit: 1 });
    if (!next || !isShown(next)) throw createExpiredFault();
  };

  const read: Feed['read'] = async (institution, after, { types, resource, bounds }, limit) => {
    const last = await head(institution);
    await requireWhole(institution, after, last);
    const upTo = resource === undefined ? Math.min(last, after + WINDOW) : last;
    const most = bounds ? Math.max(limit, BATCH) : limit;
    const events: EventDocument[] = [];
    for (let from = after; ; ) {
      const where = {
        sequence: { gt: from, lte: upTo },
        ...(types ? { type: { in: types } } : {}),
        ...(resource === undefined ? {} : { 'resource.id': resource }),
      };
      const found = await documents.of(institution).find({ where, orderBy: 'sequence', limit: most });
      events.push(...(await selectVisibleEvents(clientContacts, institution, found, bounds)));
      const end = events[limit - 1]?.sequence;
      if (end !== undefined) return { events: events.slice(0, limit), upTo: end };
      const next = found.at(-1)?.sequence;
      if (next === undefined || found.length < most) return { events, upTo: Math.max(after, upTo) };
      from = next;
    }
  };

  return {
    head,
    async start(institution) {
      const shown = { recordedAt: { gt: now() - retentionMs } };
      const [oldest] = await documents.of(institution).find({ where: shown, orderBy: 'sequence', limit: 1 });
      return oldest ? oldest.sequence - 1 : head(institution);
    },
    read,
    async count(institution, after, until, selection) {
      const { types, bounds } = selection;
      const where = { sequence: { gt: after, lte: until }, ...(types ? { type: { in: types } } : {}) };
      if (!bounds) return documents.of(institution).count(where);
      let count = 0;
      for (let from = after; from < until; ) {
        const { events, upTo } = await read(institution, from, selection, WINDOW);
        count += events.filter(({ sequence }) => sequence <= until).length;
        from = upTo === from ? until : upTo;
      }
      return count;
    },
    async getAll(institution, eventIds, bounds) {
      const found = await documents.of(institution).find({ where: { id: { in: eventIds } } });
      return selectVisibleEvents(clientContacts, institution, found.filter(isShown), bounds);
    },
  };
}

const createExpiredFault = () =>
  new Fault(
    'event_cursor_expired',
    'Events after this cursor were removed: read the resources again, and start with after=start.',
  );

/**
 * An event wakes all followers in one turn of the event loop, and those that have read equally far want the same. A
 * read begins after the turn in which it was first wanted, so that no follower gets what was read before its request.
 * What is read is not to be changed.
 */
export function shareReads(feed: Feed): Feed {
  const wanted = new Map<string, Promise<Stretch>>();
  return {
    ...feed,
    read(institution, after, selection, limit) {
      const key = toKey(institution, after, selection, limit);
      const known = wanted.get(key);
      if (known) return known;
      const stretch = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        wanted.delete(key);
        return feed.read(institution, after, selection, limit);
      });
      wanted.set(key, stretch);
      return stretch;
    },
  };
}

const toKey = (institution: string, after: number, { types, resource, bounds }: Selection, limit: number): string =>
  JSON.stringify([institution, after, types ?? null, resource ?? null, bounds ?? null, limit]);

/** The position before the oldest event that is kept. */
export const START = 'start';

/** A cursor is opaque and signed. */
export type EventCursors = ReturnType<typeof createEventCursors>;

const MAC_BYTES = 12;
const SEQUENCE_BYTES = 8;
const IV_BYTES = 12;
const TAG_BYTES = 16;

type Reader = Pick<Caller, 'institution' | 'client'>;

/**
 * Keys follow from the service's secret. Cursors of a client with bounds are encrypted for it alone, each time anew:
 * two of them show neither whether nor how far the feed has moved between.
 */
export function createEventCursors(serviceSecret: string) {
  const derive = (name: string) => Buffer.from(hkdfSync('sha256', serviceSecret, '', name, 32));
  const key = derive('boxoffice cursors of the event feed');
  const secretKey = derive('boxoffice encrypted cursors of the event feed');
  const sign = (institution: string, position: Buffer): Buffer =>
    createHmac('sha256', key).update(institution).update('\0').update(position).digest().subarray(0, MAC_BYTES);
  const serialiseOwner = ({ institution, client }: Reader) => Buffer.from(JSON.stringify([institution, client]));

  const encrypt = (reader: Reader, position: Buffer): Buffer => {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', secretKey, iv).setAAD(serialiseOwner(reader));
    const text = Buffer.concat([cipher.update(position), cipher.final()]);
    return Buffer.concat([iv, text, cipher.getAuthTag()]);
  };

  const decrypt = (reader: Reader, bytes: Buffer): Buffer => {
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv('aes-256-gcm', secretKey, bytes.subarray(0, IV_BYTES), options);
    decipher.setAAD(serialiseOwner(reader)).setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch {
      throw createForeignFault();
    }
  };

  return {
    /** The position is behind the event of this sequence; 0: before the first one. */
    write(institution: string, sequence: number, bounds: EventBounds | undefined): string {
      const position = Buffer.alloc(SEQUENCE_BYTES);
      position.writeBigUInt64BE(BigInt(sequence));
      const bytes = bounds
        ? encrypt({ institution, client: bounds.client }, position)
        : Buffer.concat([position, sign(institution, position)]);
      return bytes.toString('base64url');
    },
    /** @throws {Fault} `invalid_parameter` unless the cursor is of the institution, or of this client of it */
    read(reader: Reader, cursor: string): number {
      const bytes = Buffer.from(cursor, 'base64url');
      if (bytes.toString('base64url') !== cursor) throw createForeignFault();
      if (bytes.length === IV_BYTES + SEQUENCE_BYTES + TAG_BYTES)
        return Number(decrypt(reader, bytes).readBigUInt64BE());
      const position = bytes.subarray(0, SEQUENCE_BYTES);
      if (bytes.length !== SEQUENCE_BYTES + MAC_BYTES) throw createForeignFault();
      if (!timingSafeEqual(sign(reader.institution, position), bytes.subarray(SEQUENCE_BYTES)))
        throw createForeignFault();
      return Number(position.readBigUInt64BE());
    },
  };
}

const createForeignFault = () =>
  new Fault('invalid_parameter', 'This cursor is not one that the events of this institution gave.');
