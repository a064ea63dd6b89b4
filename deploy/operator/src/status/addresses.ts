import { readFileSync } from 'node:fs';
import { readRunning } from '@boxoffice/local';
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
  readonly from: 'npm start' | 'settings' | 'nowhere';
  readonly all: readonly Address[];
  /** Those that may run elsewhere, unasked. None of an installation on files that is stopped: it has no processes. */
  readonly unknown: readonly NotAsked[];
}

const unknownBeside = (known: readonly Address[]): NotAsked[] =>
  names
    .filter((name) => !known.some(({ service }) => service === name))
    .map((service) => ({ service, setting: settingOf(service) }));

/**
 * The addresses that the settings name, as the services know one another by them; otherwise those that `npm start` notes in the data
 * directory while it runs. @throws {SettingsFault}
 */
export const addressesOf = async ({ directory, engines }: Installation): Promise<Addresses> => {
  const given = Object.entries(readSettings(settings)).flatMap(([service, at]) =>
    at === undefined ? [] : [{ service, url: at }],
  );
  if (given.length > 0) return { from: 'settings', all: given, unknown: unknownBeside(given) };
  const running = await readRunning(directory);
  // Where the engines are for many processes, these may be anywhere.
  if (running === undefined)
    return { from: 'nowhere', all: [], unknown: engines.store === 'SQLite' ? [] : unknownBeside([]) };
  const ca = running.caFile === undefined ? undefined : readFileSync(running.caFile, 'utf8');
  const all = Object.entries(running.urls).map(([service, at]) =>
    service === 'gateway' ? { service, url: at, versionUrl: running.gatewayUrl, ca } : { service, url: at },
  );
  return { from: 'npm start', all, unknown: [] };
};
