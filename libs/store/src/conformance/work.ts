import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { toDue } from '../due.ts';
import type { Claimed, Collection, Documents, DueRequest, DueWork, Store } from '../port.ts';
import { rewrite } from '../reading.ts';
import { type Check, check, createId, type Scene, waitUntil } from './subject.ts';
import { declareJobs, FAR_MS, type Job, type WorkTask } from './writers/work-jobs.ts';

interface WorkScene {
  readonly scene: Scene;
  readonly jobs: Collection<Job>;
  readonly stores: readonly [Store, Store];
  readonly mine: Documents<Job>;
  /** Claims as the first instance. */
  claim(request: Partial<DueRequest>): Promise<readonly Claimed<Job>[]>;
  move(id: string, from: DueWork | null | undefined, to: DueWork | null, name?: string): Promise<boolean>;
}

const newName = () => `jobs_${Array.from({ length: 12 }, () => String.fromCharCode(97 + randomInt(26))).join('')}`;

const NOW = 1_800_000_000_000;

const workCheck = (rule: string, run: (own: WorkScene) => Promise<void>): Check =>
  check(rule, async (scene) => {
    const jobs = declareJobs(newName());
    const stores = [await scene.engine.open([jobs]), await scene.engine.open([jobs])] as const;
    const handle = stores[0].collection(jobs);
    const claim: WorkScene['claim'] = (request) =>
      handle.acrossInstitutions.claimDue({ now: NOW, limit: 100, forMs: { first: 1_000 }, ...request });
    const move: WorkScene['move'] = async (id, from, to, name = 'first') => {
      assert.ok(from !== undefined, `nothing is due of ${id}`);
      return handle.acrossInstitutions.moveDue(id, name, from, to);
    };
    try {
      await run({ scene, jobs, stores, mine: handle.of(scene.institution), claim, move });
    } finally {
      for (const one of stores) await one.close();
    }
  });

const idsOf = (claimed: readonly Claimed<Job>[]): string[] => claimed.map(({ document }) => document.id).sort();

const dueJob = (mine: Documents<Job>, due: Readonly<Record<string, number>> = { first: NOW }): Promise<Job> =>
  mine.insert({ id: createId('job'), done: 0 }, { due });

const entry = (at: number): DueWork => ({ at, since: at, tries: 0 });

const writes: readonly Check[] = [
  workCheck('an insert and an update make work due and end it, each name by itself', async ({ mine }) => {
    const job = await dueJob(mine, { first: NOW, second: NOW + 5 });
    assert.deepEqual(job.due, { first: entry(NOW), second: entry(NOW + 5) });
    assert.deepEqual(await mine.get(job.id), job);
    const updated = await mine.update(job.id, (current) => ({ next: current, due: { first: null } }));
    assert.deepEqual(updated?.due, { second: entry(NOW + 5) });
    assert.deepEqual(await mine.get(job.id), updated);
    await mine.update(job.id, (current) => ({ next: { ...current, done: 1 } }));
    assert.deepEqual((await mine.find({ where: { id: job.id } }))[0]?.due, { second: entry(NOW + 5) });
    const ended = await mine.update(job.id, (current) => ({ next: current, due: { second: null, first: null } }));
    const { due: _, ...rest } = job;
    assert.deepEqual(ended, { ...rest, done: 1, version: 4 });
    assert.deepEqual(await mine.get(job.id), ended);
  }),
  workCheck('many documents are inserted with the same work; those that exist get none', async ({ mine, claim }) => {
    const there = await mine.insert({ id: createId('job'), done: 0 });
    const added = [{ id: createId('job'), done: 0 }, there, { id: createId('job'), done: 0 }];
    assert.equal(await mine.insertMany(added, { due: { first: NOW } }), 2);
    assert.deepEqual(
      idsOf(await claim({})),
      added
        .filter(({ id }) => id !== there.id)
        .map(({ id }) => id)
        .sort(),
    );
  }),
  workCheck('work that is not declared, or due at no instant, is refused and nothing written', async ({ mine }) => {
    const job = await dueJob(mine);
    const refused: readonly Readonly<Record<string, number>>[] = [{ third: NOW }, { first: Number.NaN }];
    for (const due of refused)
      await assert.rejects(mine.update(job.id, (current) => ({ next: { ...current, done: 9 }, due })));
    await assert.rejects(mine.insert({ id: createId('job'), done: 0 }, { due: { third: NOW } }));
    assert.deepEqual(await mine.get(job.id), job);
    assert.equal(await mine.count(), 1);
  }),
  workCheck('work that is due once more has been due since the first time', async ({ mine, claim }) => {
    const { id } = await dueJob(mine, { first: NOW, second: NOW });
    await mine.update(id, (current) => ({ next: current, due: { second: NOW + 900_000 } }));
    assert.deepEqual((await mine.get(id))?.due?.second, entry(NOW + 900_000), 'nobody has tried it yet');
    await claim({});
    const again = await mine.update(id, (current) => ({ next: current, due: { first: NOW + 3_000 } }));
    assert.deepEqual(again?.due?.first, { at: NOW + 3_000, since: NOW, tries: 0 });
  }),
  workCheck('whoever listens hears of the writes of this instance that make work due', async ({ mine, stores }) => {
    const heard: (readonly [string, number])[] = [];
    const unsubscribe = stores[0].onDue((...given) => heard.push(given));
    stores[0].onDue(() => {
      throw new Error('this listener fails');
    });
    const { id } = await dueJob(mine, { first: NOW + 2, second: NOW + 1 });
    await mine.update(id, (current) => ({ next: current, due: { first: null } }));
    await assert.rejects(mine.insert({ id, done: 0 }, { due: { first: NOW } }));
    await mine.update(id, (current) => ({ next: current, due: { first: NOW + 7, second: null } }));
    unsubscribe();
    await mine.update(id, (current) => ({ next: current, due: { first: NOW + 8 } }));
    assert.deepEqual(
      heard.map(([, at]) => at),
      [NOW + 1, NOW + 7],
    );
  }),
];

