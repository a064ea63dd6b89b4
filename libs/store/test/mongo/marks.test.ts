import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { fresh, until } from '../../src/conformance/subject.ts';
import { openMongoStore } from '../../src/index.ts';
import { describeMongo } from './describe.ts';
import { newDatabase } from './engine.ts';

const PROMISED_MS = 10_000;

const program = fileURLToPath(new URL('./mark-holder.ts', import.meta.url));

describeMongo('the mark of a running request on MongoDB', (url) => {
  test('dies within 10 s after its process, and not before: a living process renews its own', async () => {
    const { settings, remove } = newDatabase(url);
    const [dying, living] = [fresh('key'), fresh('key')];
    const store = await openMongoStore({ ...settings, collections: [] });
    const other = await openMongoStore({ ...settings, collections: [] });
    const begin = async (key: string) => (await other.idempotency.begin(key, 'print', Date.now() + 60_000)).state;

    expect((await store.idempotency.begin(living, 'print', Date.now() + 60_000)).state).toBe('fresh');
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
    // As old by now as the dead one was, or older.
    expect(await begin(living)).toBe('running');
    await store.idempotency.end(living);
    expect(await begin(living)).toBe('fresh');
    await store.close();
    await other.close();
    await remove();
  }, 120_000);
});
