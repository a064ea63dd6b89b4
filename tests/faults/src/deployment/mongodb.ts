import { openControl } from './control.ts';
import type { StoreServer } from './deployment.ts';

/** Starts a server of MongoDB's protocol for the harness with the script that TEST_MONGODB_CONTROL names. */
export const startStoreServer = async (control: string): Promise<StoreServer> => {
  const { run, remove } = await openControl(control, 'store');
  return {
    url: await run('start'),
    kill: async () => void (await run('kill')),
    start: async () => void (await run('start')),
    async restart() {
      await run('stop');
      await run('start');
    },
    async stop() {
      await run('stop');
      await remove();
    },
  };
};
