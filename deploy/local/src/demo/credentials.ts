import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { explain, getErrorCode, replaceFile, StartFault } from '@boxoffice/runtime';
import type { DemoApiKey, DemoApiUser, DemoClient, DemoUser } from './accounts.ts';
import type { FixtureIds } from './catalogue.ts';

/** `demo.json`: the credentials and ids for trying the installation out. */
export interface DemoCredentials {
  readonly baseUrl: string;
  readonly posUrl: string;
  readonly caFile: string;
  readonly clients: readonly DemoClient[];
  readonly apiKeys: readonly DemoApiKey[];
  readonly pointsOfSale: readonly {
    readonly serviceHost: string;
    readonly institution: string;
    readonly languages: readonly string[];
    readonly currency: string;
  }[];
  readonly users: readonly DemoUser[];
  readonly apiUsers: readonly DemoApiUser[];
  /** What can be typed into the shops, with the discount that it stands for. */
  readonly codes: readonly { readonly institution: string; readonly code: string; readonly discount: string }[];
  readonly fixtures: Readonly<Record<string, FixtureIds>>;
}

/** The installation's public addresses; this part of `demo.json` follows the settings. */
export type Addresses = Pick<DemoCredentials, 'baseUrl' | 'posUrl' | 'caFile'>;

export function getDemoFile(directory: string): string {
  return join(directory, 'demo.json');
}

/** Undefined if there are none. @throws {StartFault} when the file is damaged or incomplete */
export function readDemo(directory: string): DemoCredentials | undefined {
  const path = getDemoFile(directory);
  const createDamagedFault = (how: string): StartFault =>
    new StartFault(`${path} ${how}; remove it to get new demo credentials`);
  try {
    const stored: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!isDemo(stored)) throw createDamagedFault('holds no demo credentials');
    return stored;
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error instanceof StartFault ? error : createDamagedFault(`cannot be read (${explain(error)})`);
  }
}

const isDemo = (value: unknown): value is DemoCredentials => {
  const { clients, pointsOfSale, fixtures } = (value ?? {}) as Partial<Record<keyof DemoCredentials, unknown>>;
  const opens = (client: Partial<DemoClient> | null): boolean =>
    typeof client?.clientId === 'string' &&
    (typeof client.clientSecret === 'string' || Array.isArray(client.redirectUris));
  const whole = Array.isArray(pointsOfSale) && typeof fixtures === 'object' && fixtures !== null;
  return whole && Array.isArray(clients) && clients.length > 0 && clients.every(opens);
};

export function removeDemo(directory: string): void {
  rmSync(getDemoFile(directory), { force: true });
}

/** Writes the file atomically, readable by its owner only. @throws {StartFault} when it cannot be written */
export function writeDemo(directory: string, demo: DemoCredentials): void {
  const path = getDemoFile(directory);
  try {
    replaceFile(path, `${JSON.stringify(demo, null, 2)}\n`, 0o600);
  } catch (error) {
    throw new StartFault(`${path} cannot be written: ${explain(error)}`);
  }
}
