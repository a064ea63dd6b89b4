// rule 7: 400 `bad_request`: malformed payload, missing or invalid required field | libs/http/src/requests/form.ts
// rule 7: 400 `validation_error`: a constraint is violated | libs/http/src/requests/form.ts
// rule 7: 400 `missing_parameter`: a required parameter is absent | libs/http/src/requests/form.ts
// rule 7: 400 `invalid_parameter`: wrong type, format or enum value | libs/http/src/requests/form.ts

import { beforeEach, describe, expect, test } from '@jest/globals';
import { openForSuite, start } from '../fixture.ts';
import { given, things } from '../things.ts';

const app = openForSuite(() => start(things));
beforeEach(() => given.clear());

const read = async (answer: Response) => {
  return { ...((await answer.json()) as { status: string; details: string | null }), http: answer.status };
};

const as = { operation: 'createThing', scopes: ['things:write'] };
const post = async (body: RequestInit['body'], { query = '', headers = {} } = {}) =>
  read(await app.call(`/svc/v3/things${query}`, { as, method: 'POST', headers, body }));

const list = async (query: string) =>
  read(await app.call(`/svc/v3/things${query}`, { as: { operation: 'listThings', scopes: ['things:read'] } }));

describe('bad_request', () => {
  test.each([
    ['malformed JSON', '{"name":'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a text', '"x"'],
    ['no body', undefined],
    ['null for a field that is not nullable', '{"name":null}'],
    ['a number beyond the range of doubles', '{"name":"x","size":1e999}'],
    ['a type that no alternative has', '{"name":"x","shape":1}'],
    ['text that is not Unicode', '{"name":"\\ud800"}'],
    [
      'the same, nested deeper than the stack allows',
      `{"name":"x","more":${'['.repeat(60_000)}"\\udc00"${']'.repeat(60_000)}}`,
    ],
    ['an absent field of the alternative that was meant', '{"name":"x","shape":{"kind":"circle"}}'],
  ])('%s', async (_what, body) => {
    expect(await post(body)).toMatchObject({ http: 400, status: 'bad_request' });
    expect(given.size).toBe(0);
  });

  test('text that is not Unicode is named by its path; a surrogate pair of escapes is one character', async () => {
    const { details } = await post('{"name":"\\ud83d\\ude00","tags":["a","\\ud800"],"place":{"city":"\\udead"}}');
    expect(details).toBe('$.place.city is not well-formed Unicode. $.tags[1] is not well-formed Unicode.');
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonx',
  ])('the content type %s', async (type) => {
    expect(await post('{"name":"x"}', { headers: { 'Content-Type': type } })).toMatchObject({ status: 'bad_request' });
  });

  test('a body without a content type, or compressed', async () => {
    expect(await post(Buffer.from('{"name":"x"}'))).toMatchObject({ http: 400 });
    const headers = { 'Content-Encoding': 'gzip' };
    expect(await post('{"name":"x"}', { headers })).toMatchObject({ status: 'bad_request' });
  });

  test('a body that is not UTF-8', async () => {
    const headers = { 'Content-Type': 'application/json' };
    expect(await post(Buffer.from('{"name":"\xff"}', 'latin1'), { headers })).toMatchObject({ status: 'bad_request' });
  });
});

describe('validation_error', () => {
  test.each([
    ['range', '{"name":"x","size":10}', '$.size'],
    ['a day that does not exist', '{"name":"x","since":"2027-02-30T00:00:00Z"}', '$.since'],
    ['a timestamp without an offset', '{"name":"x","since":"2027-02-20T00:00:00"}', '$.since'],
    ['a prototype field', '{"name":"x","__proto__":{"admin":true}}', '$.__proto__'],
    ['an inherited name', '{"name":"x","constructor":1}', '$.constructor'],
    ['a key of a map', '{"name":"x","labels":{"english":"x"}}', '$.labels.english'],
    ['an item', '{"name":"x","place":{"city":"x","lines":["","","",""]}}', '$.place.lines'],
    ['the alternative that was meant', '{"name":"x","shape":{"kind":"square","side":-1}}', '$.shape.side'],
    ['no choice', '{"name":"x","shape":{"kind":"star"}}', '$.shape'],
  ])('%s', async (_what, body, path) => {
    const refused = await post(body);
    expect(refused).toMatchObject({ http: 400, status: 'validation_error' });
    expect(refused.details).toContain(path);
    expect(given.size).toBe(0);
  });

  test('of several forms the one is meant whose members are there, however many faults are within', async () => {
    const { details } = await post('{"name":"x","parts":{"items":[{"foo":1,"bar":2,"baz":3}]}}');
    expect(details).toContain('$.parts.items[0].part is required; ');
    expect(details).toContain('$.parts.items[0].foo is not a known field');
    expect(details).not.toMatch(/parts\.(part|items) /);
  });

  test('names every violation, and no value', async () => {
    const body = {
      name: 'n'.repeat(21),
      size: 0,
      color: 'secret-value',
      email: 'secret',
      place: { city: '', 'odd key': 1 },
    };
    const { details } = await post(JSON.stringify(body));
    for (const path of ['$.name', '$.size', '$.color', '$.email', '$.place.city', '$.place["odd key"]']) {
      expect(details).toContain(`${path} `);
    }
    expect(details).not.toContain('secret');
  });

  test('names a hundred of thousands of violations', async () => {
    const body = { name: 'x', ...Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`f${index}`, 1])) };
    const { details } = await post(JSON.stringify(body));
    expect(details).toContain('$.f99 ');
    expect(details).toContain('; and more.');
  });
});

