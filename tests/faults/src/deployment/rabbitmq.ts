import { openControl } from './control.ts';
import type { Broker } from './deployment.ts';

/** Starts a RabbitMQ node for the harness with the script that TEST_RABBITMQ_CONTROL names. */
export const startBroker = async (control: string): Promise<Broker> => {
  const { run, remove } = await openControl(control, 'broker');
  return {
    url: await run('start'),
    async kill() {
      // RabbitMQ 3.10 holds the names of newly declared queues in memory for seconds before it writes them.
      await run('sync');
      await run('kill');
    },
    start: async () => void (await run('start')),
    async restart() {
      await run('stop');
      await run('start');
    },
    limit: async (messages) => void (await run('limit', messages === undefined ? 'off' : `${messages}`)),
    alarm: async (on) => void (await run('alarm', on ? 'on' : 'off')),
    async stop() {
      await run('kill');
      await run('stop');
      await remove();
    },
  };
};
