import type { DeadLetters } from '@boxoffice/messaging';
import { type Logger, repeat } from '@boxoffice/runtime';
import { type Store, unlessQuiet } from '@boxoffice/store';
import type { Closable } from '../definition.ts';
import { deadLetterCollection, TOGETHER } from './dead-letter-store.ts';

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
    const letters = store.collection(deadLetterCollection).of(TOGETHER);
    const stored = await letters.update(id, (letter) => ({ next: { ...letter, replayRequested: true } }));
    return stored !== undefined;
  },
});

/** Executes the replays that operators request, until it is closed. A letter that fails again is listed again. */
export const serveReplayRequests = (store: Store, inside: DeadLetters, logger: Logger): Closable => {
  const letters = store.collection(deadLetterCollection).of(TOGETHER);
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
