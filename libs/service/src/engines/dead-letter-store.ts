import type { DeadLetter, DeadLetterStore } from '@boxoffice/messaging';
import { collection, type Document, type Store, UniqueViolation } from '@boxoffice/store';

/** A letter, and whether an operator has requested its replay. */
type DeadLetterDocument = Document & DeadLetter & { readonly replayRequested?: boolean };

/** Where the in-process bus stores its dead letters. */
export const deadLetterCollection = collection<DeadLetterDocument>('dead_letters', [
  { name: 'queue', fields: ['queue', 'deadSince'] },
  { name: 'since', fields: ['deadSince'] },
  { name: 'requested', fields: ['replayRequested', 'deadSince'] },
]);

/** The letters of all tenants are stored together: operators handle queues, not institutions. */
export const TOGETHER = 'installation';

const letterOf = (document: DeadLetterDocument): DeadLetter => {
  const { version: _version, institution: _institution, replayRequested: _requested, ...letter } = document;
  return letter;
};

/** Dead letters in a store. */
export const deadLettersIn = (store: Store): DeadLetterStore => {
  const letters = store.collection(deadLetterCollection).of(TOGETHER);
  return {
    async add(letter) {
      await letters.insert(letter).catch(async (error: unknown) => {
        if (!(error instanceof UniqueViolation)) throw error;
        await letters.update(letter.id, () => ({ next: letter }));
      });
    },
    async list(queue) {
      const found = await letters.find({ where: queue === undefined ? {} : { queue }, orderBy: 'deadSince' });
      return found.map(letterOf);
    },
    count: (queue) => letters.count({ queue }),
    async get(id) {
      const letter = await letters.get(id);
      return letter && letterOf(letter);
    },
    remove: (id) => letters.delete(id),
  };
};
