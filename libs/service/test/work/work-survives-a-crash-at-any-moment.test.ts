import type { Collection, Document, DueDocuments, Store } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import type { WorkTable } from '../../src/index.ts';
import { listTestEngines, type TestEngine } from '../../src/testkit/index.ts';
import { addJob, effect, getJobs, jobs, open } from './jobs.ts';

type Handler = (store: Store, job: Document) => Promise<'done'>;

type Change = <T extends Document>(methods: DueDocuments<T>) => Partial<DueDocuments<T>>;

/** The store with other methods for due work. */
const across = (store: Store, change: Change): Store => ({
  ...store,
  collection<T extends Document>(declared: Collection<T>) {
    const { of, acrossInstitutions } = store.collection(declared);
    return { of, acrossInstitutions: { ...acrossInstitutions, ...change<T>(acrossInstitutions) } };
  },
});

/** A process that dies before its nth write of due work or of an effect: none of its later ones takes place. */
const dying = (store: Store, dies: number) => {
  let count = 0;
  const dead = Promise.withResolvers<void>();
  const alive = async <R>(act: () => Promise<R>): Promise<R> => {
    count += 1;
    if (count < dies) return act();
    dead.resolve();
    return new Promise<never>(() => undefined);
  };
  const wrapped: Store = {
    ...store,
    collection(declared) {
      const handle = store.collection(declared);
      const { claimDue, moveDue } = handle.acrossInstitutions;
      return {
        of(institution) {
          const own = handle.of(institution);
          return { ...own, update: (...given) => alive(() => own.update(...given)) };
        },
        acrossInstitutions: {
          ...handle.acrossInstitutions,
          claimDue: (request) => alive(() => claimDue(request)),
          moveDue: (...given) => alive(() => moveDue(...given)),
        },
      };
    },
  };
  return { store: wrapped, dead: dead.promise, steps: () => count };
};

/** Within this time every claim of a dead process has ended. */
const LATER_MS = 3_600_000;

interface Planted {
  readonly handler?: Handler;
  readonly engine?: (store: Store) => Store;
}

/**
 * Kills a process before each step of its work (claim, effect, end), lets another one go on later, and returns what is
 * wrong then.
 */
const survive = async (engine: TestEngine, { handler = effect, engine: wrap = (one) => one }: Planted = {}) => {
  const data = await engine.start();
  const wrong = new Set<string>();
  try {
    const plain = await data.open();
    for (let dies = 1; dies <= 5; dies += 1) {
      const first = dying(wrap(plain), dies);
      const kinds: WorkTable<Store>['jobs'] = { first: handler };
      const job = await addJob(plain);
      const killed = open(first.store, kinds);
      await Promise.race([first.dead, killed.idle()]);
      const second = open(wrap(plain), kinds, { now: () => Date.now() + LATER_MS });
      await second.idle();
      const left = await getJobs(plain).get(job.id);
      if (left?.effects === 0) wrong.add('the effect is lost');
      if ((left?.effects ?? 0) > 1) wrong.add('the effect takes place twice');
      if (left?.due) wrong.add('the work is due for ever');
      await getJobs(plain).delete(job.id);
      await second.close();
    }
  } finally {
    await data.close();
  }
  return [...wrong];
};

describe.each(listTestEngines('work', [jobs]))('on $name', (engine) => {
  test('each effect takes place once, and then its work is not due', async () => {
    expect(await survive(engine)).toEqual([]);
  }, 60_000);
});

describe('the check notices', () => {
  const [engine] = listTestEngines('work', [jobs]);
  const planted = (bug: Planted) => (engine ? survive(engine, bug) : []);

  test('work that is cleared before its effect', async () => {
    const clearing = (store: Store) =>
      across(store, ({ claimDue, moveDue }) => ({
        async claimDue(request) {
          const claimed = await claimDue(request);
          for (const { document, work } of claimed)
            for (const name of work) {
              const entry = document.due?.[name];
              if (entry) await moveDue(document.id, name, entry, null);
            }
          return claimed;
        },
      }));
    expect(await planted({ engine: clearing })).toContain('the effect is lost');
  });

  test('a claim that forgets its end', async () => {
    const endless = (store: Store) =>
      across(store, ({ claimDue }) => ({
        claimDue: ({ forMs, ...request }) =>
          claimDue({ ...request, forMs: Object.fromEntries(Object.keys(forMs).map((name) => [name, 2 * LATER_MS])) }),
      }));
    expect(await planted({ engine: endless })).toContain('the work is due for ever');
  });

  test('promised work that is given up', async () => {
    const giveUp: Handler = async (store, job) => {
      const mayDoIt = job.due?.first?.claim === undefined;
      return mayDoIt ? effect(store, job) : 'done';
    };
    expect(await planted({ handler: giveUp })).toContain('the effect is lost');
  });

  test('a handler that trusts what is due instead of the state', async () => {
    const trusting: Handler = async (store, { id, institution }) => {
      await getJobs(store, institution).update(id, (current) => ({
        next: { ...current, effects: current.effects + 1 },
      }));
      return 'done';
    };
    expect(await planted({ handler: trusting })).toContain('the effect takes place twice');
  });
});
