// pretix, deployed on this machine as its documentation describes: gunicorn, Celery, PostgreSQL and Redis.

import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Client, findFreePorts, type Json, openClient, waitUntil } from '@boxoffice/testkit';
import type { Buy } from '../purchase.ts';
import { HERE } from './processes.ts';

const VERSION = '2026.8.0';
const PACKAGES = [`pretix==${VERSION}`, 'gunicorn==27.0.1'];

/** Debian keeps PostgreSQL's programs out of the PATH, one folder a version. */
const findServerFolder = (): string => {
  const debian = globSync('/usr/lib/postgresql/*/bin');
  return debian.sort((a, b) => Number(a.split('/')[4]) - Number(b.split('/')[4])).at(-1) ?? '';
};

const canRun = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

/** The Debian packages without which pretix cannot run here. */
export function findMissingPackages(venv: string | undefined): string[] {
  return [
    ...(canRun(join(findServerFolder(), 'postgres'), '--version') ? [] : ['postgresql']),
    ...(canRun('redis-server', '--version') ? [] : ['redis-server']),
    ...(venv !== undefined || canRun('python3', '-c', 'import venv, ensurepip') ? [] : ['python3-venv']),
  ];
}

const run = promisify(execFile);

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => (exitCode ?? signalCode) !== null;

export interface Installation {
  readonly version: string;
  readonly bin: string;
  /** A file that keeps its empty tables, once they have been made: that takes it minutes. */
  readonly tables: string;
}

/** Installs pretix in a virtual environment that is kept in the cache folder, unless one with pretix is given. */
export async function installPretix(venv: string | undefined, progress: (line: string) => void): Promise<Installation> {
  const cache = join(HERE, '.cache');
  const folder = venv ?? join(cache, `pretix-${VERSION}`);
  if (venv === undefined) {
    progress(`installing ${PACKAGES.join(' and ')} with pip, unless that is done`);
    await run('python3', ['-m', 'venv', folder]);
    await run(join(folder, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', ...PACKAGES]);
  }
  const ask = 'import pretix, gunicorn; print(pretix.__version__)';
  const version = (await run(join(folder, 'bin/python'), ['-c', ask])).stdout.trim();
  mkdirSync(cache, { recursive: true });
  return { version, bin: join(folder, 'bin'), tables: join(cache, `pretix-${version}.sql`) };
}

/** PostgreSQL refuses to run as root: it then runs as the user that its package has made. */
const chooseDatabaseUser = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const readId = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: readId('-u'), gid: readId('-g') };
};

const formatSettings = (directory: string, port: number, redis: number): string => `
[pretix]
url=http://127.0.0.1:${port}
datadir=${directory}/data
[database]
backend=postgresql
name=postgres
user=postgres
host=${directory}
[redis]
location=redis://127.0.0.1:${redis}/0
sessions=true
[celery]
backend=redis://127.0.0.1:${redis}/1
broker=redis://127.0.0.1:${redis}/2
`;

/** An organizer and a token that may do everything; all else is done by requests. */
const FIRST_STEPS = `
from pretix.base.models import Organizer, Team
organizer = Organizer.objects.create(name='Benchmark', slug='bench')
team = Team.objects.create(organizer=organizer, name='All', all_events=True, all_event_permissions=True,
                           all_organizer_permissions=True)
print('token', team.tokens.create(name='benchmark').token)
`;

/** pretix, its servers started, with one event on sale. */
export type Pretix = Awaited<ReturnType<typeof startPretix>>;