const waits: readonly Check[] = [
  workCheck('what waits is the earliest work of a collection, of whoever made it due', async (own) => {
    const { mine, stores, jobs, move } = own;
    const [store, other] = stores;
    assert.deepEqual((await store.waiting()).due, {});
    const later = await dueJob(mine, { first: NOW + 20, second: NOW + 10 });
    assert.deepEqual((await other.waiting()).due, { [jobs.name]: NOW + 10 });
    const passed = await dueJob(other.collection(jobs).of(createId('inst')), { first: NOW - 5 });
    assert.deepEqual((await store.waiting()).due, { [jobs.name]: NOW - 5 });
    await move(passed.id, passed.due?.first, null);
    await mine.update(later.id, (current) => ({ next: current, due: { second: null } }));
    assert.deepEqual((await store.waiting()).due, { [jobs.name]: NOW + 20 });
  }),
  workCheck('the oldest event of the outbox waits until it is published', async ({ mine, stores }) => {
    const [store, other] = stores;
    const fact = { type: 'thing.changed', data: {} };
    const oldest = async () => {
      const [first] = await store.outbox.pending(1);
      return first && Date.parse(first.occurredAt);
    };
    for (const _ of [1, 2]) await mine.insert({ id: createId('job'), done: 0 }, { events: [fact] });
    assert.equal((await other.waiting()).event, await oldest());
    await mine.delete((await mine.find({ limit: 1 }))[0]?.id ?? '');
    await store.outbox.add('waits', [{ ...fact, key: 'x', version: 1 }]);
    for (;;) {
      const pending = await store.outbox.pending(2);
      if (pending.length === 0) break;
      await store.outbox.done(pending.map(({ id }) => id));
      assert.equal((await other.waiting()).event, await oldest());
    }
    assert.deepEqual(await other.waiting(), { due: {} });
  }),
];

