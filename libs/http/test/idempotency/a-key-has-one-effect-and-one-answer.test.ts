import { randomUUID } from 'node:crypto';
import type { Store } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import { openForSuite } from '../fixture.ts';
import { failNext, holdUp, letPass, openNotes, runs } from './notes.ts';

const its = openForSuite(openNotes);

describe('a repeat', () => {
  test.each(['/notes', '/sayings', '/notes/1'])('gets the first answer, and has no effect: %s', async (path) => {
    const [text, key] = [randomUUID(), randomUUID()];
    const first = await its.send(path, text, { key });
    const second = await its.send(path, text, { key });
    expect(first.replayed).toBeNull();
    expect(second).toEqual({ ...first, replayed: 'true' });
    expect(runs.get(text)).toBe(1);
  });

  test('gets the same refusal again, even after the state has changed', async () => {
    const [text, key] = [`refuse ${randomUUID()}`, randomUUID()];
    const first = await its.send('/refusals', text, { key });
    expect(first).toMatchObject({ status: 409, body: { details: 'Refused in run 1.' } });
    expect(await its.send('/refusals', text, { key })).toEqual({ ...first, replayed: 'true' });
  });

  test('of a request that was answered with Retry-After runs again', async () => {
    const [text, key] = [`later ${randomUUID()}`, randomUUID()];
    expect(await its.send('/refusals', text, { key })).toMatchObject({ status: 409, replayed: null });
    expect(await its.send('/refusals', text, { key })).toMatchObject({ status: 201, body: { data: { run: 2 } } });
  });

  test('of an invalid request is answered before its validation', async () => {
    const [text, key] = ['x'.repeat(61), randomUUID()];
    const first = await its.send('/notes', text, { key });
    expect(first).toMatchObject({ status: 400, body: { status: 'validation_error' } });
    expect(await its.send('/notes', text, { key })).toEqual({ ...first, replayed: 'true' });
  });

  test('of a request that failed with 5xx runs again', async () => {
    const [text, key] = [randomUUID(), randomUUID()];
    failNext(1);
    expect(await its.send('/refusals', text, { key })).toMatchObject({ status: 500, replayed: null });
    expect(await its.send('/refusals', text, { key })).toMatchObject({ status: 201, body: { data: { run: 2 } } });
  });

  test('is answered after a restart of the process, too', async () => {
    const [text, key] = [randomUUID(), randomUUID()];
    const first = await its.send('/notes', text, { key });
    const other = await its.another();
    const second = await other.send('/notes', text, { key });
    await other.close();
    expect(second).toEqual({ ...first, replayed: 'true' });
  });

  test('runs again once the subject of its answer was erased', async () => {
    const [text, key] = [randomUUID(), randomUUID()];
    await its.send('/notes', text, { key });
    await its.store.idempotency.forget(text);
    expect((await its.send('/notes', text, { key })).replayed).toBeNull();
  });
});

test('without a key every request has its effect', async () => {
  const text = randomUUID();
  await its.send('/notes', text);
  await its.send('/notes', text);
  expect(await its.countOf(text)).toBe(2);
});

describe('of 40 concurrent requests with one key', () => {
  const sent = async (path: string, text: string) => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 40 }, () => its.send(path, text, { key })));
    const [first] = answers;
    for (const { replayed: _, ...answer } of answers) expect(first).toMatchObject(answer);
    expect(answers.filter(({ replayed }) => replayed === null)).toHaveLength(1);
    return first;
  };

  test('one writes, and all get its answer', async () => {
    const text = randomUUID();
    expect(await sent('/notes', text)).toMatchObject({ status: 201 });
    expect(await its.countOf(text)).toBe(1);
  });

  test.each([
    ['an action without a write', '/sayings', '', 201],
    ['a refusal', '/refusals', 'refuse ', 409],
  ])('all get the answer of one, of %s', async (_what, path, prefix, status) => {
    const text = `${prefix}${randomUUID()}`;
    const held = holdUp(text);
    const first = sent(path, text);
    // The first waits, so others begin before it has an answer.
    while ((runs.get(text) ?? 0) < 2) await new Promise((resolve) => setImmediate(resolve));
    held.open();
    expect(await first).toMatchObject({ status });
  });
});

test('a request that is overtaken by a repeat at another instance gets its answer, and a different one is refused', async () => {
  const [text, key] = [randomUUID(), randomUUID()];
  const held = holdUp(text);
  const other = await its.another();
  const slow = other.send('/notes', text, { key });
  const different = other.send('/notes', text, { key, query: '?a=1' });
  await held.arrived;
  letPass(text);
  const first = await its.send('/notes', text, { key });
  held.open();
  expect(await slow).toEqual({ ...first, replayed: 'true' });
  expect(await different).toMatchObject({ status: 422, body: { status: 'idempotency_key_reused' } });
  await other.close();
  expect(await its.countOf(text)).toBe(1);
});

test('an attempt that fails for now gets the answer of another one that succeeded meanwhile', async () => {
  const [text, key] = [`later ${randomUUID()}`, randomUUID()];
  const reads: string[] = [];
  const blind = await its.another({
    ...its.store.idempotency,
    async find(of) {
      reads.push(of);
      if (reads.length === 1) return undefined;
      expect(await its.send('/refusals', text, { key })).toMatchObject({ status: 201, replayed: null });
      return its.store.idempotency.find(of);
    },
  });
  expect(await blind.send('/refusals', text, { key })).toMatchObject({ status: 201, replayed: 'true' });
  await blind.close();
});

type Keys = Store['idempotency'];

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

test('an effect whose answer was erased meanwhile is not had again: idempotency_in_progress', async () => {
  // It reads the key before the other request's write, and again after the erasure.
  const late = await its.another({ ...its.store.idempotency, find: async () => undefined });
  const [text, key] = [randomUUID(), randomUUID()];
  expect(await its.send('/notes', text, { key })).toMatchObject({ status: 201 });
  expect(await late.send('/notes', text, { key })).toMatchObject({
    status: 409,
    body: { status: 'idempotency_in_progress' },
  });
  expect(await its.countOf(text)).toBe(1);
  await late.close();
});
