/**
 * The store: documents in named collections, and the guarantees of both engines (tested by libs/store/src/conformance).
 *
 * - A write is durable before it is acknowledged (SQLite: WAL with synchronous=FULL; MongoDB: w=majority, j=true).
 * - A write is atomic with the events it causes and with the idempotency record it carries: all of them or none.
 * - Every document has a `version`, 1 after insert, one more after each write; updates are compare-and-swap on it.
 * - A read that starts after a write was acknowledged sees it (MongoDB: reads go to the primary at majority).
 * - There is no transaction over several documents; order the writes so that a crash between them is harmless.
 * - Every collection belongs to tenants: `of(institution)` reads and writes that institution's documents only.
 * - An id is unique in its collection over all institutions, so that a document can be found by its id alone.
 * - A method reads its arguments before it returns (insertMany: as it proceeds); later changes have no effect.
 * - Work that follows a write is written with it (`due`), and found by one index. A crash at any moment loses no work:
 *   it is due until a write or `moveDue` ends it.
 */

/** A stored document. The store sets `version` and `institution`; every other member is the service's. */
export interface Document {
  readonly id: string;
  readonly version: number;
  readonly institution: string;
  /** The work that is due of the document, by its name; absent: none. Set by `due` of writes and by `moveDue` alone. */
  readonly due?: Due;
}

/** The argument of `insert`: the document without the members that the store sets. */
export type New<T extends Document> = Omit<T, 'version' | 'institution' | 'due'>;

/** Work that follows a write and is still to be done. Instants are epoch milliseconds. */
export interface DueWork {
  /** When it is done next. While somebody works on it: the end of the claim. */
  readonly at: number;
  /** Since when it is due: the instant that the write chose, which claims and retries do not move. */
  readonly since: number;
  /** Attempts that have failed since then. */
  readonly tries: number;
  /** While it is claimed: a text that no other claim has. It stays after a crash, until the next claim. */
  readonly claim?: string;
}

export type Due = Readonly<Record<string, DueWork>>;

/**
 * What a write makes due, and when (epoch milliseconds), by the names that the collection declares; null: nothing is
 * left to do. Names that are not in it stay as they are. It ends a claim: who had it neither ends nor moves the work.
 */
export type DueChange = Readonly<Record<string, number | null>>;

export type Scalar = string | number | boolean | null;

/**
 * A condition on one field. Absent fields compare as null; `gt` … `lte` never hold for null, nor with it. A field has
 * values of one type (besides null) in all documents; text compares by code point.
 */
export type Condition =
  | Scalar
  | { readonly in: readonly Scalar[] }
  | { readonly ne: Scalar }
  | { readonly gt?: Scalar; readonly gte?: Scalar; readonly lt?: Scalar; readonly lte?: Scalar };

/** All conditions must hold. Keys are dotted paths (`address.city`); others are refused. */
export type Where = Readonly<Record<string, Condition>>;

/** A declared index. Its fields follow the institution, which leads every index unless `acrossInstitutions`. */
export interface Index {
  readonly name: string;
  readonly fields: readonly string[];
  /**
   * Unique within the institution, or within the installation if `acrossInstitutions`. Null and absent never collide.
   */
  readonly unique?: boolean;
  readonly acrossInstitutions?: boolean;
}

/**
 * A collection: its name (`[a-z_]+`) and every index that its queries need, including the order by id of a list; only
 * the look-up by id needs none. A query without an index scans the collection.
 */
export interface Collection<T extends Document> {
  readonly name: string;
  readonly indexes: readonly Index[];
  /** The names of the work that may be due of its documents; the engine then has an index of the earliest instant. */
  readonly work?: readonly string[];
  /**
   * Returns a document of an earlier release in the shape of this one, and any other as the same object. Synchronous
   * and pure. It applies to every read, also inside `update`, which therefore writes the new shape, with the `due` that
   * it has ({@link toDue}). It causes no write: conditions, orders, indexes and claims of due work use the stored
   * shape until the next write or `rewrite`.
   */
  upgrade?(stored: T): T;
  /** Never set: carries the type of the documents. */
  readonly document?: T;
}

