import type { DeadLetter, DeadLetterStore } from '../port.ts';

/** Dead letters in memory that survive the buses of a test. */
export const createMemoryDeadLetters = (): DeadLetterStore => {
  const letters = new Map<string, DeadLetter>();
  return {
    add: async (letter) => void letters.set(letter.id, letter),
    list: async (queue) => [...letters.values()].filter((letter) => queue === undefined || letter.queue === queue),
    get: async (id) => letters.get(id),
    remove: async (id) => letters.delete(id),
  };
};
