import { createMetrics } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { WorkTable } from '../../src/index.ts';
import { watchWork } from '../../src/metrics.ts';
import { listTestEngines } from '../../src/testkit/index.ts';
import { addJob, getJobs, jobs } from './jobs.ts';

const done = async () => 'done' as const;
const work: WorkTable<Store> = { jobs: { first: done, second: { handle: done, dropped: (document) => document } } };

describe.each(listTestEngines('work', [jobs]))('work_due_seconds on $name', (engine) => {
  let opened: Awaited<ReturnType<typeof engine.open>>;
  beforeAll(async () => {
    opened = await engine.open();
  });
  afterAll(() => opened.discard());

  test('is the age of the oldest work that is not done, also while it is claimed or tried again', async () => {
    const { store } = opened;
    const now = Date.now();
    const metrics = await createMetrics();
    watchWork(metrics, { service: 'notes', store, collections: [jobs], work, now: () => now });
    const values = async () => {
      const found = (await metrics.text()).text.matchAll(/^work_due_seconds\{(.*)\} (\S+)$/gm);
      return Object.fromEntries([...found].map(([, labels = '', value]) => [labels, Number(value)]));
    };
    const first = 'service="notes",collection="jobs",work="first",promised="true"';
    const second = 'service="notes",collection="jobs",work="second",promised="false"';
    expect(await values()).toEqual({ [first]: 0, [second]: 0 });

    const { id } = await addJob(store, { at: now - 90_000 });
    await addJob(store, { at: now - 20_000 });
    await addJob(store, { at: now + 10_000 });
    expect(await values()).toEqual({ [first]: 90, [second]: 0 });

    const { acrossInstitutions } = store.collection(jobs);
    const [claimed] = await acrossInstitutions.claimDue({ now, limit: 1, forMs: { first: 15_000 } });
    expect(claimed?.document.id).toBe(id);
    expect(await values()).toMatchObject({ [first]: 90 });

    const due = claimed?.document.due?.first;
    if (!due) throw new Error('nothing was claimed');
    await acrossInstitutions.moveDue(id, 'first', due, { at: now + 30_000, since: due.since, tries: 9 });
    expect(await values()).toMatchObject({ [first]: 90 });

    await getJobs(store).update(id, (current) => ({ next: current, due: { first: null } }));
    expect(await values()).toEqual({ [first]: 20, [second]: 0 });
  });
});