/** Declares a collection of documents of type T. */
export function collection<T extends Document>(
  name: string,
  indexes: readonly Index[] = [],
  more: Pick<Collection<T>, 'work' | 'upgrade'> = {},
): Collection<T> {
  return { name, indexes, ...more };
}

/** A fact that a write causes, as the domain states it: past tense, JSON data. */
export interface Fact {
  readonly type: string;
  /** The aggregate of the fact; messages of one key keep their order. Default: the document's id. */
  readonly key?: string;
  readonly data: object;
}

/** A fact in the outbox, as the relay publishes it. */
export interface OutboxEvent {
  /** Unique; consumers may deduplicate by it. */
  readonly id: string;
  readonly type: string;
  readonly key: string;
  /** The document's version after the write: consumers ignore older ones. */
  readonly version: number;
  readonly institution: string;
  /** ISO 8601 UTC. */
  readonly occurredAt: string;
  readonly traceparent?: string;
  readonly data: object;
}

/** A past fact, derived from the current documents. */
export interface PastFact {
  readonly type: string;
  readonly key: string;
  /** The document's current version. */
  readonly version: number;
  readonly data: object;
}

/** The answer that a repeated request gets (endpoints: Idempotency-Key). */
export interface RememberedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Ids of the persons in the answer: `forget` deletes it. */
  readonly subjects?: readonly string[];
}

/** An idempotency key for a write: stored with the effect, in the same write. */
export interface IdempotencyRecord<T> {
  readonly key: string;
  /** A hash of the request, to distinguish a repeat from a reuse. */
  readonly fingerprint: string;
  /** Epoch milliseconds after which the key is free again. */
  readonly expiresAt: number;
  /** The answer, derived from the written document; called inside the write, so synchronous and pure. */
  answer(document: T): RememberedAnswer;
}

/** The options of an insert. */
export interface InsertOptions<T> extends WriteOptions<T> {
  readonly due?: DueChange;
}

export interface WriteOptions<T> {
  readonly events?: readonly Fact[];
  readonly idempotencyRecord?: IdempotencyRecord<T> | undefined;
  /** Deletes every stored answer about this subject except this write's own, in the same write where the engine can. */
  readonly forget?: string;
}

/**
 * The result of `update`'s function: the next document as a whole (and its events, before those of the options), or
 * undefined to leave it unchanged: then no idempotency record, event or `forget` takes effect either.
 */
export interface Change<T extends Document> {
  readonly next: New<T>;
  readonly events?: readonly Fact[];
  readonly due?: DueChange;
  /**
   * Whether the idempotency record of the options is written with this change; default: true. Choose false where the
   * request's answer is not final yet.
   */
  readonly remember?: boolean;
}

/**
 * `orderBy` is one field (default: the id), null first, with the id as tie-break; `descending` is the exact reverse.
 * `after` is the last document seen (its value of `orderBy`); it need not exist any more.
 */
export interface Query {
  readonly where?: Where;
  readonly orderBy?: string;
  readonly descending?: boolean;
  readonly after?: { readonly value: Scalar; readonly id: string };
  /** At most this many; default: all. */
  readonly limit?: number;
  /**
   * The name of the declared index to search, where the engine cannot know it: for few documents of several values of
   * one field in the order of another, SQLite would read in that order until it has found them. Does not change the
   * result; MongoDB tries both ways by itself.
   */
  readonly index?: string;
}

