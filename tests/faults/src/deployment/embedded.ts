import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@boxoffice/testkit';
import type { Mutation } from '../inside/orders.ts';
import { type DataLocation, type Deployment, reachable, settingsOf, setUp, together, unlimited } from './deployment.ts';
import { productProcess } from './process.ts';

const MAIN = new URL('../../../../deploy/local/src/main.ts', import.meta.url).pathname;

/** The file of the certificate that clients of a product on its own data directory trust. */
export const certificateIn = (directory: string): Promise<string> =>
  readFile(join(directory, 'development-certificate.pem'), 'utf8');

/** A new data directory of an installation on SQLite. */
export const emptyDirectory = async (): Promise<DataLocation> => ({
  directory: await mkdtemp(join(tmpdir(), 'boxoffice-faults-')),
  mongodbUrl: undefined,
  amqpUrl: undefined,
});

/**
 * `npm start` as one process on SQLite and the in-process bus, without rate limits and with these bugs planted; on a new
 * installation unless there is one, which `close` removes as well.
 */
export const startEmbedded = async (
  mutations: readonly Mutation[] = [],
  existing?: Pick<Deployment, 'data' | 'partner'>,
): Promise<Deployment> => {
  const data = existing?.data ?? (await emptyDirectory());
  const { directory } = data;
  const partner = existing?.partner ?? (await setUp(data));
  const [https, http] = await freePorts(2);
  const whole = productProcess({
    name: 'npm start',
    program: [MAIN],
    mutations,
    healthUrls: [`http://127.0.0.1:${http}/health/ready`],
    settings: {
      ...settingsOf(data),
      BOXOFFICE_DEMO: 'off',
      GATEWAY_PORT: `${https}`,
      GATEWAY_HTTP_PORT: `${http}`,
      ...reachable,
      ...unlimited,
    },
  });
  const close = async (): Promise<void> => {
    await whole.stop('SIGKILL');
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await whole.start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    engines: 'embedded',
    data,
    partner,
    address: { baseUrl: `https://localhost:${https}`, ca: await certificateIn(directory) },
    processes: [whole],
    runs: () => [whole],
    ...together([whole]),
    close,
  };
};
