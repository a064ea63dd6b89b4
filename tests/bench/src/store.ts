import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import {
  collection,
  type Document,
  type Documents,
  openMongoStore,
  openSqliteStores,
  type Store,
} from '@boxoffice/store';
import { type Benchmark, round } from './measure/report.ts';

interface Place extends Document {
  readonly state: string;
  readonly group: string;
  readonly position: number;
  readonly filling: string;
}

const places = collection<Place>('places', [{ name: 'claim', fields: ['group', 'state', 'position'] }]);
const filling = 'x'.repeat(500);
const SECONDS = 2;

/**
 * Calls `step` from `callers` concurrent callers for two seconds; returns calls per second and the longest stall of the
 * event loop.
 */
const measure = async (callers: number, step: (caller: number, turn: number) => Promise<unknown>) => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const end = performance.now() + SECONDS * 1000;
  let done = 0;
  delay.enable();
  const caller = async (id: number) => {
    for (let turn = 0; performance.now() < end; turn += 1) {
      await step(id, turn);
      done += 1;
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: callers }, (_, id) => caller(id)));
  delay.disable();
  return { rate: (done / (performance.now() - started)) * 1000, stop: delay.max / 1e6 };
};

/** The baseline: one durable transaction per insert, on the event loop. */
const plain = async (directory: string): Promise<number> => {
  const database = new DatabaseSync(join(directory, 'plain.sqlite'));
  database.exec(
    'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (id TEXT PRIMARY KEY, body TEXT) STRICT',
  );
  const insert = database.prepare('INSERT INTO t VALUES (?, ?)');
  let next = 0;
  const { rate } = await measure(1, async () => {
    next += 1;
    insert.run(`${next}`, JSON.stringify({ state: 'free', group: 'g', position: 0.5, filling }));
    await new Promise((resolve) => setImmediate(resolve));
  });
  database.close();
  return rate;
};

const fresh = (id: string, group: string) => ({ id, state: 'free', group, position: Math.random(), filling });

const measureEngine = async (name: string, store: Store, progress: (line: string) => void) => {
  const documents: Documents<Place> = store.collection(places).of('bench');
  const rows: (string | number)[][] = [];
  for (const callers of [1, 8, 32]) {
    progress(`${name}, ${callers} callers`);
    const insert = await measure(callers, (id, turn) =>
      documents.insert(fresh(`i${callers}-${id}-${turn}`, 'inserted')),
    );
    for (let id = 0; id < callers; id += 1) await documents.insert(fresh(`u${callers}-${id}`, 'updated'));
    const update = await measure(callers, (id) =>
      documents.update(`u${callers}-${id}`, (place) => ({ next: { ...place, position: place.position / 2 } })),
    );
    const group = `claimed${callers}`;
    const stock = name === 'mongodb' ? 4_000 : 50_000;
    await documents.insertMany(Array.from({ length: stock }, (_, index) => fresh(`c${callers}-${index}`, group)));
    const claim = await measure(callers, () =>
      documents.claim({ where: { group, state: 'free' }, set: { state: 'held' }, limit: 1, spread: 'position' }),
    );
    const stop = Math.max(insert.stop, update.stop, claim.stop);
    rows.push([name, callers, insert.rate, update.rate, claim.rate, stop]);
  }
  return rows;
};

/** Durable writes of both engines against one plain commit per write. */
export const store: Benchmark = {
  about: 'durable inserts, compare-and-swap updates and claims per second; with --mongodb URL those of MongoDB too',
  async run(progress, options) {
    const directory = mkdtempSync(join(tmpdir(), 'boxoffice-bench-'));
    progress('one commit per write on the event loop');
    const before = await plain(directory);
    const stores = openSqliteStores({ directory });
    const rows = await measureEngine('sqlite', await stores.open('bench', [places]), progress);
    await stores.close();
    const after = await plain(mkdtempSync(join(directory, 'again-')));
    const url = options.mongodb;
    if (url) {
      const mongo = await openMongoStore({ url, name: `bench_${process.pid}`, collections: [places] });
      rows.push(...(await measureEngine('mongodb', mongo, progress)));
      await mongo.close();
    }
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    const yardstick = (before + after) / 2;
    const grouped = Number(rows.find(([, callers]) => callers === 32)?.[2]);
    const ratio = grouped / yardstick;
    return {
      name: 'store',
      about: this.about,
      columns: ['engine', 'callers', 'inserts/s', 'updates/s', 'claims/s', 'longest stop ms'],
      rows: [['plain commit', 1, yardstick, '', '', ''], ...rows],
      targets: [
        {
          what: 'SQLite inserts at 32 callers against a plain commit per write',
          target: '≥ 4 ×',
          reached: `${round(ratio)} ×`,
          met: ratio >= 4,
        },
      ],
    };
  },
};