const claims: readonly Check[] = [
  workCheck(
    'a claim takes what is due, the earliest first, up to the limit, of the names asked for',
    async ({ mine, claim }) => {
      const jobs = [];
      for (const at of [NOW - 3, NOW - 1, NOW - 2, NOW, NOW + 1]) jobs.push(await dueJob(mine, { first: at }));
      const other = await dueJob(mine, { first: NOW + 1, second: NOW - 9 });
      const [a, b, c, d] = jobs.map(({ id }) => id);
      assert.deepEqual(idsOf(await claim({ limit: 2 })), [a, c].sort());
      assert.deepEqual(idsOf(await claim({ limit: 0 })), []);
      assert.deepEqual(idsOf(await claim({ forMs: {} })), []);
      assert.deepEqual(idsOf(await claim({})), [b, d].sort());
      const [both] = await claim({ now: NOW + 1, forMs: { first: 1, second: 1 }, limit: 1 });
      assert.deepEqual([both?.document.id, both?.work], [other.id, ['first', 'second']]);
      assert.equal(both?.document.due?.first?.claim, both?.document.due?.second?.claim);
    },
  ),
  workCheck(
    'a claim leaves the work of other names, and of excepted institutions',
    async ({ mine, claim, scene, jobs, stores }) => {
      const job = await dueJob(mine, { first: NOW, second: NOW });
      const theirs = stores[0].collection(jobs).of(createId('inst'));
      const other = await dueJob(theirs);
      assert.deepEqual(idsOf(await claim({ except: [scene.institution] })), [other.id]);
      const [claimed] = await claim({});
      assert.deepEqual(claimed?.document.due?.second, job.due?.second);
      assert.deepEqual(claimed?.work, ['first']);
    },
  ),
  workCheck('a claim changes nothing of a document but when its work is done next', async ({ mine, claim }) => {
    const job = await dueJob(mine, { first: NOW, second: NOW + 7 });
    const [claimed] = await claim({ forMs: { first: 1_000 } });
    const { claim: token, ...first } = claimed?.document.due?.first ?? { claim: undefined };
    assert.ok(token);
    assert.deepEqual(first, { at: NOW + 1_000, since: NOW, tries: 0 });
    assert.deepEqual({ ...claimed?.document, due: undefined }, { ...job, due: undefined });
    assert.deepEqual(await mine.get(job.id), claimed?.document);
    // Neither does it make an update start again, nor does an update end it.
    let calls = 0;
    const slow = await mine.update(job.id, (current) => {
      calls += 1;
      return { next: { ...current, done: 1, due: {} } };
    });
    assert.equal(calls, 1);
    assert.deepEqual(slow, { ...claimed?.document, done: 1, version: 2 });
    assert.deepEqual(idsOf(await claim({})), []);
  }),
  workCheck('of many who claim at once in two instances each work has one', async ({ mine, jobs, stores }) => {
    const made = [];
    for (let i = 0; i < 40; i += 1) made.push((await dueJob(mine)).id);
    const won: string[] = [];
    const request = { now: NOW, limit: 10, forMs: { first: FAR_MS } };
    const claimAll = async (store: Store): Promise<void> => {
      const found = await store.collection(jobs).acrossInstitutions.claimDue(request);
      won.push(...idsOf(found));
    };
    // Who loses all of its candidates to others comes again.
    await waitUntil(async () => {
      await Promise.all(Array.from({ length: 8 }, (_, i) => claimAll(stores[i % 2] ?? stores[0])));
      return (await mine.find()).every(({ due }) => due?.first?.claim !== undefined);
    });
    assert.deepEqual(won.sort(), made.sort());
  }),
  workCheck('at its end a claim ends by itself, and another one gets the work', async ({ mine, claim }) => {
    const job = await dueJob(mine);
    const [first] = await claim({ forMs: { first: 1_000 } });
    assert.deepEqual(await claim({ now: NOW + 999 }), []);
    const [second] = await claim({ now: NOW + 1_000 });
    assert.equal(second?.document.id, job.id);
    assert.notEqual(second?.document.due?.first?.claim, first?.document.due?.first?.claim);
    assert.equal(second?.document.due?.first?.since, NOW);
  }),
  workCheck('updates and claims at the same moment lose nothing of each other', async ({ mine, claim, move }) => {
    const { id } = await dueJob(mine, { first: NOW, second: NOW });
    const bump = () =>
      mine.update(id, ({ done, ...current }) => ({
        next: { ...current, done: done + 1 },
        due: { second: NOW + done },
      }));
    const churn = async (n: number) => {
      const [claimed] = await claim({ now: NOW + n * 1_000, forMs: { first: 1 } });
      const work = claimed?.document.due?.first;
      if (work) await move(id, work, { at: work.at, since: work.since, tries: work.tries + 1 });
      return work ? 1 : 0;
    };
    const [, ...counts] = await Promise.all([
      Promise.all(Array.from({ length: 20 }, bump)),
      ...Array.from({ length: 10 }, (_, n) => churn(n)),
    ]);
    const left = await mine.get(id);
    assert.equal(left?.done, 20);
    assert.equal(left?.version, 21);
    assert.equal(left?.due?.second?.at, NOW + 19);
    assert.ok((left?.due?.first?.tries ?? 99) <= counts.length);
  }),
];

