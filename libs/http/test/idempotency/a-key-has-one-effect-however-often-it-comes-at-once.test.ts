import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { blindly, holdUp, letPass, openNotes } from './notes.ts';

let its: Awaited<ReturnType<typeof openNotes>>;
beforeAll(async () => {
  its = await openNotes();
});
afterAll(() => its.close());

test('without a key every request has its effect', async () => {
  const text = randomUUID();
  await its.send('/notes', text);
  await its.send('/notes', text);
  expect(await its.countOf(text)).toBe(2);
});

test('of 40 requests at once with one key one has its effect, and the others say so or that it runs', async () => {
  const [text, key] = [randomUUID(), randomUUID()];
  const answers = await Promise.all(Array.from({ length: 40 }, () => its.send('/notes', text, { key })));
  expect(await its.countOf(text)).toBe(1);
  expect(answers.filter(({ status, replayed }) => status === 201 && replayed === null)).toHaveLength(1);
  for (const { status, body: found } of answers) {
    if (status !== 201) expect([status, found.status]).toEqual([409, 'idempotency_in_progress']);
  }
});

test('two instances whose marks do not know each other have one effect', async () => {
  // What the second process sees when the first one's mark has died: no mark, and then a taken idempotency record.
  const [text, key] = [randomUUID(), randomUUID()];
  const held = holdUp(text);
  let isBlind = true;
  const blind: typeof its.store.idempotency = {
    ...its.store.idempotency,
    begin: async (...ticket) => (isBlind ? blindly(...ticket) : its.store.idempotency.begin(...ticket)),
  };
  const slow = await its.another(blind);
  const second = slow.send('/notes', text, { key });
  await held.arrived;
  isBlind = false;
  letPass(text);
  const first = await its.send('/notes', text, { key });
  held.open();
  expect(await second).toEqual({ ...first, replayed: 'true' });
  await slow.close();
  expect(await its.countOf(text)).toBe(1);
});