/** Starts pretix in an empty directory. @throws {Error} when it does not start */
export async function startPretix(directory: string, { bin, tables }: Installation) {
  const [port = 0, redis = 0] = await findFreePorts(2);
  const user = chooseDatabaseUser();
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid ?? user.uid);
  const settings = join(directory, 'pretix.cfg');
  writeFileSync(settings, formatSettings(directory, port, redis));
  mkdirSync(join(directory, 'data'));
  const options = { cwd: directory, env: { ...process.env, PRETIX_CONFIG_FILE: settings } };
  const started: ChildProcess[] = [];
  const start = (program: string, args: readonly string[], as = {}): void => {
    const log = openSync(join(directory, 'servers.log'), 'a');
    started.push(spawn(program, args, { ...options, ...as, stdio: ['ignore', log, log] }));
  };
  const stop = async (): Promise<void> => {
    // The database last. At SIGINT it does not wait for its clients.
    for (const child of started.toReversed()) {
      if (hasEnded(child)) continue;
      const ended = once(child, 'exit');
      child.kill(child === started[0] ? 'SIGINT' : 'SIGTERM');
      await ended;
    }
  };
  const waitFor = (what: string, probe: () => Promise<boolean>) => {
    const isReady = () => {
      if (started.some(hasEnded))
        throw new Error(`no ${what}: ${readFileSync(join(directory, 'servers.log'), 'utf8').slice(-2_000)}`);
      return probe().catch(() => false);
    };
    return waitUntil(isReady, { what, withinMs: 600_000 });
  };
  const manage = (...args: string[]) => run(join(bin, 'python'), ['-m', 'pretix', ...args], options);
  try {
    const [server, database] = [findServerFolder(), join(directory, 'database')];
    const initdb = ['-D', database, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale'];
    await run(join(server, 'initdb'), initdb, { ...options, ...user });
    start(join(server, 'postgres'), ['-D', database, '-k', directory, '-c', 'listen_addresses='], user);
    start('redis-server', ['--bind', '127.0.0.1', '--port', `${redis}`]);
    await waitFor('PostgreSQL', () => run(join(server, 'pg_isready'), ['-h', directory]).then(() => true));
    const connection = ['-h', directory, '-U', 'postgres', '-d', 'postgres'];
    if (existsSync(tables)) await run(join(server, 'psql'), [...connection, '-q', '-o', '/dev/null', '-f', tables]);
    else {
      await manage('migrate');
      await run(join(server, 'pg_dump'), [...connection, '-f', `${tables}.part`]);
      renameSync(`${tables}.part`, tables);
    }
    const token = /^token (\S+)/m.exec((await manage('shell', '-c', FIRST_STEPS)).stdout)?.[1];
    // As in its container image, but that a busy machine may take a worker longer than 30 seconds.
    const web = 'pretix.wsgi --name pretix --max-requests 1200 --max-requests-jitter 50 --timeout 300'.split(' ');
    const workers = `${2 * availableParallelism()}`;
    start(join(bin, 'gunicorn'), [...web, '--workers', workers, '--bind', `127.0.0.1:${port}`]);
    start(join(bin, 'celery'), ['-A', 'pretix.celery_app', 'worker', '-l', 'info']);
    const address = { baseUrl: `http://127.0.0.1:${port}` };
    await waitFor('pretix', () => openClient(address)('/healthcheck/').then(({ status }) => status === 200));
    const client = openClient(address, { headers: { authorization: `Token ${token}` } });
    await create(client, '', EVENT);
    return {
      /** Of every server: gunicorn, Celery, PostgreSQL and Redis. */
      pids: started.map(({ pid }) => pid ?? 0),
      /** Puts so many places of general admission on sale; returns how a client buys one of them. */
      putOnSale: (places: number, isPaid: boolean): Promise<Buy> => putOnSale(client, places, isPaid),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const EVENT = {
  slug: 'final',
  name: { en: 'The final' },
  currency: 'CHF',
  date_from: '2035-06-01T18:00:00Z',
  timezone: 'Europe/Zurich',
  plugins: ['pretix.plugins.manualpayment'],
};

const ITEM = { name: { en: 'Floor' }, default_price: '50.00', admission: true };

const create = async (client: Client, path: string, body: object): Promise<Json> => {
  const reply = await client(`/api/v1/organizers/bench/events/${path}`, { method: 'POST', body });
  if (reply.status !== 201) throw new Error(`pretix, ${path}: ${reply.status} ${reply.text}`);
  return reply.body;
};

const putOnSale = async (client: Client, places: number, isPaid: boolean): Promise<Buy> => {
  const { id } = await create(client, 'final/items/', ITEM);
  await create(client, 'final/quotas/', { name: 'Floor', size: places, items: [id] });
  const paid = isPaid ? { status: 'p', payment_provider: 'manual' } : {};
  const order = { locale: 'en', sales_channel: 'web', positions: [{ item: id }], ...paid };
  return async () => {
    const since = performance.now();
    for (;;) {
      const reply = await client('/api/v1/organizers/bench/events/final/orders/', { method: 'POST', body: order });
      if (reply.status === 201) return { ms: performance.now() - since, place: reply.body.positions[0].secret };
      if (reply.status === 400 && reply.text.includes('not enough quota')) return undefined;
      // 409: it was too busy and asks to try again.
      if (reply.status !== 409) throw new Error(`pretix, order: ${reply.status} ${reply.text}`);
    }
  };
};
