import { expect, test } from '@jest/globals';
import { suiteCollections } from '../../src/conformance/index.ts';
import { type Thing, things } from '../../src/conformance/subject.ts';
import {
  IdempotencyKeyTaken,
  type IdempotencyRecord,
  type OutboxEvent,
  openMongoStore,
  type Store,
} from '../../src/index.ts';
import { describeMongo } from './describe.ts';
import { createDatabase } from './engine.ts';
import { isWrite, startProxy } from './proxy.ts';

/** One client's requests, with their own ids and keys, so that they can be repeated after a crash. */
interface Scenario {
  readonly id: string;
  readonly institution: string;
}

const later = () => Date.now() + 3_600_000;
const fact = (n: number) => ({ type: 'thing.changed', data: { n } });

/** Executes a request as the HTTP layer does: once per key, however often it is repeated. */
const request = async (
  store: Store,
  key: string,
  effect: (idempotencyRecord: IdempotencyRecord<Thing>) => Promise<unknown>,
) => {
  if (await store.idempotency.find(key)) return;
  const answer = () => ({ status: 200, headers: {}, body: { key } });
  try {
    await effect({ key, fingerprint: 'print', expiresAt: later(), answer });
  } catch (error) {
    if (!(error instanceof IdempotencyKeyTaken)) throw error;
  }
};

/** Publishes the pending events in order, one at a time; `publish` is called before each is confirmed. */
const relay = async (store: Store, { institution }: Scenario, publish: (event: OutboxEvent) => void) => {
  const pending = (await store.outbox.pending(100_000)).filter((one) => one.institution === institution);
  for (const event of pending) {
    publish(event);
    await store.outbox.done([event.id]);
  }
};

/**
 * Insert, update, claim, a refusal, delete, with a relay between and after them. To be run again after a crash, as a
 * restarted process and a client that repeats its requests would do together.
 */
const runScenario = async (store: Store, scenario: Scenario, publish: (event: OutboxEvent) => void): Promise<void> => {
  const { id, institution } = scenario;
  const mine = store.collection(things).of(institution);
  await request(store, `${id}-create`, (idempotencyRecord) =>
    mine.insert({ id, name: 'new', email: `${id}@example.org` }, { idempotencyRecord, events: [fact(1), fact(2)] }),
  );
  await request(store, `${id}-change`, (idempotencyRecord) =>
    mine.update(id, (current) => ({ next: { ...current, name: 'changed' }, events: [fact(3)] }), {
      idempotencyRecord,
    }),
  );
  await relay(store, scenario, publish);
  if ((await mine.count({ name: id })) === 0) {
    await mine.claim({ where: { show: id, state: 'free' }, set: { state: 'held', name: id }, limit: 1 });
  }
  await request(store, `${id}-refused`, (record) =>
    store.idempotency.remember(record, { status: 409, headers: {}, body: null }),
  );
  await request(store, `${id}-close`, (idempotencyRecord) =>
    mine.update(id, (current) => ({ next: { ...current, name: 'closed' }, events: [fact(4)] }), {
      idempotencyRecord,
    }),
  );
  await mine.delete(id);
  await relay(store, scenario, publish);
};

interface Killed {
  readonly scenario: Scenario;
  readonly published: OutboxEvent[];
  /** Whether the scenario ended before its turn to be killed. */
  readonly finished: boolean;
  /** Resolves when nothing of it is left. */
  readonly ended: Promise<void>;
}

/**
 * Runs the scenario, and cuts it off when the server has executed its nth write, unacknowledged. From then on the
 * server gets nothing more of it: all of a process that its death leaves.
 */
const killAfterWrite = async (
  { url, ...settings }: ReturnType<typeof createDatabase>['settings'],
  nth: number,
): Promise<Killed> => {
  const scenario = { id: `scenario-${nth}`, institution: `inst-${nth}` };
  let writes = 0;
  const executed = Promise.withResolvers<false>();
  const proxy = await startProxy(
    url,
    (command) => {
      if (writes === nth) return 'held';
      if (isWrite(command)) writes += 1;
      return writes === nth ? 'unanswered' : 'pass';
    },
    () => executed.resolve(false),
  );
  const address = new URL(proxy.url);
  // So long a killed one looks for its server.
  address.searchParams.set('serverSelectionTimeoutMS', '10000');
  const store = await openMongoStore({ ...settings, url: address.href, collections: suiteCollections });
  const published: OutboxEvent[] = [];
  const running = runScenario(store, scenario, (event) => void published.push(event)).then(
    () => true,
    (error: unknown) => {
      if (writes < nth) throw error;
      return false;
    },
  );
  const finished = await Promise.race([running, executed.promise]);
  await proxy.close();
  return { scenario, published, finished, ended: running.then(() => store.close()) };
};

/** Expects the complete result of a killed scenario that was repeated to its end. */
const verify = async (store: Store, { scenario, published }: Killed) => {
  const { id, institution } = scenario;
  const mine = store.collection(things).of(institution);
  const firsts = [...new Map(published.map((one) => [one.id, one])).values()];
  expect(firsts.map((one) => [one.data, one.version])).toEqual([
    [{ n: 1 }, 1],
    [{ n: 2 }, 1],
    [{ n: 3 }, 2],
    [{ n: 4 }, 3],
  ]);
  expect((await store.outbox.pending(100_000)).filter((one) => one.institution === institution)).toEqual([]);
  expect(await mine.get(id)).toBeUndefined();
  expect(await mine.count({ show: id, state: 'held' })).toBe(1);
  for (const key of ['create', 'change', 'refused', 'close']) {
    expect(await store.idempotency.find(`${id}-${key}`)).toBeDefined();
  }
};

describeMongo('a writer on MongoDB that is killed between two steps', (url) => {
  test('leaves nothing half done, wherever it is killed: each effect and each event exists once, in order', async () => {
    const { settings, remove } = createDatabase(url);
    const store = await openMongoStore({ ...settings, collections: suiteCollections });
    const killed: Killed[] = [];
    const free = (nth: number) =>
      Array.from({ length: 3 }, (_, i) => ({
        id: `place-${nth}-${i}`,
        name: '',
        show: `scenario-${nth}`,
        state: 'free',
      }));
    let turn = 0;
    let whole = 0;
    const worker = async () => {
      while (whole === 0) {
        const nth = ++turn;
        await store.collection(things).of(`inst-${nth}`).insertMany(free(nth));
        const one = await killAfterWrite(settings, nth);
        killed.push(one);
        if (one.finished) whole = nth;
      }
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
    expect(killed.length).toBeGreaterThan(20);
    for (const { scenario, published } of killed)
      await runScenario(store, scenario, (event) => void published.push(event));
    for (const one of killed) await verify(store, one);
    await Promise.all(killed.map(({ ended }) => ended));
    await store.close();
    await remove();
  }, 300_000);
});
