import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { forSuite } from '../fixture.ts';
import { holdUp, letPass, openNotes, runs } from './notes.ts';

const its = forSuite(openNotes);

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
