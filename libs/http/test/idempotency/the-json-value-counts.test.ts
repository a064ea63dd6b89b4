import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../src/requests/body.ts';
import { forSuite } from '../fixture.ts';
import { openNotes, runs } from './notes.ts';

const its = forSuite(openNotes);

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

  test('as its bytes, of a record that release 0.1 made', async () => {
    const [text, key] = [randomUUID(), randomUUID()];
    const raw = ` {"text":"${text}"}`;
    const fingerprint = createHash('sha256').update(`POST\0/sayings\0\0${raw}\0`).digest('base64url');
    const answer = { status: 201, headers: { Location: '/sayings/1' }, body: { run: 1 } };
    const other = await its.another({
      ...its.store.idempotency,
      find: async () => ({ fingerprint, answer }),
    });
    expect(await other.send('/sayings', text, { key, raw })).toMatchObject({ status: 201, replayed: 'true' });
    const respelled = await other.send('/sayings', text, { key, raw: raw.trim() });
    expect(respelled).toMatchObject({ status: 422, body: { status: 'idempotency_key_reused' } });
    await other.close();
  });
});

const canonical = (text: string) => canonicalJson(Buffer.from(text));

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
    expect(canonicalJson(body)).toBeUndefined();
  });
});
