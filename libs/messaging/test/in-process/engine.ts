import type { Engine, Process } from '@boxoffice/messaging/conformance';
import { createInProcessBus, type DeadLetter, type DeadLetterStore } from '../../src/index.ts';

/** Dead letters that outlive the processes of a test. */
export const memoryLetters = (): DeadLetterStore => {
  const letters = new Map<string, DeadLetter>();
  return {
    add: async (letter) => void letters.set(letter.id, letter),
    list: async (queue) => [...letters.values()].filter((letter) => queue === undefined || letter.queue === queue),
    get: async (id) => letters.get(id),
    remove: async (id) => letters.delete(id),
  };
};

/** The embedded engine: one process at a time, so a second start answers the first one while it lives. */
export const inProcess: Engine = {
  async open(settings) {
    const deadLetters = memoryLetters();
    const ended: Promise<void>[] = [];
    let running: Process | undefined;
    const start = (): Process => {
      const bus = createInProcessBus({ ...settings, deadLetters });
      return {
        bus,
        async kill() {
          running = undefined;
          ended.push(bus.close()); // what hangs in it is never finished
        },
      };
    };
    return {
      async start() {
        running ??= start();
        return running;
      },
      async remove() {
        await running?.bus.close();
        await Promise.all(ended);
      },
    };
  },
};
