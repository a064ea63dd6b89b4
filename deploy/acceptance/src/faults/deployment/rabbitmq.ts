import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Broker } from './deployment.ts';

const execute = promisify(execFile);

/** Starts a RabbitMQ node for the harness with the script that TEST_RABBITMQ_CONTROL names. */
export const startBroker = async (control: string): Promise<Broker> => {
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-broker-'));
  const script = resolve(new URL('../../../../../', import.meta.url).pathname, control);
  const run = async (verb: string): Promise<string> => (await execute(script, [verb, directory])).stdout.trim();
  return {
    url: await run('start'),
    async kill() {
      // RabbitMQ 3.10 holds the names of newly declared queues in memory for seconds before it writes them.
      await run('sync');
      await run('kill');
    },
    start: async () => void (await run('start')),
    async stop() {
      await run('kill');
      await run('stop');
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
