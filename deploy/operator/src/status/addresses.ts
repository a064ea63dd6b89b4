import { readFileSync } from 'node:fs';
import type { Running } from '@boxoffice/local';
import { readSettings, type Setting, url } from '@boxoffice/runtime';
import { builtInRows, isBuiltIn, type ServiceRow, urlSettingOf } from '@boxoffice/runtime/services';
import type { Installation } from '../installation.ts';
import type { Address } from './probe.ts';

const settings: Readonly<Record<string, Setting<string | undefined>>> = Object.fromEntries(
  builtInRows.map(({ name }) => [name, url(urlSettingOf(name), { optional: true, origin: true })]),
);

/** A process without a known address. */
export interface NotAsked {
  readonly service: string;
  /** The setting that would name it: `GATEWAY_URL`. */
  readonly setting: string;
}

/** The known addresses of an installation's processes. */
export interface Addresses {
  readonly from: 'npm start' | 'settings' | 'settings and npm start' | 'nowhere';
  readonly all: readonly Address[];
  /** Processes that may run at an unknown address. Empty for a stopped installation on files: it has no processes. */
  readonly unknown: readonly NotAsked[];
}

const ofRunning = ({ urls, gatewayUrl, caFile }: Running): Address[] => {
  const ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8');
  return Object.entries(urls).map(([service, url]) =>
    service === 'gateway' ? { service, url, versionUrl: gatewayUrl, ca } : { service, url },
  );
};

/**
 * The addresses of these services: in the settings by which the services reach one another, and in their rows; all
 * others from the record that a running `npm start` has in the data directory. @throws {SettingsFault}
 */
export const addressesOf = async (
  { engines, running: look }: Installation,
  services: readonly ServiceRow[],
): Promise<Addresses> => {
  const set: Readonly<Record<string, string | undefined>> = readSettings(settings);
  // A team's service without an address serves nobody: it may only receive facts.
  const rows = services.filter(({ name, url }) => isBuiltIn(name) || url !== undefined);
  const given = Object.fromEntries(rows.map(({ name, url }) => [name, set[name] ?? url]));
  const running = await look();
  const recorded = running === undefined ? [] : ofRunning(running);
  const all = rows.flatMap(({ name: service }): Address[] => {
    const url = given[service];
    return url === undefined ? recorded.filter((one) => one.service === service) : [{ service, url }];
  });
  const isGiven = builtInRows.some(({ name }) => given[name] !== undefined);
  const unknown = rows
    .filter(({ name }) => !all.some(({ service }) => service === name))
    .map(({ name }) => ({ service: name, setting: urlSettingOf(name) }));
  if (running !== undefined)
    return isGiven ? { from: 'settings and npm start', all, unknown } : { from: 'npm start', all, unknown: [] };
  // With shared engines, the other processes may run anywhere.
  return isGiven
    ? { from: 'settings', all, unknown }
    : { from: 'nowhere', all, unknown: engines.store === 'SQLite' ? [] : unknown };
};
