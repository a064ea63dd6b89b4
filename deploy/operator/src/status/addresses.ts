import { readFileSync } from 'node:fs';
import type { Running } from '@boxoffice/local';
import { readSettings, url } from '@boxoffice/runtime';
import type { Installation } from '../installation.ts';
import type { Address } from './probe.ts';

/** Every process of the product, in the order in which they are told. */
const names = ['gateway', 'authorizer', 'catalog', 'contacts', 'orders', 'tickets', 'pos'] as const;

const settingOf = (service: string): string => `${service.toUpperCase()}_URL`;

const settings = Object.fromEntries(
  names.map((service) => [service, url(settingOf(service), { optional: true, origin: true })]),
);

/** A process whose address nothing tells. */
export interface NotAsked {
  readonly service: string;
  /** What would tell it: `GATEWAY_URL`. */
  readonly setting: string;
}

/** Where the processes of an installation are, as far as anything says so. */
export interface Addresses {
  readonly from: 'npm start' | 'settings' | 'settings and npm start' | 'nowhere';
  readonly all: readonly Address[];
  /** Those that may run elsewhere, unasked. None of an installation on files that is stopped: it has no processes. */
  readonly unknown: readonly NotAsked[];
}

const ofRunning = ({ urls, gatewayUrl, caFile }: Running): Address[] => {
  const ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8');
  return Object.entries(urls).map(([service, url]) =>
    service === 'gateway' ? { service, url, versionUrl: gatewayUrl, ca } : { service, url },
  );
};

/**
 * The addresses that the settings name, as the services know one another by them; all others as `npm start` notes them in the data
 * directory while it runs. @throws {SettingsFault}
 */
export const addressesOf = async ({ engines, running: look }: Installation): Promise<Addresses> => {
  const given: Readonly<Record<string, string | undefined>> = readSettings(settings);
  const running = await look();
  const noted = running === undefined ? [] : ofRunning(running);
  const all = names.flatMap((service): Address[] => {
    const url = given[service];
    return url === undefined ? noted.filter((one) => one.service === service) : [{ service, url }];
  });
  const isGiven = Object.values(given).some((url) => url !== undefined);
  const unknown = names
    .filter((name) => !all.some(({ service }) => service === name))
    .map((service) => ({ service, setting: settingOf(service) }));
  if (running !== undefined)
    return isGiven ? { from: 'settings and npm start', all, unknown } : { from: 'npm start', all, unknown: [] };
  // Where the engines are for many processes, these may be anywhere.
  return isGiven
    ? { from: 'settings', all, unknown }
    : { from: 'nowhere', all, unknown: engines.store === 'SQLite' ? [] : unknown };
};
