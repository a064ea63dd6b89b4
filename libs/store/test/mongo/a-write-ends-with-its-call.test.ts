import { expect, test } from '@jest/globals';
import { fresh, thing, thingsOf, until } from '../../src/conformance/subject.ts';
import { StoreUnavailable } from '../../src/index.ts';
import { describeMongo } from './describe.ts';
import { openBehindProxy, patiently } from './engine.ts';
import { isWrite } from './proxy.ts';

describeMongo('a write on MongoDB', (url) => {
  type Its = Awaited<ReturnType<typeof openBehindProxy>>;
  const through = async (answerMs: number, work: (its: Its) => Promise<void>) => {
    const its = await openBehindProxy(url, answerMs);
    await work(its).finally(its.close);
  };

  test('does not start after its call has timed out', async () => {
    await through(1_000, async ({ store, proxy, seen, judge }) => {
      const mine = thingsOf(store).of(fresh('inst'));
      const first = await patiently(() => mine.insert(thing()));
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
      expect(await patiently(() => mine.get(first.id))).toEqual(first);
      expect(seen.filter(isWrite)).toEqual([]);
    });
  });

  test('is aborted by the server after 4 s', async () => {
    await through(60_000, async ({ store, seen }) => {
      const mine = thingsOf(store).of(fresh('inst'));
      const { id } = await mine.insert(thing());
      await mine.update(id, (current) => ({ next: { ...current, name: 'changed' } }));
      const writes = seen.filter((one) => one.insert === 'things' || one.update === 'things');
      expect(writes.map((one) => one.maxTimeMS)).toEqual([4_000, 4_000]);
    });
  });
});