describe('invalid_parameter', () => {
  test.each([
    ['wrong type', '?limit=x', 'limit'],
    ['range', '?limit=0', 'limit'],
    ['range', '?limit=501', 'limit'],
    ['a number in another notation', '?limit=1e1', 'limit'],
    ['empty', '?limit=', 'limit'],
    ['enum', '?color=blue', 'color'],
    ['format', '?modifiedSince=yesterday', 'modifiedSince'],
    ['unknown', '?colour=red', 'colour'],
    ['a prototype name', '?__proto__=1', '__proto__'],
    ['twice', '?limit=1&limit=2', 'limit'],
  ])('%s: %s', async (_what, query, name) => {
    const refused = await list(query);
    expect(refused).toMatchObject({ http: 400, status: 'invalid_parameter' });
    expect(refused.details).toContain(`query parameter ${name} `);
  });
});

describe('a valid request', () => {
  test('reaches the handler typed and normalised', async () => {
    const body = { name: 'x', email: '  Ada@Example.org ', since: '2027-06-01T02:00:00+02:00', color: null };
    expect(await post(JSON.stringify(body), { query: '?allowDuplicates=true&times=-3' })).toMatchObject({ http: 201 });
    expect(given.get('createThing')).toEqual({
      body: { name: 'x', email: 'Ada@Example.org', since: '2027-06-01T00:00:00.000Z', color: null },
      query: { allowDuplicates: true, times: -3 },
    });
  });

  test('coerces the query by its types', async () => {
    expect(await list('?limit=500&color=red&min=1.5&modifiedSince=2027-01-01T00:00:00%2B01:00')).toMatchObject({
      http: 200,
    });
    const modifiedSince = '2026-12-31T23:00:00.000Z';
    expect(given.get('listThings')).toEqual({ limit: 500, color: 'red', min: 1.5, modifiedSince });
  });

  test.each(['application/json', 'APPLICATION/JSON; charset=UTF-8', 'application/json;charset="utf-8"'])(
    'may have the content type %s',
    async (type) => {
      expect(await post('{"name":"x"}', { headers: { 'Content-Type': type } })).toMatchObject({ http: 201 });
    },
  );

  test('may omit a body without required members, and its content type', async () => {
    const as = { operation: 'paintThing', scopes: ['things:write'] };
    const answer = await app.call('/svc/v3/things/a/paint', { as, method: 'POST' });
    expect(answer.status).toBe(200);
    expect(given.get('paintThing')).toEqual({});
  });

  test('must not omit the body of a PUT', async () => {
    const as = { operation: 'replaceThing', scopes: ['things:write'] };
    const answer = await app.call('/svc/v3/things/a', { as, method: 'PUT' });
    expect(await answer.json()).toMatchObject({ status: 'bad_request' });
  });
});

