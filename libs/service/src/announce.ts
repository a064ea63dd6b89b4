import {
  type CollectionHandle,
  type Document,
  type DueChange,
  type Fact,
  keepByKey,
  type New,
  UniqueViolation,
  wrapCollection,
  wrapMethods,
} from '@boxoffice/store';
import { Type } from 'typebox';

/** Neither personal data nor a barcode, nor free text but the reference by which a partner knows its order. */
export interface Announcement {
  readonly type: string;
  readonly resource: { readonly type: string; readonly id: string };
  readonly data: object;
  /** Whose it is, for clients with bounds; absent: no such client's, but for what is the whole institution's. */
  readonly belongsTo?: BelongsTo;
  /** The version that the event tells of, if that is an earlier one than the write's, which nobody could see. */
  readonly version?: number;
}

/** Which clients with bounds may see an event (platform, section 8). */
export interface BelongsTo {
  /** The clients that made the resource, or whose orders name it. */
  readonly clientIds: string[];
  /** As service host; absent where a resource has none, null where the order has none. */
  readonly pointOfSale?: string | null;
}

interface AnnouncedEvent extends Announcement {
  readonly version: number;
  /** Grows with every announcement about the resource, also within one write. */
  readonly position: number;
  /** The position of the announcement about the resource before this one; null: there was none. */
  readonly before: number | null;
  /** The announcement was made before, and `before` is left out. Absent: it is new. */
  readonly again?: true;
}

export function createAnnouncementSchema(description: string) {
  return Type.Object(
    {
      event: Type.Object({
        type: Type.String(),
        resource: Type.Object({ type: Type.String(), id: Type.String() }),
        version: Type.Integer({ minimum: 1 }),
        position: Type.Integer({ minimum: 1 }),
        before: Type.Union([Type.Integer(), Type.Null()]),
        data: Type.Object({}, { additionalProperties: true }),
        belongsTo: Type.Optional(
          Type.Object({
            clientIds: Type.Array(Type.String()),
            pointOfSale: Type.Optional(Type.Union([Type.String(), Type.Null()])),
          }),
        ),
        again: Type.Optional(Type.Literal(true)),
      }),
    },
    { description },
  );
}

export function createAnnouncementExample(announcement: Announcement): { readonly event: AnnouncedEvent } {
  return {
    event: { ...announcement, version: 3, position: 3 * PER_WRITE, before: 2 * PER_WRITE },
  };
}

interface LastAnnouncement {
  readonly type: string;
  readonly version: number;
  readonly position: number;
  /** Positions of the last ones about its parts, by their id. */
  readonly parts?: Readonly<Record<string, number>>;
}

export type Announced = Document & { readonly lastAnnouncement?: LastAnnouncement };

/** `before` is undefined for an insert. Also about its parts, such as the payments of an order. */
type Announce<T extends Document> = (before: T | undefined, after: T) => readonly Announcement[];

const PER_WRITE = 10;

const WIDTH = 50;

/** Called after a write, for metrics; `before` is undefined for an insert. */
export type OnWritten<T extends Document> = (before: T | undefined, after: T) => void;

interface AnnouncingOptions<T extends Document> {
  readonly onWritten?: OnWritten<T> | undefined;
  /** `before` is undefined for an insert. What the write says itself comes first. */
  readonly follow?: (before: T | undefined, after: T) => DueChange;
}

/** The only way of a service to the documents, so that no write can forget its fact or the work that follows. */
export function announceWrites<T extends Announced>(
  handle: CollectionHandle<T>,
  factType: string,
  announce: Announce<T>,
  { onWritten = () => {}, follow = () => ({}) }: AnnouncingOptions<T> = {},
): CollectionHandle<T> {
  const addFacts = (before: T | undefined, after: T): { next: T; facts: Fact[] } => {
    let last = before?.lastAnnouncement;
    let parts = last?.parts;
    const facts = announce(before, after).map((announcement, index) => {
      const { type, resource, data, belongsTo, version = after.version } = announcement;
      const position = version * PER_WRITE + index;
      const isOwn = resource.id === after.id;
      const event = { type, resource, data, ...(belongsTo && { belongsTo }), version, position };
      const previous = isOwn ? last?.position : parts?.[resource.id];
      if (isOwn) last = { type, version, position };
      else parts = { ...parts, [resource.id]: position };
      return announcementFact(factType, { ...event, before: previous ?? null });
    });
    const { lastAnnouncement: _, ...rest } = after as Announced;
    const lastAnnouncement = last && { ...last, ...(parts && { parts }) };
    return { next: (lastAnnouncement ? { ...rest, lastAnnouncement } : rest) as T, facts };
  };

  const changing = wrapCollection(handle, {
    update: (update) => async (id, fn, options) => {
      let before: T | undefined;
      const change = (current: T) => {
        const changed = fn(current);
        before = changed && current;
        if (!changed) return undefined;
        const { version } = current;
        const after = { ...changed.next, version: version + 1, institution: current.institution } as T;
        const { next, facts } = addFacts(current, after);
        const events = [...(changed.events ?? []), ...facts];
        return { ...changed, next, events, ...withFollowing(follow(current, next), changed.due) };
      };
      const after = await update(id, change, options);
      if (before && after) onWritten(before, after);
      return after;
    },
  });
  return {
    ...changing,
    of: keepByKey((institution) =>
      wrapMethods(changing.of(institution), {
        insert:
          (insert) =>
          async (document, options = {}) => {
            const { next, facts } = addFacts(undefined, { ...document, version: 1, institution } as T);
            const events = [...(options.events ?? []), ...facts];
            const following = withFollowing(follow(undefined, next), options.due);
            const inserted = await insert(next, { ...options, events, ...following });
            onWritten(undefined, inserted);
            return inserted;
          },
        insertMany: (_, wrapped) => async (many, options) => {
          const insertNew = (document: New<T>) =>
            wrapped.insert(document, options).then(
              () => 1,
              (error: unknown) => {
                if (error instanceof UniqueViolation && error.index === 'id') return 0;
                throw error;
              },
            );
          let inserted = 0;
          for (let start = 0; start < many.length; start += WIDTH)
            for (const count of await Promise.all(many.slice(start, start + WIDTH).map(insertNew))) inserted += count;
          return inserted;
        },
        insertInOrder: (_, wrapped) => async (many) => {
          for (const document of many) await wrapped.insert(document);
        },
      }),
    ),
  };
}

const announcementFact = (type: string, event: AnnouncedEvent): Fact => ({ type, data: { event } });

const withFollowing = (following: DueChange, said: DueChange | undefined): { readonly due?: DueChange } => {
  const due = { ...following, ...said };
  return Object.keys(due).length > 0 ? { due } : {};
};

/** The last announcement of a document once more, for events that were lost; undefined: it has none. */
export function repeatAnnouncement(
  { lastAnnouncement, id }: Announced,
  factType: string,
  data: { readonly resource: string } & Pick<Announcement, 'data' | 'belongsTo'>,
): Fact | undefined {
  if (!lastAnnouncement) return undefined;
  const { parts: _, ...last } = lastAnnouncement;
  return announcementFact(factType, {
    ...last,
    before: null,
    again: true,
    resource: { type: data.resource, id },
    data: data.data,
    ...(data.belongsTo && { belongsTo: data.belongsTo }),
  });
}