export interface ClaimRequest<T extends Document> {
  readonly where: Where;
  /**
   * Members to set in the claimed documents, merged over their top-level fields; undefined removes. Not id, version,
   * institution.
   */
  readonly set: Partial<New<T>>;
  /** Limit of claimed documents; each is claimed atomically. Default: all that match. */
  readonly limit?: number;
  /**
   * A numeric field in [0, 1): the claim starts at a random position of it and wraps around, so that claimers spread.
   * Documents without it are not claimed. The index needs it as its last field, after those of `where`.
   */
  readonly spread?: string;
}

/** The documents of one institution (or of all). */
export interface Documents<T extends Document> {
  /**
   * Inserts one document. @throws {IdempotencyKeyTaken} on a taken idempotency record, before {@link UniqueViolation}
   * on a taken id or unique index.
   */
  insert(document: New<T>, options?: InsertOptions<T>): Promise<T>;
  /**
   * Inserts many, skipping ids that exist already (so that an interrupted call can be repeated); returns how many were
   * new. Not atomic as a whole. `due` is of each.
   */
  insertMany(documents: readonly New<T>[], options?: Pick<InsertOptions<T>, 'due'>): Promise<number>;
  /**
   * Inserts up to 1,000 documents one after the other: who reads one can read those before it. @throws
   * {UniqueViolation} at the first whose id or unique index is taken; those before it may be inserted, none after it
   * is.
   */
  insertInOrder(documents: readonly New<T>[]): Promise<void>;
  get(id: string): Promise<T | undefined>;
  find(query?: Query): Promise<T[]>;
  count(where?: Where): Promise<number>;
  /**
   * Loads the document, calls `fn` (synchronous, pure: it may be called several times), writes the result by
   * compare-and-swap and retries on a lost race. An error of `fn` aborts the update. Returns the resulting document, or
   * undefined if the id is unknown. @throws {IdempotencyKeyTaken} on a taken idempotency record, also where `fn` throws
   * or leaves the document unchanged: an earlier attempt's write may come after its caller has stopped waiting, and
   * what `fn` says of a document with that effect is no answer to the request.
   */
  update(id: string, fn: (current: T) => Change<T> | undefined, options?: WriteOptions<T>): Promise<T | undefined>;
  /**
   * Deletes, with a version only the document of that version; returns whether it did. Events need a tombstone: use
   * update instead.
   */
  delete(id: string, version?: number): Promise<boolean>;
  /**
   * Claims up to `limit` matching documents, each atomically: no document has two claimers. Returns them as written.
   */
  claim(request: ClaimRequest<T>): Promise<T[]>;
}

export interface DueRequest {
  /** Epoch milliseconds: work with an earlier instant, or this one, is due. */
  readonly now: number;
  /** Documents at most. */
  readonly limit: number;
  /** The work to claim, by its name, with the milliseconds until the claim ends. Other work of the documents stays. */
  readonly forMs: Readonly<Record<string, number>>;
  /** Institutions whose documents are left to later claims. */
  readonly except?: readonly string[];
}

/** A document with work that was claimed. */
export interface Claimed<T extends Document> {
  /** As it was when it was claimed, with the claim in its `due`. */
  readonly document: T;
  /** The names of the claimed work. */
  readonly work: readonly string[];
}

/**
 * Due work of a collection, over all institutions. These methods change neither a document's version nor any other
 * member, publish nothing and make no update of the document start again.
 */
export interface DueDocuments<T extends Document> {
  /**
   * Claims the work that has been due the longest, each document by a conditional write: it moves the instants to the
   * end of the claim. This is the only lease of work: no two callers have the same work before a claim ends. At its end
   * the work is due again, whoever claimed it, so a handler decides from the document what is left to do. Processes
   * compare their own clocks: by how much they differ, a claim ends earlier for others. Fewer than `limit`, also none,
   * where others claim at the same moment.
   */
  claimDue(request: DueRequest): Promise<Claimed<T>[]>;
  /**
   * Replaces due work, unless it has changed from `from` (as a read or claim returned it, or the last successful `to`);
   * null: it is done. Returns whether it did. A claimer ends, moves or renews its work by it: after a write has made
   * the work due once more, or another has claimed it, nothing happens, so that nothing is forgotten.
   */
  moveDue(id: string, name: string, from: DueWork, to: DueWork | null): Promise<boolean>;
  /** Documents of which work is due by an instant, the earliest first, without a claim; default: at any time. */
  listDue(query: {
    readonly until?: number;
    readonly limit: number;
    /** The last document seen, by its earliest instant. */
    readonly after?: { readonly at: number; readonly id: string };
  }): Promise<T[]>;
}