describe('read-only members that a GET returned', () => {
  const coats = { at: '2027-01-02T01:00:00+01:00', color: 'red' };
  const write = async (method: string, operation: string, body: object) => {
    const as = { operation, scopes: ['things:write'] };
    return read(await app.call('/svc/v3/things/a', { as, method, body: JSON.stringify(body) }));
  };

  describe.each([
    ['PUT', 'replaceThing'],
    ['PATCH', 'updateThing'],
  ])('in a %s', (method, operation) => {
    test.each([
      ['as they are', { id: 'a', coats }],
      ['with other bookkeeping', { id: 'a', createdAt: 'whenever' }],
      ['absent', {}],
    ])('are accepted %s, and the handler does not see them', async (_how, members) => {
      expect(await write(method, operation, { name: 'x', ...members })).toMatchObject({ http: 200 });
      expect(given.get(operation)).toEqual({ name: 'x' });
    });

    test.each([
      [{ id: 17 }, 'no operation changes it'],
      [{ coats: { ...coats, color: 'green' } }, 'POST /svc/v3/things/{id}/paint (paintThing)'],
      [{ coats: [] }, 'DELETE /svc/v3/things/{id} (breakThing)'],
    ])(
      'are refused when they differ, and details names the operation that changes them: %j',
      async (members, named) => {
        const details = expect.stringContaining(named);
        const refused = { http: 422, status: 'validation_error', details };
        expect(await write(method, operation, { name: 'x', ...members })).toMatchObject(refused);
      },
    );
  });

  test('merge in a PATCH and replace in a PUT', async () => {
    const part = { name: 'x', coats: { color: 'red' } };
    expect(await write('PATCH', 'updateThing', part)).toMatchObject({ http: 200 });
    expect(await write('PUT', 'replaceThing', part)).toMatchObject({ http: 422 });
    expect(await write('PATCH', 'updateThing', { coats: null })).toMatchObject({ http: 422 });
  });

  test('are unknown fields to a creation', async () => {
    expect(await post('{"name":"x","id":"a"}')).toMatchObject({ status: 'validation_error' });
  });
});

describe('an HTML form', () => {
  const token = async (body: string, type = 'application/x-www-form-urlencoded;charset=UTF-8') => {
    const answer = await fetch(`${app.url}/auth/token`, { method: 'POST', headers: { 'Content-Type': type }, body });
    return { http: answer.status, ...((await answer.json()) as object) };
  };

  test('has text values, ignores unknown fields, and treats empty fields as absent', async () => {
    const answer = await token('grant_type=client_credentials&scope=&other=1');
    expect(answer).toMatchObject({ http: 200, status: 'success', data: { access_token: 't' }, access_token: 't' });
    expect(given.get('issueToken')).toMatchObject({ grant_type: 'client_credentials' });
  });

  test.each([
    ['an absent field', 'scope=x', 'missing_parameter'],
    ['a value that is not in the enumeration', 'grant_type=password', 'invalid_parameter'],
    ['a repeated field', 'grant_type=client_credentials&grant_type=client_credentials', 'bad_request'],
  ])('is refused in the shapes of both families: %s', async (_what, body, status) => {
    expect(await token(body)).toMatchObject({ http: 400, status, data: null, error: 'invalid_request' });
  });

  test('is not JSON', async () => {
    expect(await token('{}', 'application/json')).toMatchObject({ status: 'bad_request', error: 'invalid_request' });
  });
});