const moves: readonly Check[] = [
  workCheck('a claimer renews, postpones and ends its work', async ({ mine, claim, move }) => {
    const { id } = await dueJob(mine);
    const [claimed] = await claim({});
    const work = claimed?.document.due?.first;
    assert.ok(work);
    const renewed = { ...work, at: NOW + 60_000 };
    assert.equal(await move(id, work, renewed), true);
    assert.equal(await move(id, work, null), false, 'it has been renewed since');
    assert.deepEqual(await claim({ now: NOW + 59_999 }), []);
    const later = { at: NOW + 90_000, since: NOW, tries: 1 };
    assert.equal(await move(id, renewed, later), true);
    assert.deepEqual(await mine.get(id), { ...claimed?.document, due: { first: later } });
    assert.equal(await move(id, later, null), true);
    assert.equal((await mine.get(id))?.due, undefined);
    assert.equal((await mine.get(id))?.version, 1);
    assert.equal(await move(id, later, null), false);
  }),
  workCheck(
    'ends are recorded together, but for work that has changed since',
    async ({ mine, jobs, stores: [store] }) => {
      const ended = await dueJob(mine, { first: NOW, second: NOW + 5 });
      const [single, changed] = [await dueJob(mine), await dueJob(mine)];
      const again = await mine.update(changed.id, (current) => ({ next: current, due: { first: NOW + 9 } }));
      const end = (id: string, work = entry(NOW)) => ({ collection: jobs.name, id, name: 'first', work });
      const ends = [ended, single, changed].map(({ id, due }) => end(id, due?.first));
      await store.outbox.done([], [...ends, end('job-unknown')]);
      const { due: _, ...rest } = single;
      assert.deepEqual(await mine.get(ended.id), { ...ended, due: { second: entry(NOW + 5) } });
      assert.deepEqual(await mine.get(single.id), rest);
      assert.deepEqual(await mine.get(changed.id), again);
      await store.outbox.done([], ends);
      assert.deepEqual(await mine.get(ended.id), { ...ended, due: { second: entry(NOW + 5) } });
    },
  ),
  workCheck('work that a write makes due once more is not ended by an earlier claim', async ({ mine, claim, move }) => {
    const { id } = await dueJob(mine);
    const [claimed] = await claim({});
    const work = claimed?.document.due?.first;
    // At the very instant at which the claim ends.
    await mine.update(id, (current) => ({ next: current, due: { first: work?.at ?? 0 } }));
    assert.equal(await move(id, work, null), false);
    assert.deepEqual(idsOf(await claim({ now: NOW + 1_000 })), [id]);
  }),
  workCheck(
    'work that another one has claimed since is not ended by an earlier claim',
    async ({ mine, claim, move }) => {
      const { id } = await dueJob(mine);
      const [first] = await claim({ forMs: { first: 1_000 } });
      await claim({ now: NOW + 1_000, forMs: { first: 0 } });
      assert.equal(await move(id, first?.document.due?.first, null), false);
      assert.notEqual((await mine.get(id))?.due, undefined);
    },
  ),
  workCheck(
    'work becomes due without a write of the document, unless it is due already',
    async ({ mine, claim, move }) => {
      const job = await mine.insert({ id: createId('job'), done: 0 });
      assert.equal(await move(job.id, null, entry(NOW)), true);
      assert.deepEqual(await mine.get(job.id), { ...job, due: { first: entry(NOW) } });
      assert.equal(await move(job.id, null, entry(NOW + 1)), false);
      assert.equal(await move(job.id, null, entry(NOW + 1), 'second'), true);
      assert.deepEqual((await mine.get(job.id))?.due, { first: entry(NOW), second: entry(NOW + 1) });
      assert.deepEqual(idsOf(await claim({})), [job.id]);
      assert.equal(await move(createId('job'), null, entry(NOW)), false);
    },
  ),
  workCheck('the work of a deleted document is gone with it', async ({ mine, claim, move }) => {
    const job = await dueJob(mine);
    await mine.delete(job.id);
    assert.deepEqual(await claim({}), []);
    assert.equal(await move(job.id, job.due?.first, null), false);
  }),
  workCheck('due work is listed by its earliest instant, page by page', async ({ mine, jobs, stores }) => {
    const ids = [];
    for (const at of [NOW + 3, NOW + 1, NOW + 1, NOW + 2])
      ids.push((await dueJob(mine, { first: at, second: NOW + 50 })).id);
    await mine.insert({ id: createId('job'), done: 0 });
    const { acrossInstitutions } = stores[1].collection(jobs);
    const [first = '', ...rest] = [...ids.slice(1, 3).sort(), ids[3] ?? '', ids[0] ?? ''];
    const page = await acrossInstitutions.listDue({ limit: 1 });
    assert.deepEqual(
      page.map(({ id }) => id),
      [first],
    );
    const after = { at: NOW + 1, id: first };
    assert.deepEqual(
      (await acrossInstitutions.listDue({ limit: 9, after })).map(({ id }) => id),
      rest,
    );
    assert.deepEqual(
      (await acrossInstitutions.listDue({ limit: 9, after, until: NOW + 2 })).map(({ id }) => id),
      rest.slice(0, 2),
    );
  }),
];

