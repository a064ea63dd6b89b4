// Facts whose predecessor has not arrived: stored, so that their messages can be acknowledged, and due until it has.

import type { WorkKind, WorkResult } from '@boxoffice/service';
import { insertUnlessTaken, type Store } from '@boxoffice/store';
import { type WaitingDocument, waitingCollection } from '../store.ts';
import type { Arrival, Log } from './log.ts';

/** A fact is tried again after as long as it has waited, within these bounds. Milliseconds. */
const FIRST_MS = 200;
const MOST_MS = 1_000;

/** Facts that are tried at once; those of an institution share an insert. */
const SLOTS = 200;

export function createWaiting(store: Pick<Store, 'collection'>, record: Log['append'], now: () => number) {
  const documents = store.collection(waitingCollection);
  return {
    /** Stores a fact, which is recorded as soon as its predecessor is. */
    async add(institution: string, { event, before }: Arrival): Promise<void> {
      if (before === null) throw new Error(`${event.id} has no predecessor to wait for`);
      const since = now();
      const due = { append: since + FIRST_MS };
      // The message may be delivered twice.
      await insertUnlessTaken(documents.of(institution), { id: event.id, event, before, since }, { due });
    },
    /** Records a fact, if its predecessor has arrived. */
    async append({ id, institution, event, before, since }: WaitingDocument): Promise<WorkResult> {
      const outcome = await record(institution, { event, before });
      if (outcome === 'early') return { again: now() + Math.min(Math.max(now() - since, FIRST_MS), MOST_MS) };
      await documents.of(institution).delete(id);
      return 'done';
    },
    /** When the fact that has waited longest began to; epoch milliseconds. Undefined: none waits. */
    async oldest(): Promise<number | undefined> {
      const [first] = await documents.acrossInstitutions.find({ orderBy: 'since', limit: 1 });
      return first?.since;
    },
  };
}

interface WithWaiting {
  readonly context: { readonly waiting: Pick<ReturnType<typeof createWaiting>, 'append'> };
}

/** The work of waiting facts; several processes at once do no harm, since each fact has one event. */
export const append: WorkKind<WithWaiting> = {
  handle: ({ context: { waiting } }, fact: WaitingDocument) => waiting.append(fact),
  slots: () => SLOTS,
  institutionSlots: SLOTS,
};
