import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@boxoffice/testkit';
import type { Deployment } from '../../src/deployment/deployment.ts';
import { certificateIn } from '../../src/deployment/embedded.ts';
import { type DataLocation, settingsOf } from '../../src/deployment/installation.ts';
import { productProcess } from '../../src/deployment/process.ts';

const MAIN = new URL('../../../../deploy/local/src/main.ts', import.meta.url).pathname;

/** An empty data directory for an installation on SQLite. */
export const emptyDirectory = async (): Promise<DataLocation> => ({
  directory: await mkdtemp(join(tmpdir(), 'boxoffice-restored-')),
  mongodbUrl: undefined,
  amqpUrl: undefined,
});

/** Starts `npm start` on existing data. */
export const startOn = async (
  data: DataLocation,
): Promise<Pick<Deployment, 'address'> & { close(): Promise<void> }> => {
  const [https, http] = await freePorts(2);
  const product = productProcess({
    name: 'npm start',
    program: [MAIN],
    healthUrl: `http://127.0.0.1:${http}/health/ready`,
    settings: { ...settingsOf(data), BOXOFFICE_DEMO: 'off', GATEWAY_PORT: `${https}`, GATEWAY_HTTP_PORT: `${http}` },
  });
  await product.start();
  return {
    address: { baseUrl: `https://localhost:${https}`, ca: await certificateIn(data.directory) },
    async close() {
      await product.stop('SIGTERM');
      await rm(data.directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