/** The next release of the jobs of an earlier one, which marks its work in a member. */
const withUpgrade = (jobs: Collection<Job>): Collection<Job> => ({
  ...jobs,
  upgrade: (stored) => {
    if (stored.marker == null) return stored;
    const { marker, ...rest } = stored;
    const due = { ...toDue({ first: marker }), ...stored.due };
    return { ...rest, due };
  },
});

const upgrades: readonly Check[] = [
  workCheck(
    'work that an earlier release has marked is due from the next write on',
    async ({ mine, jobs, stores, claim }) => {
      const next = stores[1].collection(withUpgrade(jobs));
      const [read, written, ended] = await Promise.all(
        ['a', 'b', 'c'].map((name) => mine.insert({ id: createId(name), done: 0, marker: NOW })),
      );
      for (const one of [read, written, ended]) assert.ok(one);
      assert.deepEqual((await next.acrossInstitutions.get(read?.id ?? ''))?.due, { first: entry(NOW) });
      await next.acrossInstitutions.update(written?.id ?? '', (current) => ({ next: { ...current, done: 1 } }));
      await next.acrossInstitutions.update(ended?.id ?? '', (current) => ({ next: current, due: { first: null } }));
      assert.deepEqual(idsOf(await claim({})), [written?.id]);
      await rewrite(stores[1], withUpgrade(jobs), { where: { marker: { gte: 0 } } });
      assert.deepEqual(idsOf(await claim({})), [read?.id]);
      assert.equal(await mine.count({ marker: { gte: 0 } }), 0);
    },
  ),
];

const runAndDie = async (task: WorkTask): Promise<void> => {
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const program = fileURLToPath(new URL(`./writers/work-writer${extension}`, import.meta.url));
  const child = spawn(process.execPath, ['--conditions=source', program, JSON.stringify(task)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  const [, signal] = await once(child, 'exit');
  assert.equal(signal, 'SIGKILL', `the program did not come to step ${task.diesBefore}: ${complaint}`);
};

/** Its steps: insert, make due, claim, do, end; and one after the last. */
const STEPS = 6;

const crashes: readonly Check[] = [
  check('work is lost by no crash between two steps, and is done again only before its end', async (scene) => {
    const { engine, institution } = scene;
    const jobs = declareJobs(newName());
    const store = await engine.open([jobs]);
    try {
      for (let diesBefore = 0; diesBefore < STEPS; diesBefore += 1)
        await runAndDie({ ...engine.child, collection: jobs.name, institution, diesBefore });
      const { acrossInstitutions, of } = store.collection(jobs);
      const request = { limit: 100, forMs: { first: FAR_MS } };
      // What was claimed before the crash comes at the end of its claim, and not before.
      const soon = await acrossInstitutions.claimDue({ ...request, now: Date.now() });
      const late = await acrossInstitutions.claimDue({ ...request, now: Date.now() + FAR_MS });
      const claimed = [...soon, ...late.filter(({ document }) => !idsOf(soon).includes(document.id))];
      for (const { document } of claimed) {
        await of(institution).update(document.id, (current) => ({ next: { ...current, done: current.done + 1 } }));
        const work = (await of(institution).get(document.id))?.due?.first;
        assert.ok(work && (await acrossInstitutions.moveDue(document.id, 'first', work, null)));
      }
      const found = await of(institution).find();
      assert.deepEqual(
        found.map(({ id, done, due }) => [id, done, due]),
        [
          // Killed before the insert: none. Before it was due: nothing to do.
          ['job-1', 0, undefined],
          ['job-2', 1, undefined],
          ['job-3', 1, undefined],
          // Done and not ended: a handler decides from the document; this one does it again.
          ['job-4', 2, undefined],
          ['job-5', 1, undefined],
        ],
      );
    } finally {
      await store.close();
    }
  }),
];

export const work: readonly Check[] = [...writes, ...waits, ...claims, ...moves, ...upgrades, ...crashes];
