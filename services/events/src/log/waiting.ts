import { type Documents, type Store, UniqueViolation } from '@boxoffice/store';
import { type WaitingDocument, waitingCollection } from '../store.ts';
import type { Arrival, Log } from './log.ts';

/** Facts whose predecessor has not arrived: stored, so that their messages can be acknowledged. */
export interface Waiting {
  /** Stores a fact, and records it as soon as its predecessor is recorded. */
  add(institution: string, arrival: Arrival): Promise<void>;
  /** Records the facts whose predecessors have arrived; of this process, or all. */
  resume(which: 'own' | 'all'): Promise<void>;
  /** When the fact that has waited longest began to; epoch milliseconds. Undefined: none waits. */
  oldest(): Promise<number | undefined>;
}

/** Facts read at once. */
const BATCH = 500;

/** Opens the collection of waiting facts. */
export const createWaiting = (
  store: Pick<Store, 'collection'>,
  log: Pick<Log, 'append'>,
  now: () => number,
): Waiting => {
  const documents = store.collection(waitingCollection);
  /** Those that this process put aside, by the id of their event. */
  const own = new Map<string, string>();

  const retry = async (of: Documents<WaitingDocument>, found: WaitingDocument): Promise<boolean> => {
    const outcome = await log.append(found.institution, { event: found.event, before: found.before });
    if (outcome === 'early') return false;
    await of.delete(found.id);
    own.delete(found.id);
    return true;
  };

  const resumeOwn = async (): Promise<void> => {
    for (const [id, institution] of own) {
      const of = documents.of(institution);
      const found = await of.get(id);
      if (found) await retry(of, found);
      else own.delete(id);
    }
  };

  const resumeAll = async (): Promise<void> => {
    for (let after: { value: number; id: string } | undefined; ; ) {
      const page: WaitingDocument[] = await documents.acrossInstitutions.find({
        orderBy: 'since',
        limit: BATCH,
        ...(after ? { after } : {}),
      });
      await Promise.all(page.map((found) => retry(documents.of(found.institution), found)));
      const last = page.at(-1);
      if (!last || page.length < BATCH) return;
      after = { value: last.since, id: last.id };
    }
  };

  return {
    async add(institution, { event, before }) {
      if (before === null) throw new Error(`${event.id} has no predecessor to wait for`);
      own.set(event.id, institution);
      try {
        await documents.of(institution).insert({ id: event.id, event, before, since: now() });
      } catch (error) {
        // The message was delivered twice.
        if (!(error instanceof UniqueViolation)) throw error;
      }
    },
    resume: (which) => (which === 'own' ? resumeOwn() : resumeAll()),
    async oldest() {
      const [first] = await documents.acrossInstitutions.find({ orderBy: 'since', limit: 1 });
      return first?.since;
    },
  };
};
