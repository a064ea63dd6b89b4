import { type Logger, repeat } from '@boxoffice/runtime';
import type { Closable } from '@boxoffice/service';
import { type Documents, documentsOf, eachOf, type Store, UniqueViolation, unlessQuiet } from '@boxoffice/store';
import { type WaitingDocument, waitingCollection } from '../store.ts';
import type { Arrival, Log } from './log.ts';

/** Facts whose predecessor has not arrived: stored, so that their messages can be acknowledged. */
export type Waiting = ReturnType<typeof createWaiting>;

/** Facts that are tried at once; those of an institution share an insert. */
const WIDTH = 200;

/** Opens the collection of waiting facts. */
export const createWaiting = (store: Pick<Store, 'collection'>, record: Log['append'], now: () => number) => {
  const documents = store.collection(waitingCollection);
  /** Those that this process put aside, by the id of their event. */
  const own = new Map<string, string>();

  const retry = async (of: Documents<WaitingDocument>, found: WaitingDocument): Promise<void> => {
    const outcome = await record(found.institution, { event: found.event, before: found.before });
    if (outcome === 'early') return;
    await of.delete(found.id);
    own.delete(found.id);
  };

  return {
    /** Stores a fact, and records it as soon as its predecessor is recorded. */
    async add(institution: string, { event, before }: Arrival): Promise<void> {
      if (before === null) throw new Error(`${event.id} has no predecessor to wait for`);
      own.set(event.id, institution);
      try {
        await documents.of(institution).insert({ id: event.id, event, before, since: now() });
      } catch (error) {
        // The message was delivered twice.
        if (!(error instanceof UniqueViolation)) throw error;
      }
    },
    /** Records the facts that this process put aside and whose predecessors have arrived. */
    async resumeOwn(): Promise<void> {
      for (const [id, institution] of own) {
        const of = documents.of(institution);
        const found = await of.get(id);
        if (found) await retry(of, found);
        else own.delete(id);
      }
    },
    /** Records the facts of every process whose predecessors have arrived. */
    resumeAll: (): Promise<void> =>
      eachOf(documentsOf(documents.acrossInstitutions, { orderBy: 'since' }), WIDTH, (found) =>
        retry(documents.of(found.institution), found),
      ),
    /** When the fact that has waited longest began to; epoch milliseconds. Undefined: none waits. */
    async oldest(): Promise<number | undefined> {
      const [first] = await documents.acrossInstitutions.find({ orderBy: 'since', limit: 1 });
      return first?.since;
    },
  };
};

/** Milliseconds between looks at the facts that this process put aside, and at those of every process. */
const OWN_MS = 200;
const ALL_MS = 5_000;

/** Records waiting facts as their predecessors arrive, also those of processes that died; safe in several instances. */
export const startResuming = (
  waiting: Waiting,
  store: Pick<Store, 'revision'>,
  logger: Pick<Logger, 'error'>,
): Closable => {
  const failed = (error: unknown) =>
    logger.error('facts that wait for an earlier one could not be looked at; the next run tries again', { error });
  const own = repeat(waiting.resumeOwn, { everyMs: OWN_MS, failed });
  const all = repeat(unlessQuiet(store, 0, waiting.resumeAll), { everyMs: ALL_MS, atOnce: true, failed });
  return {
    async close() {
      await own.close();
      await all.close();
    },
  };
};
