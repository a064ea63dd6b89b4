import { setTimeout as pause } from 'node:timers/promises';
import type { Collection, Document, Store } from '@boxoffice/store';

/** When documents have ended: so long after what a member says. Documents without it have not. */
export interface End {
  /** A member with an index of its own across institutions: epoch milliseconds, or ISO 8601 UTC if `iso`. */
  readonly field: string;
  readonly iso?: boolean;
  readonly afterMs: number;
}

/** How long the documents of a collection are kept. */
export interface Retention {
  /** In words, as the table of docs/operating.md has it. */
  readonly kept: string;
  /** Whichever comes first; none: this sweeper removes nothing. */
  readonly ends?: readonly End[];
  /** Removes what belongs to a document that has ended, before the document itself; may be done twice. */
  along?(store: Store, document: Document): Promise<unknown>;
}

/** The retention of every collection of a service, by the collection's name. */
export type Retentions = Readonly<Record<string, Retention>>;

export interface SweepOptions {
  readonly store: Store;
  readonly collections: readonly Collection<Document>[];
  readonly retention: Retentions;
  readonly logger: { warn(message: string, fields?: { readonly error?: unknown }): void };
  /** Epoch milliseconds. */
  readonly now?: () => number;
  readonly everyMs?: number;
  /** So many are read at once. */
  readonly batch?: number;
}

/** Milliseconds between the end of a sweep and the next one. */
const EVERY_MS = 60_000;
/** Longer than the pause and one batch, so that one instance keeps sweeping, and another follows a dead one. */
const LEASE_MS = 90_000;
const BATCH = 500;
/** So many are removed at once. */
const WIDTH = 50;

export interface Sweeper {
  /**
   * Removes whatever has ended, in batches, until nothing is left; nothing while another instance has the lease. What
   * cannot be removed is told and keeps nothing else from it. Answers how many.
   */
  sweep(): Promise<number>;
  /** Ends after the batch that is under way. */
  close(): Promise<void>;
}

/** Makes the one sweeper of a service, which begins after the first pause. */
export const startSweeper = (options: SweepOptions): Sweeper => {
  const { store, collections, retention, logger } = options;
  const { now = Date.now, everyMs = EVERY_MS, batch = BATCH } = options;
  const stopping = new AbortController();
  const mayGoOn = async () => !stopping.signal.aborted && (await store.lease('retention', LEASE_MS));

  /** Removes what can be removed; answers how many, and the first error. */
  const remove = async (collection: Collection<Document>, found: readonly Document[]) => {
    const { along } = retention[collection.name] ?? {};
    const documents = store.collection(collection).acrossInstitutions;
    const rest = [...found];
    const errors: unknown[] = [];
    const work = async (): Promise<void> => {
      for (let document = rest.shift(); document; document = rest.shift()) {
        try {
          await along?.(store, document);
          await documents.delete(document.id);
        } catch (error) {
          errors.push(error);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(WIDTH, rest.length) }, work));
    return { removed: found.length - errors.length, errors };
  };

  const warn = ({ name }: Collection<Document>, error: unknown): void =>
    logger.warn(`what has ended of ${name} could not all be removed`, { error });

  /**
   * Removes what has ended so, but for what cannot be removed. Each batch asks for the lease anew: a long sweep needs
   * it longer than it was given.
   */
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
        // What stays is found first again: a batch of nothing else would be the next one, too.
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

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await pause(everyMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      await sweep();
    }
  };
  const running = run();

  return {
    sweep,
    async close() {
      stopping.abort();
      await running;
    },
  };
};