export interface CollectionHandle<T extends Document> {
  of(institution: string): Documents<T>;
  /** For sweeps, and look-ups by id before the institution is known. Each document stays in its institution. */
  readonly acrossInstitutions: Omit<Documents<T>, 'insert' | 'insertMany' | 'insertInOrder'> & DueDocuments<T>;
}

/** The stored answer of an idempotency key. */
export interface StoredAnswer {
  /** Of the request that was answered. */
  readonly fingerprint: string;
  readonly answer: RememberedAnswer;
}

/**
 * The stored answers of one service's store. There is no lock: of several requests with one key each may try, and the
 * first answer that is stored, with its effect or here, is the key's.
 */
export interface Idempotency {
  /** The answer of the key; undefined if it has none, or has expired. */
  find(key: string): Promise<StoredAnswer | undefined>;
  /**
   * Stores an answer without a write (a refusal, an action without effect). If the key has an answer already, that one
   * is returned, and nothing is stored. MongoDB: a refusal and an effect that are written at the same moment may both
   * be answered; the key then has the answer of the effect.
   */
  remember(
    request: Omit<IdempotencyRecord<never>, 'answer'>,
    answer: RememberedAnswer,
  ): Promise<StoredAnswer | undefined>;
  /** Deletes every stored answer about the subject. */
  forget(subject: string): Promise<void>;
  /** Deletes the answers about the subject that expire first, down to the given number; answers in a document stay. */
  trim(subject: string, most: number): Promise<void>;
}

/** Events written and not yet confirmed as published, in the order of their writes (per document). */
export interface Outbox {
  /** Up to `limit` events whose write is at least `olderThanMs` ago, oldest first. One indexed query. */
  pending(limit: number, olderThanMs?: number): Promise<OutboxEvent[]>;
  /**
   * Puts facts of an institution into the outbox without a write, to publish again those that were lost. Durable when
   * it resolves; when it rejects, some may be stored.
   */
  add(institution: string, facts: readonly PastFact[]): Promise<void>;
  /** Removes events after they were published. Unknown ids are no error. */
  done(ids: readonly string[]): Promise<void>;
  /** Called right after a write of this process committed, with its events; returns the function that unsubscribes. */
  onCommitted(listener: (events: readonly OutboxEvent[]) => void): () => void;
}

export interface Store {
  /** The documents of a collection that the store was opened with; throws for any other. */
  collection<T extends Document>(collection: Collection<T>): CollectionHandle<T>;
  readonly idempotency: Idempotency;
  readonly outbox: Outbox;
  /**
   * Takes or renews a lease for `ms`: true if this store instance holds it now. At most one holder at a time, over all
   * processes that serve; for what one instance does for all (retention, orphaned events). Not for due work.
   */
  lease(name: string, ms: number): Promise<boolean>;
  /**
   * Called right after a write of this process committed that made work due, with the earliest instant of that write;
   * returns the function that unsubscribes.
   */
  onDue(listener: (collection: string, at: number) => void): () => void;
  /**
   * A number that changes with every write of any process, read without a query: nothing new can be found while it
   * stays the same. Undefined where the engine has none (MongoDB).
   */
  revision(): number | undefined;
  /** Resolves if the engine answers; rejects otherwise. For readiness. */
  ping(): Promise<void>;
  /** Finishes the writes under way, then closes; an insertMany or update may be refused between its writes. */
  close(): Promise<void>;
}
