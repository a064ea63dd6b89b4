import { expect, test } from '@jest/globals';
import { fresh, suiteCollections, thing, thingsOf, until } from '../../src/conformance/subject.ts';
import { openMongoStore, StoreUnavailable } from '../../src/index.ts';
import { describeMongo } from './describe.ts';
import { newDatabase } from './engine.ts';
import { type Command, isWrite, startProxy, type Verdict } from './proxy.ts';

describeMongo('a write on MongoDB', (url) => {
  const through = async (work: (parts: Awaited<ReturnType<typeof open>>) => Promise<void>) => {
    const parts = await open();
    await work(parts);
    await parts.store.close();
    await parts.proxy.close();
    await parts.remove();
  };
  const open = async () => {
    const { settings, remove } = newDatabase(url);
    const seen: Command[] = [];
    let judge: (command: Command) => Verdict = () => 'pass';
    const proxy = await startProxy(url, (command) => {
      seen.push(command);
      return judge(command);
    });
    const store = await openMongoStore({ ...settings, url: proxy.url, collections: suiteCollections, answerMs: 1_000 });
    return {
      store,
      proxy,
      remove,
      seen,
      judge: (next: typeof judge) => {
        judge = next;
      },
    };
  };

  test('does not start after its call has timed out', async () => {
    await through(async ({ store, proxy, seen, judge }) => {
      const mine = thingsOf(store).of(fresh('inst'));
      const first = await mine.insert(thing());
      seen.length = 0;
      judge((command) => (command.find === 'things' ? 'held' : 'pass'));
      let decided = false;
      const write = mine.update(first.id, (current) => {
        decided = true;
        return { next: { ...current, name: 'late' } };
      });
      await expect(write).rejects.toThrow(StoreUnavailable);
      judge(() => 'pass');
      proxy.release();
      await until(async () => decided, 60_000);
      // A command that it sent would have been sent before this one.
      expect(await mine.get(first.id)).toEqual(first);
      expect(seen.filter(isWrite)).toEqual([]);
    });
  });

  test('is aborted by the server after 4 s', async () => {
    await through(async ({ store, seen }) => {
      const mine = thingsOf(store).of(fresh('inst'));
      const { id } = await mine.insert(thing());
      await mine.update(id, (current) => ({ next: { ...current, name: 'changed' } }));
      const writes = seen.filter((one) => one.insert === 'things' || one.update === 'things');
      expect(writes.map((one) => one.maxTimeMS)).toEqual([4_000, 4_000]);
    });
  });
});
