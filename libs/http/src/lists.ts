import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import type { Caller } from '@boxoffice/identity';
import { type Answer, ok, type Position } from './operation.ts';
import { DEFAULT_LIMIT } from './schemas.ts';

const MAC_BYTES = 16;

const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** Clients without bounds see the same and share theirs; users, clients with bounds and API keys have their own. */
export function formatCursorOwner({ institution, client, user, bounds, isPublic }: Caller): string {
  if (bounds !== null) return JSON.stringify([institution, 'client', client, user?.id ?? null]);
  if (user !== null) return JSON.stringify([institution, 'user', user.id]);
  return isPublic ? JSON.stringify([institution, 'public']) : institution;
}

/** Cursors that hold a position under a signature bound to the operation and the owner: opaque and unforgeable. */
export function createCursorCodec(secret: string | Buffer, operation: string) {
  // With bytes, each signature would cost 25 µs more.
  const key = createSecretKey(Buffer.from(secret));
  const sign = (owner: string, payload: Buffer): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([operation, owner]))
      .update('\0')
      .update(payload)
      .digest()
      .subarray(0, MAC_BYTES);

  return {
    write: (owner: string, { value, id, by, asOf }: Position): string => {
      const payload = Buffer.from(JSON.stringify([value, id, by, asOf]));
      return Buffer.concat([sign(owner, payload), payload]).toString('base64url');
    },
    /** @throws {Fault} `invalid_parameter` unless this very text was written for the owner. */
    read: (owner: string, cursor: string): Position => {
      const bytes = Buffer.from(cursor, 'base64url');
      // Other spellings of the same bytes would make several cursors of one position.
      const isCanonical = BASE64URL.test(cursor) && bytes.toString('base64url') === cursor;
      const payload = bytes.subarray(MAC_BYTES);
      if (!isCanonical || payload.length === 0) throw foreignCursor();
      if (!timingSafeEqual(sign(owner, payload), bytes.subarray(0, MAC_BYTES))) throw foreignCursor();
      const [value, id, by, asOf] = JSON.parse(payload.toString('utf8'));
      return { value, id, by: by ?? undefined, asOf: asOf ?? undefined };
    },
  };
}

const foreignCursor = () =>
  new Fault('invalid_parameter', 'query parameter cursor is not one that this list gave; leave it out to start again.');

/** Milliseconds after its recorded instant within which a write ends: from then on every reader sees it. */
const WRITE_MS = 10_000;
/** Largest difference between the clocks of two instances, in milliseconds. */
const SKEW_MS = 5_000;

/**
 * The next `modifiedSince` (inclusive), for which this reading misses nothing: a write with the instant u is seen
 * within WRITE_MS, by clocks that differ by at most SKEW_MS, so one that is not seen has u > now - WRITE_MS - SKEW_MS.
 */
export function computeAsOf(now: number): string {
  return new Date(now - WRITE_MS - SKEW_MS).toISOString();
}

type Scalar = string | number | boolean | null;

type Condition =
  | Scalar
  | { readonly in: readonly Scalar[] }
  | { readonly ne: Scalar }
  | { readonly gt?: Scalar; readonly gte?: Scalar; readonly lt?: Scalar; readonly lte?: Scalar };

type Where = Readonly<Record<string, Condition>>;

/** A source of lists (structurally the store's `Documents`). */
export interface Listed<Document> {
  find(query: {
    readonly where?: Where;
    readonly orderBy?: string;
    readonly descending?: boolean;
    readonly after?: Position;
    readonly limit?: number;
  }): Promise<readonly Document[]>;
}

export interface PageRequest {
  readonly query: { readonly limit?: number; readonly cursor?: string; readonly modifiedSince?: string };
  readonly cursor: { read(cursor: string | undefined): Position | undefined; write(after: Position): string };
}

interface PageOptions<Document, Item> {
  /** Conditions beyond `modifiedSince`; members that are undefined are no condition. */
  readonly where?: Readonly<Record<string, Condition | undefined>>;
  /** The field that orders the list; default `createdAt`. */
  readonly orderBy?: string;
  readonly descending?: boolean;
  /** The field that `modifiedSince` (inclusive) is about; default `updatedAt`. */
  readonly modifiedAt?: string;
  readonly item: (document: Document) => Item;
}

export interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor: string | null;
}

export interface ChangesPage<Item> extends Page<Item> {
  readonly asOf: string;
}

/** At most `limit` items after `cursor`; the cursor of the next page is null on the last. */
export async function readPage<Document extends { readonly id: string }, Item>(
  request: PageRequest,
  documents: Listed<Document>,
  options: PageOptions<Document, Item>,
): Promise<Answer<Page<Item>>> {
  const { items, nextCursor } = await read(request, documents, options, Date.now());
  return ok({ items, nextCursor });
}

/** Reads a page; `asOf` is that of the first page, for all following pages. */
const read = async <Document extends { readonly id: string }, Item>(
  { query, cursor }: PageRequest,
  documents: Listed<Document>,
  {
    where = {},
    orderBy = 'createdAt',
    descending = false,
    modifiedAt = 'updatedAt',
    item,
  }: PageOptions<Document, Item>,
  now: number,
): Promise<ChangesPage<Item>> => {
  const { limit = DEFAULT_LIMIT, modifiedSince } = query;
  const by = `${descending ? '-' : ''}${orderBy}`;
  const after = cursor.read(query.cursor);
  if (after && after.by !== by) throw foreignCursor();
  const asOf = after?.asOf ?? computeAsOf(now);
  const conditions = { ...where, ...(modifiedSince === undefined ? {} : { [modifiedAt]: { gte: modifiedSince } }) };
  const set = Object.entries(conditions).filter((entry): entry is [string, Condition] => entry[1] !== undefined);
  // One more than requested, to detect a next page.
  const found = await documents.find({
    where: Object.fromEntries(set),
    orderBy,
    descending,
    after: after && { value: after.value, id: after.id },
    limit: limit + 1,
  });
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  const nextCursor = last ? cursor.write({ value: valueAt(last, orderBy), id: last.id, by, asOf }) : null;
  return { items: shown.map(item), nextCursor, asOf };
};

const valueAt = (document: object, path: string): Scalar => {
  const value = path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | null)?.[name], document);
  return (value ?? null) as Scalar;
};

/** As `readPage`, with the `asOf` of the first page. `clock`: epoch milliseconds, of the instants in the documents. */
export async function readChangesPage<Document extends { readonly id: string }, Item>(
  request: PageRequest,
  documents: Listed<Document>,
  { clock, ...options }: PageOptions<Document, Item> & { readonly clock: () => number },
): Promise<Answer<ChangesPage<Item>>> {
  return ok(await read(request, documents, options, clock()));
}
