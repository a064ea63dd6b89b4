import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { forSuite } from '../fixture.ts';
import { failNext, openNotes, runs } from './notes.ts';

const its = forSuite(openNotes);

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
