import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, jest, test } from '@jest/globals';
import { attemptOf, fresh, until } from '../../src/conformance/subject.ts';
import { type KeyState, openMongoStore, StoreUnavailable } from '../../src/index.ts';
import { describeMongo } from './describe.ts';
import { newDatabase } from './engine.ts';
import { startProxy, type Verdict } from './proxy.ts';

const PROMISED_MS = 10_000;

const program = fileURLToPath(new URL('./lock-holder.ts', import.meta.url));

describeMongo('the lock of a running request on MongoDB', (url) => {
  test('expires within 10 s after the death of its process, which renews it while it is alive', async () => {
    const { settings, remove } = newDatabase(url);
    const [dying, living] = [fresh('key'), fresh('key')];
    const store = await openMongoStore({ ...settings, collections: [] });
    const other = await openMongoStore({ ...settings, collections: [] });
    const begin = async (key: string) => (await other.idempotency.begin(key, 'print', Date.now() + 60_000)).state;

    const attempt = await attemptOf(store, living);
    const task = JSON.stringify({ ...settings, key: dying });
    const child = spawn(process.execPath, ['--conditions=source', program, task], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(child.stdout, 'data');
    expect(String(line)).toBe('fresh\n');
    expect(await begin(dying)).toBe('running');
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    await until(async () => (await begin(dying)) === 'fresh', 10 * PROMISED_MS);
    // This lock is at least as old by now as the dead one was.
    expect(await begin(living)).toBe('running');
    await store.idempotency.end(attempt);
    expect(await begin(living)).toBe('fresh');
    await store.close();
    await other.close();
    await remove();
  });

  test('is withdrawn if it is written after its begin has timed out', async () => {
    const { settings, remove } = newDatabase(url);
    let verdict: Verdict = 'pass';
    const proxy = await startProxy(url, (command) => (command.update === 'store.keys' ? verdict : 'pass'));
    const slow = await openMongoStore({ ...settings, url: proxy.url, collections: [], answerMs: 300 });
    const other = await openMongoStore({ ...settings, collections: [] });
    const key = fresh('key');
    const later = Date.now() + 60_000;
    verdict = 'held';
    await expect(slow.idempotency.begin(key, 'print', later)).rejects.toThrow(StoreUnavailable);
    verdict = 'pass';
    proxy.release();
    // The lock exists for a moment, or for 8 s if its withdrawal is lost; renewals would preserve it until the process
    // ends.
    let found: KeyState | undefined;
    await until(async () => {
      found = await other.idempotency.begin(key, 'print', later);
      return found.state === 'fresh';
    }, 10 * PROMISED_MS);
    if (found?.state === 'fresh') await other.idempotency.end(found.attempt);
    expect(await slow.idempotency.begin(key, 'print', later)).toMatchObject({ state: 'fresh' });
    await slow.close();
    await other.close();
    await proxy.close();
    await remove();
  });

  test('does not depend on the clock of another instance', async () => {
    const { settings, remove } = newDatabase(url);
    const store = await openMongoStore({ ...settings, collections: [] });
    const other = await openMongoStore({ ...settings, collections: [] });
    const key = fresh('key');
    const later = Date.now() + 3_600_000;
    const begin = async (skew: number) => {
      const now = Date.now.bind(Date);
      const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + skew);
      try {
        return (await other.idempotency.begin(key, 'print', later)).state;
      } finally {
        clock.mockRestore();
      }
    };
    const attempt = await attemptOf(store, key);
    for (const skew of [60_000, -60_000]) expect(await begin(skew)).toBe('running');
    await store.idempotency.end(attempt);
    expect(await begin(-60_000)).toBe('fresh');
    await store.close();
    await other.close();
    await remove();
  });
});
