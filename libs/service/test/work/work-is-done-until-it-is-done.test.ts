import { collection, type Store, wrapCollection } from '@boxoffice/store';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Claim, startWork, type WorkRunner, type WorkTable } from '../../src/index.ts';
import { listTestEngines, type OpenEngine } from '../../src/testkit/index.ts';
import { addJob, effect, getJobs, jobs, open } from './jobs.ts';

/** Resolves when `called` has been called that often. */
const calls = () => {
  let count = 0;
  const waiting: { readonly times: number; readonly resolve: () => void }[] = [];
  return {
    called(): number {
      count += 1;
      for (const { times, resolve } of waiting) if (count >= times) resolve();
      return count;
    },
    count: () => count,
    times: (times: number): Promise<void> =>
      new Promise((resolve) => {
        if (count >= times) resolve();
        else waiting.push({ times, resolve });
      }),
  };
};

const countCalls = <Method>(method: Method, count: () => void): Method => {
  if (typeof method !== 'function') return method;
  const call = (...given: unknown[]): unknown => {
    count();
    return Reflect.apply(method, undefined, given);
  };
  return call as Method;
};

describe.each(listTestEngines('work', [jobs]))('on $name', (engine) => {
  let data: OpenEngine;
  let store: Store;
  let runners: WorkRunner[];
  beforeEach(async () => {
    data = await engine.start();
    store = await data.open();
    runners = [];
  });
  afterEach(async () => {
    for (const runner of runners) await runner.close();
    await data.close();
  });
  const run = (...[kinds, more, own = store]: [WorkTable<Store>['jobs'], Parameters<typeof open>[2]?, Store?]) => {
    const runner = open(own, kinds, more);
    runners.push(runner);
    return runner;
  };

  test('work that a write of this process makes due is done at once, and then no longer due', async () => {
    const runner = run({ first: effect });
    const done = await addJob(store);
    const later = await addJob(store, { at: Date.now() + 3_600_000 });
    await runner.idle();
    expect(await getJobs(store).get(done.id)).toEqual({ ...done, due: undefined, effects: 1, version: 2 });
    expect(await getJobs(store).get(later.id)).toEqual(later);
  });

  test('work that another process makes due is found, whichever does it', async () => {
    const other = await data.open();
    const found = calls();
    const handle = async (own: Store, job: Parameters<typeof effect>[1]) => {
      found.called();
      return effect(own, job);
    };
    run({ first: handle }, { watchMs: 20 });
    run({ first: handle }, { watchMs: 20 }, await data.open());
    for (let nth = 1; nth <= 30; nth += 1) await addJob(other);
    await found.times(30);
    for (const runner of runners) await runner.idle();
    expect(found.count()).toBe(30);
    expect(await getJobs(store).count({ effects: 1 })).toBe(30);
  });

  test('what becomes due by the next look, whoever wrote it, is done when its time comes', async () => {
    const { id } = await addJob(await data.open(), { at: Date.now() + 300 });
    const done = calls();
    run({
      async first(own, job) {
        const result = await effect(own, job);
        done.called();
        return result;
      },
    });
    await done.times(1);
    expect((await getJobs(store).get(id))?.effects).toBe(1);
  });

  test('while nothing is due, a look is one question for all collections', async () => {
    await addJob(store, { at: Date.now() + 3_600_000 });
    const looked = calls();
    const asked: string[] = [];
    const watched: Store = {
      ...store,
      collection: (declared) =>
        wrapCollection(store.collection(declared), (method, name) => countCalls(method, () => asked.push(name))),
      async waiting() {
        looked.called();
        return store.waiting();
      },
    };
    run({}, { watchMs: 20 }, watched);
    await looked.times(5);
    expect(asked).toEqual([]);
  });

  test('what fails is tried again after growing pauses, for as long as it takes', async () => {
    let now = Date.now();
    const tried = calls();
    const runner = run(
      {
        async first(own, job) {
          if (tried.called() <= 40) throw new Error('not yet');
          return effect(own, job);
        },
      },
      { now: () => now },
    );
    const { id } = await addJob(store, { at: now });
    const since = now;
    const pauses: number[] = [];
    await runner.idle();
    for (let due = (await getJobs(store).get(id))?.due?.first; due; due = (await getJobs(store).get(id))?.due?.first) {
      expect(due).toEqual({ at: due.at, since, tries: pauses.length + 1 });
      pauses.push(due.at - now);
      now = due.at;
      await runner.idle();
    }
    expect(pauses.slice(0, 6)).toEqual([1_000, 2_000, 5_000, 10_000, 20_000, 30_000]);
    expect(pauses).toHaveLength(40);
    expect(new Set(pauses.slice(6))).toEqual(new Set([30_000]));
    expect(await getJobs(store).get(id)).toMatchObject({ effects: 1 });
  });

  test('a handler says when it looks again, or that its own write has said it', async () => {
    let now = Date.now();
    const again = now + 500;
    const runner = run(
      {
        first: async () => ({ again }),
        async second(own, { id }) {
          await getJobs(own).update(id, (current) => ({ next: current, due: { second: again + 1 } }));
          return 'recorded';
        },
      },
      { now: () => now },
    );
    const { id } = await addJob(store, { at: now });
    await getJobs(store).update(id, (current) => ({ next: current, due: { second: now } }));
    await runner.idle();
    const since = now;
    expect((await getJobs(store).get(id))?.due).toEqual({
      first: { at: again, since, tries: 0 },
      second: { at: again + 1, since, tries: 0 },
    });
    now = again - 1;
    await runner.idle();
    expect((await getJobs(store).get(id))?.due?.first?.at).toBe(again);
  });

  test('work that a write makes due once more, while its handler runs, is done once more', async () => {
    const gate = Promise.withResolvers<void>();
    const begun = calls();
    const runner = run({
      async first() {
        if (begun.called() === 1) await gate.promise;
        return 'done';
      },
    });
    const { id } = await addJob(store);
    await begun.times(1);
    await getJobs(store).update(id, (current) => ({ next: current, due: { first: Date.now() } }));
    gate.resolve();
    await runner.idle();
    expect(begun.count()).toBe(2);
    expect((await getJobs(store).get(id))?.due).toBeUndefined();
  });

  test('a claim is renewed until its handler has ended, so nobody else does the work', async () => {
    const other = await data.open();
    const gate = Promise.withResolvers<void>();
    const begun = calls();
    // A clock that the test moves on, so that a slow machine ends no claim.
    let now = Date.now();
    const kind = {
      claimMs: 900,
      async handle(own: Store, job: Parameters<typeof effect>[1], claim: Claim) {
        begun.called();
        await gate.promise;
        const current = await getJobs(own).get(job.id);
        expect(current && claim.isHeld(current)).toBe(true);
        return effect(own, job);
      },
    };
    run({ first: kind }, { watchMs: 20, now: () => now });
    const { id } = await addJob(store, { at: now });
    await begun.times(1);
    run({ first: kind }, { watchMs: 20, now: () => now }, other);
    for (let renewals = 0, end = now + 900; renewals < 4; ) {
      now = end - 300;
      const { at = 0 } = (await getJobs(other).get(id))?.due?.first ?? {};
      if (at > end) renewals += 1;
      end = Math.max(end, at);
      await new Promise(setImmediate);
    }
    gate.resolve();
    for (const runner of runners) await runner.idle();
    expect(begun.count()).toBe(1);
    expect(await getJobs(store).get(id)).toMatchObject({ effects: 1 });
  }, 60_000);

  test('a stop waits for handlers; what it aborts is due at once for others', async () => {
    const begun = calls();
    const runner = run({
      async first(_own, _job, { signal }) {
        begun.called();
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
        return 'done';
      },
    });
    const { id } = await addJob(store);
    await begun.times(1);
    await runner.close();
    const due = (await getJobs(store).get(id))?.due?.first;
    expect(due?.claim).toBeUndefined();
    expect(due?.tries).toBe(0);
    expect(due?.at).toBeLessThanOrEqual(Date.now());
    await addJob(store);
    expect(begun.count()).toBe(1);
  });

  test('one institution’s slow work leaves slots to the others, and kinds of work have their own', async () => {
    const gate = Promise.withResolvers<void>();
    const stuck = calls();
    const others = calls();
    const handle = async (own: Store, job: Parameters<typeof effect>[1]) => {
      if (job.institution === 'museum') {
        stuck.called();
        await gate.promise;
      } else others.called();
      return effect(own, job);
    };
    const runner = run({
      first: { handle, slots: () => 4, institutionSlots: 3 },
      second: { handle, slots: () => 2, institutionSlots: 3 },
    });
    for (let nth = 0; nth < 20; nth += 1) await addJob(store, { institution: 'museum', at: Date.now() - 60_000 });
    await stuck.times(3);
    for (let nth = 0; nth < 10; nth += 1) await addJob(store, { institution: `house-${nth}` });
    const { id } = await getJobs(store).insert({ id: 'last', effects: 0 }, { due: { second: Date.now() } });
    await others.times(11);
    expect(stuck.count()).toBe(3);
    gate.resolve();
    await runner.idle();
    expect(stuck.count()).toBe(20);
    expect(await getJobs(store).get(id)).toMatchObject({ effects: 1 });
  });
});

test('a service whose collections declare work without a handler, or the other way round, does not start', () => {
  const plain = collection('jobs');
  const options = { store: {} as Store, state: undefined, logger: { warn: () => undefined } };
  const done = async () => 'done' as const;
  expect(() => startWork({ ...options, collections: [jobs], work: { jobs: { first: done } } })).toThrow('jobs.second');
  expect(() => startWork({ ...options, collections: [plain], work: { jobs: { first: done } } })).toThrow('jobs.first');
});
