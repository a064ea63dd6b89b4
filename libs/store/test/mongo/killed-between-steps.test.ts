import { expect, test } from '@jest/globals';
import { suiteCollections, things } from '../../src/conformance/index.ts';
import { type OutboxEvent, openMongoStore, type Store } from '../../src/index.ts';
import { describeMongo } from './describe.ts';
import { newDatabase } from './engine.ts';
import { isWrite, startProxy } from './proxy.ts';
import { runScenario, type Scenario } from './steps.ts';

interface Killed {
  readonly scenario: Scenario;
  readonly published: OutboxEvent[];
  /** Whether the scenario ended before its turn to be killed. */
  readonly finished: boolean;
  /** Resolves when nothing of it is left. */
  readonly ended: Promise<void>;
}

/**
 * Runs the scenario, and cuts it off when the server has executed its nth write, unacknowledged. From then on the server
 * gets nothing more of it: all of a process that its death leaves.
 */
const killAfterWrite = async (
  { url, ...settings }: ReturnType<typeof newDatabase>['settings'],
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
    const { settings, remove } = newDatabase(url);
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
