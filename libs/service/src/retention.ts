import { repeat } from '@boxoffice/runtime';
import type { Collection, Document, Store } from '@boxoffice/store';

/** When documents expire: a fixed time after the instant in a member. Documents without it do not. */
export interface End {
  /** A member with an index of its own across institutions: epoch milliseconds, or ISO 8601 UTC if `iso`. */
  readonly field: string;
  readonly iso?: boolean;
  readonly afterMs: number;
}

export interface Retention {
  /** In words, as in the table of docs/operating.md. */
  readonly retained: string;
  /** The earliest of them applies; none: this sweeper removes nothing. */
  readonly ends?: readonly End[];
  /** Removes the dependents of an expired document, before the document itself; may run twice. */
  along?(store: Store, document: Document): Promise<unknown>;
}

/** The retention of every collection of a service, by the collection's name. */
export type Retentions = Readonly<Record<string, Retention>>;

export interface SweepOptions {
  readonly store: Store;
  readonly collections: readonly Collection<Document>[];
  readonly retention: Retentions;
  readonly logger: { warn(message: string, fields?: { readonly error?: unknown }): void };
  readonly now?: () => number;
  readonly everyMs?: number;
  /** Documents read at once. */
  readonly batch?: number;
}

const EVERY_MS = 60_000;
/** For so long a lease that was got is not renewed. */
const HELD_MS = 30_000;
/** Longer than the pause and one batch, so that one instance continues sweeping, and another replaces a dead one. */
const LEASE_MS = 90_000;
const BATCH = 500;
const WIDTH = 50;

/** Creates the one sweeper of a service, which begins after the first pause. */
export function startSweeper(options: SweepOptions) {
  const { store, collections, retention, logger } = options;
  const { now = Date.now, everyMs = EVERY_MS, batch = BATCH } = options;
  let isClosed = false;
  let leasedAt = Number.NEGATIVE_INFINITY;
  const mayGoOn = async (): Promise<boolean> => {
    if (isClosed) return false;
    const at = performance.now();
    if (at - leasedAt < HELD_MS) return true;
    const isHeld = await store.lease('retention', LEASE_MS);
    if (isHeld) leasedAt = at;
    return isHeld;
  };

  /** Removes the documents; returns how many succeeded, and the first error. */
  const remove = async (collection: Collection<Document>, found: readonly Document[]) => {
    const { along } = retention[collection.name] ?? {};
    const documents = store.collection(collection).acrossInstitutions;
    const rest = [...found];
    const errors: unknown[] = [];
    const work = async (): Promise<void> => {
      for (let document = rest.shift(); document; document = rest.shift()) {
        try {
          await along?.(store, document);
          // One that was changed since stays, until the next sweep.
          await documents.delete(document.id, document.version);
        } catch (error) {
          errors.push(error);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(WIDTH, rest.length) }, work));
    return { removed: found.length - errors.length, errors };
  };

  const warn = ({ name }: Collection<Document>, error: unknown): void =>
    logger.warn(`expired documents of ${name} could not all be removed`, { error });

  /** Batches renew the lease: a long sweep outlasts one term. */
  const clear = async (collection: Collection<Document>, { field, iso, afterMs }: End): Promise<number> => {
    const before = now() - afterMs;
    const where = { [field]: { lte: iso ? new Date(before).toISOString() : before } };
    let total = 0;
    const failed: unknown[] = [];
    try {
      while (await mayGoOn()) {
        const documents = store.collection(collection).acrossInstitutions;
        const found = await documents.find({ where, orderBy: field, limit: batch });
        const { removed, errors } = await remove(collection, found);
        total += removed;
        failed.push(...errors);
        // Failed documents are found first again: a batch of only those would repeat.
        if (found.length < batch || removed === 0) break;
      }
    } catch (error) {
      failed.push(error);
    }
    // Once is enough: each batch finds the same ones.
    if (failed.length > 0) warn(collection, failed[0]);
    return total;
  };

  const sweep = async (): Promise<number> => {
    let removed = 0;
    for (const collection of collections) {
      for (const end of retention[collection.name]?.ends ?? []) removed += await clear(collection, end);
    }
    return removed;
  };

  const logFailure = (error: unknown): void => logger.warn('expired documents could not be removed', { error });
  const sweeping = repeat(sweep, { everyMs, failed: logFailure });

  return {
    /** None while another instance holds the lease. A failed removal is logged and stops no other. The number removed. */
    sweep,
    /** Ends after the current batch. */
    async close(): Promise<void> {
      isClosed = true;
      await sweeping.close();
    },
  };
}
