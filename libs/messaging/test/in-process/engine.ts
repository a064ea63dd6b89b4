import { createMemoryDeadLetters, type Engine, type Process } from '@boxoffice/messaging/conformance';
import { createInProcessBus } from '../../src/index.ts';

/** The embedded engine: one process at a time, so a second start returns the running one. */
export const inProcess: Engine = {
  async open(settings) {
    const deadLetters = createMemoryDeadLetters();
    const ended: Promise<void>[] = [];
    let running: Process | undefined;
    const start = (): Process => {
      const bus = createInProcessBus({ ...settings, deadLetters });
      return {
        bus,
        async kill() {
          running = undefined;
          ended.push(bus.close()); // a message that hangs in it is never finished
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
