import { readFileSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import { file, url } from '../settings/kinds.ts';
import { type Environment, readSettings, type Setting, SettingsFault } from '../settings/settings.ts';
import { dataDirectory } from '../settings/shared.ts';
import { explain, getErrorCode } from '../settings/start-fault.ts';
import { repeat } from '../time.ts';
import { type CheckOptions, checkRows, RowsFault } from './check.ts';
import type { ServiceRow } from './rows.ts';

// Of the package, beside `src` and `dist`.
const FILE = new URL('../../services.json', import.meta.url);

/** The services of the product: the list without a SERVICES_FILE. */
export const builtInRows: readonly ServiceRow[] = JSON.parse(readFileSync(FILE, 'utf8'));

const builtIn: ReadonlySet<string> = new Set(builtInRows.map(({ name }) => name));

export function isBuiltIn(name: string): boolean {
  return builtIn.has(name);
}

const EMPTY = {
  prefixes: [],
  domains: [],
  open: [],
  sessions: [],
  pages: [],
  headers: [],
  calls: [],
  publishes: [],
  consumes: [],
};

/** A row with the name of a built-in service sets its url. @throws {RowsFault} naming each wrong row, and why */
export function parseRows(text: string, options?: CheckOptions): readonly ServiceRow[] {
  const added = checkRows(text, builtInRows, options);
  const addressed = builtInRows.map((row) => ({ ...row, ...added.find(({ name }) => name === row.name) }));
  return [...addressed, ...added.filter(({ name }) => !isBuiltIn(name))].map((row) => ({ ...EMPTY, ...row }));
}

export interface ServicesFile {
  readonly path: string;
  /** Whether it may be absent: then the built-in services are all. */
  readonly isOptional: boolean;
  readonly rows: readonly ServiceRow[];
}

/** Can change while the process runs. */
export interface ServiceList {
  rows(): readonly ServiceRow[];
  onChange(listener: (rows: readonly ServiceRow[]) => void): void;
  /** Whether the file as it is now cannot be used, so that an earlier state of it counts. */
  isRefused(): boolean;
  close(): Promise<void>;
}

export function createFixedServices(rows: readonly ServiceRow[] = builtInRows): ServiceList {
  return {
    rows: () => rows,
    onChange: () => undefined,
    isRefused: () => false,
    close: async () => undefined,
  };
}

const given = file('SERVICES_FILE', { optional: true });

/** Whether there is no file; a data directory that is none is reported as such. */
const isAbsent = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(getErrorCode(error));

/** Far more than 200 rows need: a larger file is another one. Bytes. */
const MOST_BYTES = 256 * 1_024;

const checkSize = ({ size }: { readonly size: number }): void => {
  if (size > MOST_BYTES)
    throw new RowsFault(['is larger than 256 KiB, the most that is read; remove rows, or correct the path']);
};

const read = (path: string, isOptional: boolean, options?: CheckOptions): ServicesFile => {
  const at = `${given.name}: ${path}`;
  try {
    checkSize(statSync(path));
    return { path, isOptional, rows: parseRows(readFileSync(path, 'utf8'), options) };
  } catch (error) {
    if (error instanceof RowsFault) throw new SettingsFault(error.faults.map((fault) => `${at}: ${fault}`));
    if (isOptional && isAbsent(error)) return { path, isOptional, rows: builtInRows };
    throw new SettingsFault([`${at} cannot be read: ${explain(error)}`]);
  }
};

export const servicesFile: Setting<ServicesFile | undefined> = {
  name: given.name,
  read(env: Environment) {
    const path = given.read(env);
    return path === undefined ? undefined : read(path, false);
  },
};

const readFileOrData = (env: Environment, options?: CheckOptions): ServicesFile => {
  const path = given.read(env);
  return path === undefined
    ? read(join(dataDirectory.read(env), 'services.json'), true, options)
    : read(path, false, options);
};

/** The same; where it is not set, `services.json` of the data directory, if it is there or as soon as it is. */
export const servicesFileOrData: Setting<ServicesFile> = {
  name: given.name,
  read: (env: Environment) => readFileOrData(env),
};

/** For a program that runs once. @throws {SettingsFault} */
export function readPresentRows(options?: CheckOptions): readonly ServiceRow[] {
  return readSettings({ file: { name: given.name, read: (env) => readFileOrData(env, options) } }).file.rows;
}

/** `ORDERS_URL`: the setting with the address of a built-in service. */
export function nameUrlSetting(name: string): string {
  return `${name.toUpperCase()}_URL`;
}

export const serviceUrls: Setting<Readonly<Record<string, string | undefined>>> = {
  name: '*_URL',
  read(env: Environment) {
    const served = builtInRows.filter(({ prefixes }) => prefixes.length > 0);
    const settings: Record<string, Setting<string | undefined>> = {};
    for (const { name } of served) settings[name] = url(nameUrlSetting(name), { optional: true, origin: true });
    return readSettings(settings, env);
  },
};

export function watchServicesFile(metrics: Metrics, process: string, list: Pick<ServiceList, 'isRefused'>): void {
  const gauge = {
    name: 'boxoffice_services_file_refused',
    help: '1 while SERVICES_FILE cannot be used as it is, so that its last good rows count',
    labels: ['service'],
  };
  metrics.watch(gauge, () => [{ value: list.isRefused() ? 1 : 0, labels: { service: process } }]);
}

interface FollowOptions {
  readonly file: ServicesFile | undefined;
  readonly logger: Pick<Logger, 'info' | 'error'>;
  readonly everyMs?: number;
}

/** A change counts after about a second. What cannot be used is logged once, and the last good rows stay. */
export function followServices({ file: followed, logger, everyMs = 1_000 }: FollowOptions): ServiceList {
  if (followed === undefined) return createFixedServices();
  const { path, isOptional } = followed;
  const listeners: ((rows: readonly ServiceRow[]) => void)[] = [];
  let { rows } = followed;
  let seen: string | undefined;
  let refused = false;

  const readNow = async (): Promise<{ readonly text?: string; readonly problem?: string }> => {
    try {
      checkSize(await stat(path));
      return { text: await readFile(path, 'utf8') };
    } catch (error) {
      if (error instanceof RowsFault) return { problem: error.message };
      return isOptional && isAbsent(error) ? { text: '[]' } : { problem: `cannot be read: ${explain(error)}` };
    }
  };

  const look = async (): Promise<void> => {
    const { text, problem } = await readNow();
    if ((text ?? problem) === seen) return;
    seen = text ?? problem;
    const wasRefused = refused;
    refused = true;
    if (text === undefined) throw new RowsFault([String(problem)]);
    const next = parseRows(text);
    refused = false;
    const isSame = JSON.stringify(next) === JSON.stringify(rows);
    if (isSame && !wasRefused) return;
    const message = wasRefused ? 'the services file can be used again' : 'the services file has changed';
    logger.info(message, { part: path, count: next.length - builtInRows.length });
    if (isSame) return;
    rows = next;
    for (const listener of listeners) listener(rows);
  };

  const reading = repeat(look, {
    everyMs,
    failed: (error) => {
      if (error instanceof RowsFault)
        logger.error('the services file cannot be used; its last good rows stay', {
          reason: `${given.name}: ${path}: ${error.message}`,
        });
      else logger.error('a change of the services file failed', { error });
    },
  });
  return {
    rows: () => rows,
    onChange: (listener) => void listeners.push(listener),
    isRefused: () => refused,
    close: reading.close,
  };
}
