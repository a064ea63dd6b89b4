import type { DeadLetter, DeadLetterStore } from '@boxoffice/messaging';
import { collection, type Document, type Store, UniqueViolation } from '@boxoffice/store';

type DeadLetterDocument = Document & DeadLetter;

/** Where the in-process bus keeps its dead letters. */
export const deadLetterCollection = collection<DeadLetterDocument>('dead_letters', [
  { name: 'queue', fields: ['queue', 'deadSince'] },
  { name: 'since', fields: ['deadSince'] },
]);

/** The letters of all tenants lie together: an operator looks at queues, not at institutions. */
const TOGETHER = 'installation';

const letterOf = ({ version: _version, institution: _institution, ...letter }: DeadLetterDocument): DeadLetter =>
  letter;

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
    async get(id) {
      const letter = await letters.get(id);
      return letter && letterOf(letter);
    },
    remove: (id) => letters.delete(id),
  };
};
