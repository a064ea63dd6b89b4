/**
 * The guarantees of both engines, which libs/store/src/conformance tests:
 * - A write is durable before it is acknowledged (SQLite: WAL with synchronous=FULL; MongoDB: w=majority, j=true).
 * - It is atomic with its events, its due work and its idempotency record, and every read that starts later sees it.
 * - A document's `version` is 1 after insert, one more after each write; updates are compare-and-swap on it.
 * - There is no transaction over several documents; order the writes so that a crash between them is harmless.
 * - An id is unique in its collection over all institutions, so that a document can be found by its id alone.
 * - A method reads its arguments before it returns (insertMany: as it proceeds); later changes have no effect.
 */

/** A stored document. The store sets `version` and `institution`; every other member is the service's. */
export interface Document {
  readonly id: string;
  readonly version: number;
  readonly institution: string;
  /** The work that is due of the document, by its name; absent: none. Set by `due` of writes and by `moveDue` alone. */
  readonly due?: Due;
}

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

/** Null: nothing is left to do. Names that are absent stay. Ends a claim: who had it can no longer move the work. */
export type DueChange = Readonly<Record<string, number | null>>;

export type Scalar = string | number | boolean | null;

/** Absent compares as null, for which `gt` … `lte` never hold; text by code point. A field's values have one type. */
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
  /** Within the institution, or the installation if `acrossInstitutions`. Null and absent never collide. */
  readonly unique?: boolean;
  readonly acrossInstitutions?: boolean;
}

/** Has every index that its queries need, also the order by id of a list; only the look-up by id needs none. */
export interface Collection<T extends Document> {
  readonly name: string;
  readonly indexes: readonly Index[];
  /** The names of the work that may be due of its documents; the engine then has an index of the earliest instant. */
  readonly work?: readonly string[];
  /**
   * A document of an earlier release in the shape of this one, any other as the same object. Synchronous and pure. For
   * every read, also inside `update`; conditions, indexes and claims use the stored shape until a write or `rewrite`.
   */
  upgrade?(stored: T): T;
  /** Never set: carries the type of the documents. */
  readonly document?: T;
}

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

