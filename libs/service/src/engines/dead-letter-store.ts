import type { DeadLetter, DeadLetterStore, DeadLetters } from '@boxoffice/messaging';
import { type Logger, repeat } from '@boxoffice/runtime';
import { collection, type Document, type Store, UniqueViolation, unlessQuiet } from '@boxoffice/store';
import type { Closable } from '../definition.ts';

/** A letter, and whether an operator has requested its replay. */
type DeadLetterDocument = Document & DeadLetter & { readonly replayRequested?: boolean };

/** Where the in-process bus stores its dead letters. */
export const deadLetterCollection = collection<DeadLetterDocument>('dead_letters', [
  { name: 'queue', fields: ['queue', 'deadSince'] },
  { name: 'since', fields: ['deadSince'] },
  { name: 'requested', fields: ['replayRequested', 'deadSince'] },
]);

/** The letters of all tenants are stored together: operators handle queues, not institutions. */
const TOGETHER = 'installation';

const lettersIn = (store: Store) => store.collection(deadLetterCollection).of(TOGETHER);

const letterOf = (document: DeadLetterDocument): DeadLetter => {
  const { version: _version, institution: _institution, replayRequested: _requested, ...letter } = document;
  return letter;
};

/** Dead letters in a store. */
export const deadLettersIn = (store: Store): DeadLetterStore => {
  const letters = lettersIn(store);
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

/** Milliseconds between two polls for requests: one indexed read each after a write. */
const LOOK_EVERY_MS = 1_000;

/**
 * The dead letters of the in-process bus for an operator's process: it stores the request for a replay, and the process
 * with the queue's consumers executes it.
 */
export const deadLettersFromOutside = (store: Store, inside: DeadLetters): DeadLetters => ({
  list: inside.list,
  drop: inside.drop,
  replay: async (id) => {
    const stored = await lettersIn(store).update(id, (letter) => ({ next: { ...letter, replayRequested: true } }));
    return stored !== undefined;
  },
});

/** Executes the replays that operators request, until it is closed. A letter that fails again is listed again. */
export const serveReplayRequests = (store: Store, inside: DeadLetters, logger: Logger): Closable => {
  const letters = lettersIn(store);
  const look = async (): Promise<void> => {
    for (const { id } of await letters.find({ where: { replayRequested: true }, orderBy: 'deadSince', limit: 100 })) {
      await letters.update(id, ({ replayRequested: _, ...letter }) => ({ next: letter }));
      await inside.replay(id);
    }
  };
  return repeat(unlessQuiet(store, 0, look), {
    everyMs: LOOK_EVERY_MS,
    failed: (error) => logger.warn('a dead letter could not be replayed', { error }),
  });
};
