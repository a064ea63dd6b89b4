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

test('of 40 concurrent requests with one key one has its effect; the others replay it or are idempotency_in_progress', async () => {
  const [text, key] = [randomUUID(), randomUUID()];
  const answers = await Promise.all(Array.from({ length: 40 }, () => its.send('/notes', text, { key })));
  expect(await its.countOf(text)).toBe(1);
  expect(answers.filter(({ status, replayed }) => status === 201 && replayed === null)).toHaveLength(1);
  for (const { status, body: found } of answers) {
    if (status !== 201) expect([status, found.status]).toEqual([409, 'idempotency_in_progress']);
  }
});

test('two instances that do not see each other’s locks have one effect', async () => {
  // The second process sees what it would see after the first one's lock expired: no lock, and then an
  // idempotency record that exists already.
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
