// Events: facts made into events, the time from a fact to the feed, and open streams.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { events as service } from '@boxoffice/events';
import { openMongoStore, openSqliteStores } from '@boxoffice/store';
import { type Benchmark, quantile, round } from '../measure/report.ts';
import { insertsCollection, measureFacts } from './facts.ts';
import { measureLatency, measureStreams } from './feed.ts';

const TARGET = 0.3;
const MOST_MB = 100;

const collections = [...service.collections, insertsCollection];

/** What partners hear of: from the fact to the feed. */
export const events: Benchmark = {
  about:
    'facts a second made into events against inserts of the store, fact to feed, memory of 1,000 streams; --mongodb URL, --amqp URL: also there',
  async run(progress, { mongodb, amqp }) {
    const directory = mkdtempSync(join(tmpdir(), 'boxoffice-bench-'));
    const rows: (string | number)[][] = [];
    const ratios: { name: string; ratio: number }[] = [];
    const compare = (name: string, { facts, inserts }: { facts: number; inserts: number }): void => {
      ratios.push({ name, ratio: facts / inserts });
      rows.push([`${name}: facts a second`, facts], [`${name}: inserts a second`, inserts]);
    };
    progress('facts on SQLite');
    const stores = openSqliteStores({ directory });
    compare('SQLite', await measureFacts(await stores.open('bench', collections)));
    await stores.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    if (mongodb) {
      progress('facts on MongoDB');
      const mongo = await openMongoStore({ url: mongodb, name: `bench_${process.pid}`, collections });
      compare('MongoDB', await measureFacts(mongo));
      await mongo.close();
    }
    const latency = (name: string, taken: readonly number[]): void => {
      rows.push([`${name}: fact to feed, p50 ms`, quantile(taken, 0.5)]);
      rows.push([`${name}: fact to feed, p99 ms`, quantile(taken, 0.99)]);
    };
    progress('fact to feed, in-process bus');
    latency('in-process', await measureLatency({}));
    progress(amqp === undefined ? 'no RabbitMQ named: left out' : 'fact to feed, RabbitMQ');
    if (amqp !== undefined) latency('RabbitMQ', await measureLatency({ AMQP_URL: amqp }));
    progress('1,000 streams');
    const { streams, bytes, everyEventMs } = await measureStreams();
    const megabytes = bytes / 1e6;
    rows.push([`${streams} streams, MB`, megabytes], [`an event to ${streams} streams, ms`, everyEventMs]);
    return {
      name: 'events',
      about: this.about,
      columns: ['', 'figure'],
      rows,
      targets: [
        ...ratios.map(({ name, ratio }) => ({
          what: `facts made into events against inserts, ${name}`,
          target: `≥ ${TARGET} ×`,
          reached: `${round(ratio)} ×`,
          met: ratio >= TARGET,
        })),
        {
          what: `memory of ${streams} open streams`,
          target: `≤ ${MOST_MB} MB`,
          reached: `${round(megabytes)} MB`,
          met: megabytes <= MOST_MB,
        },
      ],
    };
  },
};
