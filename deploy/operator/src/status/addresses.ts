import { readFileSync } from 'node:fs';
import { readRunning } from '@boxoffice/local';
import { readSettings, url } from '@boxoffice/runtime';
import type { Installation } from '../installation.ts';
import type { Address } from './probe.ts';

const address = (name: string) => url(name, { optional: true, origin: true });

const settings = {
  gateway: address('GATEWAY_URL'),
  authorizer: address('AUTHORIZER_URL'),
  catalog: address('CATALOG_URL'),
  contacts: address('CONTACTS_URL'),
  orders: address('ORDERS_URL'),
  tickets: address('TICKETS_URL'),
  pos: address('POS_URL'),
};

/** Where the processes of an installation are, as far as anything says so. */
export interface Addresses {
  readonly from: 'npm start' | 'settings' | 'nowhere';
  readonly all: readonly Address[];
}

/**
 * The addresses that the settings name, as the services know one another by them; otherwise those that `npm start` notes in the data
 * directory while it runs. @throws {SettingsFault}
 */
export const addressesOf = async ({ directory }: Installation): Promise<Addresses> => {
  const given = Object.entries(readSettings(settings)).flatMap(([service, at]) =>
    at === undefined ? [] : [{ service, url: at }],
  );
  if (given.length > 0) return { from: 'settings', all: given };
  const running = await readRunning(directory);
  if (running === undefined) return { from: 'nowhere', all: [] };
  const ca = running.caFile === undefined ? undefined : readFileSync(running.caFile, 'utf8');
  const all = Object.entries(running.urls).map(([service, at]) =>
    service === 'gateway' ? { service, url: at, versionUrl: running.gatewayUrl, ca } : { service, url: at },
  );
  return { from: 'npm start', all };
};
