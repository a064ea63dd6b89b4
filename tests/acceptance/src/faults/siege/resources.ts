import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { authorizer } from '@boxoffice/authorizer';
import { catalog } from '@boxoffice/catalog';
import { contacts } from '@boxoffice/contacts';
import { events } from '@boxoffice/events';
import { orders } from '@boxoffice/orders';
import { pos } from '@boxoffice/pos';
import { tickets } from '@boxoffice/tickets';
import type { Deployment } from '../deployment/deployment.ts';
import { openStores } from '../deployment/installation.ts';
import { patiently } from '../round/patiently.ts';

const execute = promisify(execFile);

/** The resident memory of the product's processes together, in bytes. */
export const residentBytes = async ({ processes }: Pick<Deployment, 'processes'>): Promise<number> => {
  const pids = processes.flatMap(({ pid }) => pid() ?? []);
  if (pids.length === 0) return 0;
  const { stdout } = await execute('ps', ['-o', 'rss=', '-p', pids.join(',')]);
  return stdout.split('\n').reduce((sum, line) => sum + Number(line.trim()) * 1_024, 0);
};

/** The size of a folder's files, in bytes; files that vanish meanwhile count nothing. */
const bytesIn = async (directory: string): Promise<number> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) =>
        stat(join(parentPath, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};

/** What the stores hold. */
export interface Stored {
  /** Of the SQLite files; null on MongoDB, whose files are not the product's. */
  readonly bytes: number | null;
  /** Documents of all collections of all services. */
  readonly documents: number;
}

const services = [authorizer, catalog, contacts, events, orders, pos, tickets];

const count = async ({ data, engines: name }: Pick<Deployment, 'data' | 'engines'>): Promise<Stored> => {
  const engines = await openStores({ ...data, amqpUrl: undefined });
  try {
    let documents = 0;
    for (const service of services) {
      const store = await engines.store(service.name, service.collections);
      for (const one of service.collections) documents += await store.collection(one).acrossInstitutions.count();
    }
    return { bytes: name === 'embedded' ? await bytesIn(data.directory) : null, documents };
  } finally {
    await engines.close();
  }
};

/** Reads what the stores hold, beside the running product. */
export const storedBy = (deployment: Pick<Deployment, 'data' | 'engines'>): Promise<Stored> =>
  patiently(() => count(deployment));

/** What the stores hold more than before. */
export const growth = (before: Stored, now: Stored): Stored => ({
  bytes: before.bytes === null || now.bytes === null ? null : now.bytes - before.bytes,
  documents: now.documents - before.documents,
});

/** Reads the memory every second; `stop` returns the peak, in bytes. */
export const watchMemory = (deployment: Pick<Deployment, 'processes'>): { stop(): number } => {
  let peak = 0;
  const look = async (): Promise<void> => {
    const now = await residentBytes(deployment).catch(() => 0);
    peak = Math.max(peak, now);
  };
  void look();
  const timer = setInterval(() => void look(), 1_000);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
};

/** The limit of open files of a process that the harness starts (Node raises the soft limit to it). */
export const openFiles = async (): Promise<number> => {
  const { stdout } = await execute('sh', ['-c', 'ulimit -Hn']);
  const limit = Number(stdout.trim());
  return Number.isNaN(limit) ? Number.POSITIVE_INFINITY : limit;
};
