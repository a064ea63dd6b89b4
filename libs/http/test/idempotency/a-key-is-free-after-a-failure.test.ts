import { randomUUID } from 'node:crypto';
import type { Store } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import { forSuite } from '../fixture.ts';
import { openNotes } from './notes.ts';

type Keys = Store['idempotency'];

const its = forSuite(openNotes);

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
