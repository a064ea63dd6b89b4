// Programs that tests of crashes start and kill, and the jobs that they write.
import { writeSync } from 'node:fs';
import type { Collection, Document, Documents, Store } from '../../port.ts';
import { createId, createThing, getThings, suiteCollections, type Thing } from '../subject.ts';

// The program that crashes.ts starts and kills. It prints each attempt before, and each acknowledgement after it.

export interface CrashTask {
  readonly module: string;
  readonly settings: unknown;
  readonly institution: string;
  readonly counter: string;
  readonly show: string;
}

/** Writes synchronously, so that no line is lost to a kill; a full pipe is retried until its reader catches up. */
const report = (...words: readonly (string | number)[]): void => {
  let rest = Buffer.from(`${words.join(' ')}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
};

const createChange = (n: number) => [{ type: 'thing.changed', data: { n } }];

const writer = async (mine: Documents<Thing>, task: CrashTask): Promise<never> => {
  for (;;) {
    const [one, key] = [createThing(), createId('key')];
    report('try', key, one.id);
    const answer = () => ({ status: 201, headers: {}, body: { id: one.id } });
    const idempotencyRecord = { key, fingerprint: 'print', expiresAt: Date.now() + 3_600_000, answer };
    await mine.insert(one, { idempotencyRecord, events: createChange(1) });
    report('wrote', one.id, 1);
    for (const version of [2, 3]) {
      await mine.update(one.id, (current) => ({ next: { ...current, rank: version }, events: createChange(version) }));
      report('wrote', one.id, version);
    }
    const counted = await mine.update(task.counter, (current) => {
      const count = (current.count ?? 0) + 1;
      return { next: { ...current, count }, events: createChange(count) };
    });
    report('wrote', task.counter, counted?.version ?? 0);
    const where = { show: task.show, state: 'free' };
    for (const claimed of await mine.claim({ where, set: { state: 'held', name: key }, limit: 2, spread: 'spread' })) {
      report('claimed', claimed.id, key);
    }
  }
};

const task = JSON.parse(process.argv[2] ?? '{}') as CrashTask;
const { openStore } = (await import(task.module)) as {
  openStore(settings: unknown, collections: readonly Collection<Document>[]): Promise<Store>;
};
const store = await openStore(task.settings, suiteCollections);
const mine = getThings(store).of(task.institution);
await Promise.all(Array.from({ length: 8 }, () => writer(mine, task)));
