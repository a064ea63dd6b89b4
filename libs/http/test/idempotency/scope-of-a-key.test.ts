import { randomUUID } from 'node:crypto';
import type { CallerUser } from '@boxoffice/identity';
import { describe, expect, test } from '@jest/globals';
import { forSuite } from '../fixture.ts';
import { openNotes, runs } from './notes.ts';

const its = forSuite(openNotes);

describe('a key', () => {
  test.each([
    ['body', { path: '/notes', text: 'b', query: '' }],
    ['path', { path: '/sayings', text: 'a', query: '' }],
    ['query', { path: '/notes', text: 'a', query: '?a=1' }],
    ['method', { path: '/notes/1', text: 'a', query: '' }],
  ])('of a request with another %s is idempotency_key_reused', async (_what, { path, text, query }) => {
    const key = randomUUID();
    await its.send('/notes', 'a', { key });
    const other = await its.send(path, text, { key, query });
    expect(other).toMatchObject({
      status: 422,
      replayed: null,
      body: { status: 'idempotency_key_reused', data: null },
    });
  });

  test('of a request with another If-Match is idempotency_key_reused, with the same one it is a repeat', async () => {
    const key = randomUUID();
    const first = await its.send('/notes/1', 'a', { key, ifMatch: '"1"' });
    expect(await its.send('/notes/1', 'a', { key, ifMatch: '"1"' })).toEqual({ ...first, replayed: 'true' });
    for (const ifMatch of ['"2"', undefined]) {
      expect(await its.send('/notes/1', 'a', { key, ifMatch })).toMatchObject({
        status: 422,
        body: { status: 'idempotency_key_reused' },
      });
    }
  });

  test('belongs to one client of one institution', async () => {
    const [text, key] = [randomUUID(), randomUUID()];
    const others = [{}, { client: 'cl_2' }, { institution: 'museum' }, { client: 'cl_2', institution: 'museum' }];
    for (const caller of others) expect((await its.send('/sayings', text, { key, ...caller })).replayed).toBeNull();
    expect(runs.get(text)).toBe(4);
  });

  const till = (id: string, ...pointsOfSale: string[]): CallerUser => ({
    id,
    role: 'box_office',
    contact: null,
    pointsOfSale,
  });

  test('belongs to one user of one client', async () => {
    const [text, key] = [randomUUID(), randomUUID()];
    const others = [{}, { user: till('usr_1') }, { user: till('usr_2') }, { user: till('usr_1'), client: 'cl_2' }];
    for (const caller of others) expect((await its.send('/sayings', text, { key, ...caller })).replayed).toBeNull();
    expect(runs.get(text)).toBe(4);
    expect((await its.send('/sayings', text, { key, user: till('usr_2') })).replayed).toBe('true');
  });

  test('of a user whose data are bounded differently now shows no answer from before', async () => {
    const [text, key] = [randomUUID(), randomUUID()];
    await its.send('/notes', text, { key, user: till('usr_1', 'a.example', 'b.example') });
    const again = (...hosts: string[]) => its.send('/notes', text, { key, user: till('usr_1', ...hosts) });
    expect((await again('b.example', 'a.example')).replayed).toBe('true');
    for (const hosts of [['a.example'], []])
      expect(await again(...hosts)).toMatchObject({ status: 422, body: { status: 'idempotency_key_reused' } });
  });

  test.each([
    ['x'.repeat(255), 201],
    ['x'.repeat(256), 400],
    ['', 400],
  ])('has 1 to 255 characters', async (key, status) => {
    const answer = await its.send('/sayings', randomUUID(), { key: key && key.slice(0, -36) + randomUUID() });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.status).toBe('invalid_parameter');
  });

  test('is ignored by operations that do not take one', async () => {
    const [text, key] = [randomUUID(), randomUUID()];
    await its.send('/taken', text, { key });
    expect(await its.send('/taken', text, { key })).toMatchObject({ replayed: null, body: { data: { run: 2 } } });
  });

  test('is looked up only after the caller is authenticated', async () => {
    const [text, key] = [randomUUID(), randomUUID()];
    await its.send('/notes', text, { key });
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
    const answer = await fetch(`${its.app.url}/notes`, { method: 'POST', headers, body: JSON.stringify({ text }) });
    expect(answer.status).toBe(401);
  });
});
