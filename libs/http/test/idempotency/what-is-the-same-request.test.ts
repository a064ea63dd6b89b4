import { createHash, randomUUID } from 'node:crypto';
import type { CallerUser } from '@boxoffice/identity';
import { describe, expect, test } from '@jest/globals';
import { canonicaliseJson } from '../../src/requests/body.ts';
import { openForSuite } from '../fixture.ts';
import { openNotes, runs } from './notes.ts';

const its = openForSuite(openNotes);

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

  test('of a request with other headers is a repeat, whose answer comes before If-Match', async () => {
    const key = randomUUID();
    const first = await its.send('/notes/1', 'a', { key, ifMatch: '"1"' });
    for (const ifMatch of ['"1"', '"2"', '*', undefined])
      expect(await its.send('/notes/1', 'a', { key, ifMatch })).toEqual({ ...first, replayed: 'true' });
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

describe('a repeat is the same request', () => {
  test.each([
    ['members in another order', '{"more":[10000,null],"text":"%"}'],
    ['white space', ' {\n\t"text" : "%",\r\n "more": [ 10000 , null ] } '],
    ['escapes', '{"te\\u0078t":"%","more":[10000,null]}'],
    ['another spelling of a number', '{"text":"%","more":[10000.0,null]}'],
    ['an exponent', '{"text":"%","more":[1E+4,null]}'],
    ['a member twice, of which the last one counts', '{"text":"?","text":"%","more":[10000,null]}'],
  ])('with %s', async (_what, spelling) => {
    const [text, key] = [randomUUID(), randomUUID()];
    const first = await its.send('/sayings', text, { key, raw: `{"text":"${text}","more":[10000,null]}` });
    expect(first).toMatchObject({ status: 201, replayed: null });
    const again = await its.send('/sayings', text, { key, raw: spelling.replace('%', text) });
    expect(again).toEqual({ ...first, replayed: 'true' });
    expect(runs.get(text)).toBe(1);
  });

  test.each([
    ['items in another order', '{"text":"%","more":[null,10000]}'],
    ['a number as a text', '{"text":"%","more":["10000",null]}'],
    ['null for an absent item', '{"text":"%","more":[10000,null,null]}'],
    ['a text that its schema would normalise', '{"text":" %","more":[10000,null]}'],
    ['another member', '{"text":"%","more":[10000,null],"__proto__":{}}'],
    ['what is no JSON', '{"text":"%","more":[10000,null],}'],
  ])('but not with %s', async (_what, spelling) => {
    const [text, key] = [randomUUID(), randomUUID()];
    await its.send('/sayings', text, { key, raw: `{"text":"${text}","more":[10000,null]}` });
    const other = await its.send('/sayings', text, { key, raw: spelling.replace('%', text) });
    expect(other).toMatchObject({ status: 422, replayed: null, body: { status: 'idempotency_key_reused' } });
  });

  test('of a record that release 0.3 made with an If-Match', async () => {
    const [text, key] = [randomUUID(), randomUUID()];
    const raw = `{"text":"${text}"}`;
    const fingerprint = createHash('sha256').update(`POST\0/sayings\0"1"\0${raw}\0`).digest('base64url');
    const answer = { status: 201, headers: { Location: '/sayings/1' }, body: { run: 1 } };
    const other = await its.another({ ...its.store.idempotency, find: async () => ({ fingerprint, answer }) });
    expect(await other.send('/sayings', text, { key, raw, ifMatch: '"1"' })).toMatchObject({ replayed: 'true' });
    await other.close();
  });
});

const canonical = (text: string) => canonicaliseJson(Buffer.from(text));

describe('one text for all spellings of a value', () => {
  test.each([
    ['{"b":1,"a":{"d":[],"c":""}}', '{ "a": {"c":"","d":[ ]}, "b": 1e0 }'],
    ['{"2":1,"1":2}', '{"1":2,"2":1}'],
    ['{"a":-0}', '{"a":0.00}'],
    ['{"__proto__":1,"a":2}', '{"a":2,"__proto__":1}'],
    ['{"é":"\\u00e9/"}', '{"\\u00E9":"é\\/"}'],
    ['', '{}'],
  ])('%s and %s', (one, other) => {
    expect(canonical(one)).toBeDefined();
    expect(canonical(one)).toBe(canonical(other));
  });

  test.each([
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":{}}', '{"a":[]}'],
    ['{"a":1e400}', '{"a":null}'],
    ['{"__proto__":1}', '{}'],
    ['{"constructor":1}', '{}'],
    ['{"é":1}', '{"e\u0301":1}'],
    ['{"a":"\\ud800"}', '{"a":"\\ud801"}'],
    ['{"a":0.1}', '{"a":0.10000000000000002}'],
  ])('but not %s and %s', (one, other) => {
    expect(canonical(one)).toBeDefined();
    expect(canonical(one)).not.toBe(canonical(other));
  });

  test.each([
    ['no JSON', Buffer.from('{')],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['nested too deeply', Buffer.from('['.repeat(100_000))],
    ['an object with too many members', Buffer.from(`{${'"a":1,'.repeat(7_000)}"b":1}`)],
  ])('none for %s', (_what, body) => {
    expect(canonicaliseJson(body)).toBeUndefined();
  });
});