export interface PastFact {
  readonly type: string;
  readonly key: string;
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

export interface InsertOptions<T> extends WriteOptions<T> {
  readonly due?: DueChange;
}

export interface WriteOptions<T> {
  readonly events?: readonly Fact[];
  readonly idempotencyRecord?: IdempotencyRecord<T> | undefined;
  /** Deletes every stored answer about this subject except this write's own, in the same write where the engine can. */
  readonly forget?: string;
}

/** Undefined leaves the document unchanged: then no idempotency record, event or `forget` takes effect either. */
export interface Change<T extends Document> {
  readonly next: New<T>;
  readonly events?: readonly Fact[];
  readonly due?: DueChange;
  /** Default: true. False where the request's answer is not final yet: its idempotency record is not written. */
  readonly remember?: boolean;
}

/** `orderBy` (default: the id): null first, the id as tie-break. `after` need not exist any more. */
export interface Query {
  readonly where?: Where;
  readonly orderBy?: string;
  readonly descending?: boolean;
  readonly after?: { readonly value: Scalar; readonly id: string };
  readonly limit?: number;
  /** The index to search: for few documents of several values SQLite would read in the order's. MongoDB ignores it. */
  readonly index?: string;
}

export interface ClaimRequest<T extends Document> {
  readonly where: Where;
  /** Merged over the top-level fields; undefined removes. Not id, version, institution. */
  readonly set: Partial<New<T>>;
  /** Limit of claimed documents; each is claimed atomically. Default: all that match. */
  readonly limit?: number;
  /** A numeric field in [0, 1), last in the index: the claim starts at a random position, so that claimers spread. */
  readonly spread?: string;
}

export interface Documents<T extends Document> {
  /** @throws {IdempotencyKeyTaken} on a taken record, before {@link UniqueViolation} on a taken id or unique index */
  insert(document: New<T>, options?: InsertOptions<T>): Promise<T>;
  /** Skips ids that exist, so that it can be repeated; returns how many were new. Not atomic as a whole. */
  insertMany(documents: readonly New<T>[], options?: Pick<InsertOptions<T>, 'due'>): Promise<number>;
  /** Up to 1,000: who reads one can read those before it. @throws {UniqueViolation} at the first that is taken */
  insertInOrder(documents: readonly New<T>[]): Promise<void>;
  get(id: string): Promise<T | undefined>;
  find(query?: Query): Promise<T[]>;
  /** With `most` no further than that. */
  count(where?: Where, most?: number): Promise<number>;
  /**
   * `fn`, synchronous and pure, is called again on a lost race; its error aborts. Undefined if the id is unknown.
   * @throws {IdempotencyKeyTaken} on a taken record, also where `fn` throws: an earlier attempt's write may come late,
   * and what `fn` says of a document with that effect is no answer to the request.
   */
  update(id: string, fn: (current: T) => Change<T> | undefined, options?: WriteOptions<T>): Promise<T | undefined>;
  /** With a version only the document of that version; returns whether it did. Events need a tombstone: use update. */
  delete(id: string, version?: number): Promise<boolean>;
  /** Up to `limit` matching documents, each atomically: none has two claimers. Returns them as written. */
  claim(request: ClaimRequest<T>): Promise<T[]>;
}

export interface DueRequest {
  /** Epoch milliseconds: work with an earlier instant, or this one, is due. */
  readonly now: number;
  readonly limit: number;
  /** The work to claim, by its name, with the milliseconds until the claim ends. Other work of the documents stays. */
  readonly forMs: Readonly<Record<string, number>>;
  /** Institutions whose documents are left to later claims. */
  readonly except?: readonly string[];
}

/** Work of a document that is done, as it was when it was begun. */
export interface EndedWork {
  readonly collection: string;
  readonly id: string;
  readonly name: string;
  readonly work: DueWork;
}

export interface Claimed<T extends Document> {
  /** As it was when it was claimed, with the claim in its `due`. */
  readonly document: T;
  readonly work: readonly string[];
}

/** Over all institutions. These change neither a version nor another member, publish nothing and restart no update. */
export interface DueDocuments<T extends Document> {
  /**
   * The longest due first. No two callers have the same work before a claim ends, by their own clocks; then it is due
   * again, so a handler decides from the document what is left to do. Fewer, or none, where others claim at once.
   */
  claimDue(request: DueRequest): Promise<Claimed<T>[]>;
  /**
   * Unless it has changed from `from` (null: it was not due), so that nothing is forgotten; null: it is done. Returns
   * whether it did.
   */
  moveDue(id: string, name: string, from: DueWork | null, to: DueWork | null): Promise<boolean>;
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

export interface StoredAnswer {
  readonly fingerprint: string;
  readonly answer: RememberedAnswer;
}

/** Without a lock: the first answer that is stored for a key, with its effect or here, is the key's. */
export interface Idempotency {
  /** The answer of the key; undefined if it has none, or has expired. */
  find(key: string): Promise<StoredAnswer | undefined>;
  /**
   * Without a write. If the key has an answer already, that one is returned, and nothing is stored. MongoDB: of a
   * refusal and an effect written at the same moment the key has the effect's.
   */
  remember(
    request: Omit<IdempotencyRecord<never>, 'answer'>,
    answer: RememberedAnswer,
  ): Promise<StoredAnswer | undefined>;
  forget(subject: string): Promise<void>;
  /** Deletes the answers about the subject that expire first, down to the given number; answers in a document stay. */
  trim(subject: string, most: number): Promise<void>;
}

/** Events written and not yet confirmed as published, in the order of their writes (per document). */
export interface Outbox {
  /** Up to `limit` events whose write is at least `olderThanMs` ago, oldest first. One indexed query. */
  pending(limit: number, olderThanMs?: number): Promise<OutboxEvent[]>;
  /** Without a write, to publish again what was lost. Durable when it resolves; when it rejects, some may be stored. */
  add(institution: string, facts: readonly PastFact[]): Promise<void>;
  /**
   * Removes events after they were published. Unknown ids are no error. With them ends work as `moveDue` to null does:
   * what has changed meanwhile, or loses a race, stays due.
   */
  done(ids: readonly string[], ended?: readonly EndedWork[]): Promise<void>;
  /** Called right after a write of this process committed, with its events; returns the function that unsubscribes. */
  onCommitted(listener: (events: readonly OutboxEvent[]) => void): () => void;
}

/** Documents to read, by a name of the caller's. */
export type Looks = Readonly<
  Record<string, { readonly collection: Collection<Document>; readonly ids: readonly string[] }>
>;

/** By id; ids without a document are left out. */
export type FoundTogether<All extends Looks> = {
  readonly [Name in keyof All]: All[Name]['collection'] extends Collection<infer T> ? ReadonlyMap<string, T> : never;
};

/** What waits in a store, of all institutions. Instants are epoch milliseconds. */
export interface Waiting {
  /** The earliest instant of due work, passed or to come, by the collection; absent: nothing will be due of it. */
  readonly due: Readonly<Record<string, number>>;
  /** When the oldest event of the outbox was written; absent: there is none. */
  readonly event?: number;
}

export interface Store {
  /** The documents of a collection that the store was opened with; throws for any other. */
  collection<T extends Document>(collection: Collection<T>): CollectionHandle<T>;
  /** Of several collections in one call. SQLite reads them in turn, of MongoDB one query a collection is asked, side by side: no one state. */
  getTogether<All extends Looks>(institution: string, looks: All): Promise<FoundTogether<All>>;
  readonly idempotency: Idempotency;
  readonly outbox: Outbox;
  /** True if this instance alone holds it now. For what one does for all (retention, orphaned events), not due work. */
  lease(name: string, ms: number): Promise<boolean>;
  /** After a write of this process that made work due, with its earliest instant; returns what unsubscribes. */
  onDue(listener: (collection: string, at: number) => void): () => void;
  /** One query of all collections, by their indexes: so a process without work asks for nothing else. */
  waiting(): Promise<Waiting>;
  /** Changes with every write of any process, read without a query. Undefined where the engine has none (MongoDB). */
  revision(): number | undefined;
  /** Resolves if the engine answers; rejects otherwise. For readiness. */
  ping(): Promise<void>;
  /** Finishes the writes under way, then closes; an insertMany or update may be refused between its writes. */
  close(): Promise<void>;
}
