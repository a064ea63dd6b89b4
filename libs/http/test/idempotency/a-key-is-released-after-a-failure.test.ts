import { randomUUID } from 'node:crypto';
import type { Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { blindly, holdUp, letPass, openNotes } from './notes.ts';

type Keys = Store['idempotency'];

let its: Awaited<ReturnType<typeof openNotes>>;
beforeAll(async () => {
  its = await openNotes();
});
afterAll(() => its.close());

/** Sends two requests with one key, one after the other, to an app with this idempotency store. */
const twice = async (keys: Partial<Keys>, path: string, text: string) => {
  const app = await its.another({ ...its.store.idempotency, ...keys });
  const key = randomUUID();
  const send = () => app.send(path, text, { key });
  const answers = [await send(), await send()];
  await app.close();
  return answers.map(({ status, body }) => ({ status, code: body.status }));
};

const failing = async () => {
  throw new Error('the store is slow');
};

describe('a key whose answer could not be stored', () => {
  test('can be used again at once after a success', async () => {
    const done = { status: 201, code: 'success' };
    expect(await twice({ remember: failing }, '/sayings', randomUUID())).toEqual([done, done]);
  });

  test('can be used again at once after a refusal', async () => {
    const refused = { status: 409, code: 'conflict' };
    expect(await twice({ remember: failing }, '/refusals', `refuse ${randomUUID()}`)).toEqual([refused, refused]);
  });
});

test('a request that lost to another instance replays the winner’s answer, and releases its own lock', async () => {
  // As in a store that looks up locks before answers: this instance's own one hides the winner's answer until it
  // ends.
  const marked = new Set<string>();
  const markFirst: Partial<Keys> = {
    async begin(key, fingerprint, expiresAt) {
      if (marked.has(key)) return { state: 'running', fingerprint };
      const started = await its.store.idempotency.begin(key, fingerprint, expiresAt);
      if (started.state === 'fresh') marked.add(key);
      return started;
    },
    async end(attempt) {
      marked.delete(attempt.key);
      await its.store.idempotency.end(attempt);
    },
  };
  const unseeing: Partial<Keys> = { begin: blindly, end: async () => undefined };
  const [outrun, winner] = [
    await its.another({ ...its.store.idempotency, ...markFirst }),
    await its.another({ ...its.store.idempotency, ...unseeing }),
  ];
  const [text, key] = [randomUUID(), randomUUID()];
  const held = holdUp(text);
  const waiting = outrun.send('/notes', text, { key });
  await held.arrived;
  letPass(text);
  const first = await winner.send('/notes', text, { key });
  held.open();
  const second = await waiting;
  await outrun.close();
  await winner.close();
  expect(first).toMatchObject({ status: 201, replayed: null });
  expect(second).toEqual({ ...first, replayed: 'true' });
  expect(marked.size).toBe(0);
  expect(await its.countOf(text)).toBe(1);
});

describe('a request whose key went to another one because it took too long', () => {
  test('does not overwrite the stored answer, and logs that', async () => {
    // Its attempt is not the one that the store has.
    const late = await its.another({ ...its.store.idempotency, begin: blindly });
    const [text, key] = [randomUUID(), randomUUID()];
    expect(await late.send('/sayings', text, { key })).toMatchObject({ status: 201, body: { data: { run: 1 } } });
    expect(late.lines.map(({ message }) => message)).toContainEqual(expect.stringContaining('is not stored'));
    expect(await its.send('/sayings', text, { key })).toMatchObject({ replayed: null, body: { data: { run: 2 } } });
    expect(await its.send('/sayings', text, { key })).toMatchObject({ replayed: 'true', body: { data: { run: 2 } } });
    await late.close();
  });

  test('leaves no lock if the winner’s answer was deleted meanwhile', async () => {
    const [started, ended]: [string[], string[]] = [[], []];
    const late = await its.another({
      ...its.store.idempotency,
      async begin(...ticket) {
        const blind = await blindly(...ticket);
        if (blind.state === 'fresh') started.push(blind.attempt.id);
        return blind;
      },
      end: async ({ id }) => void ended.push(id),
    });
    const [text, key] = [randomUUID(), randomUUID()];
    expect(await its.send('/notes', text, { key })).toMatchObject({ status: 201 });
    expect(await late.send('/notes', text, { key })).toMatchObject({ status: 409 });
    expect(ended).toEqual(started);
    expect(started).toHaveLength(2);
    await late.close();
  });
});
