import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openApiDocument } from '../../src/index.ts';
import { type Started, start } from '../fixture.ts';
import { things } from '../things.ts';

const deprecated = { since: '2027-01-31', sunset: '2027-08-01' };
const operations = things.map((one) => (one.id === 'getThing' ? { ...one, deprecated } : one));

let app: Started;
beforeAll(async () => {
  app = await start(operations);
});
afterAll(() => app.close());

const get = (headers: Record<string, string>, scopes = ['things:read']) =>
  app.call('/svc/v3/things/a', { as: { operation: 'getThing', scopes }, headers });

const announcedBy = ({ headers }: Response) => ['deprecation', 'sunset', 'link'].map((name) => headers.get(name));

test('every answer of a deprecated operation says since when, until when, and where to read on', async () => {
  const announced = ['@1801353600', 'Sun, 01 Aug 2027 00:00:00 GMT', '</docs/changes>; rel="sunset"'];
  const answers = [await get({}), await get({ 'If-None-Match': '*' }), await get({}, [])];
  expect(answers.map(({ status }) => status)).toEqual([200, 304, 403]);
  expect(answers.map(announcedBy)).toEqual([announced, announced, announced]);
});

test('answers of other operations announce nothing', async () => {
  const list = await app.call('/svc/v3/things', { as: { operation: 'listThings', scopes: ['things:read'] } });
  expect([list.status, ...announcedBy(list)]).toEqual([200, null, null, null]);
});

test('it is described as deprecated, with its headers, and no other one is', () => {
  const { paths } = openApiDocument({ service: 'things', version: '0.0.0', operations }) as {
    paths: Record<string, Record<string, { deprecated?: boolean; responses: Record<string, { headers: object }> }>>;
  };
  const marked = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, one]) => (one.deprecated ? [`${method} ${path}`] : [])),
  );
  expect(marked).toEqual(['get /svc/v3/things/{id}']);
  const { headers } = paths['/svc/v3/things/{id}']?.get?.responses['200'] ?? {};
  expect(Object.keys(headers ?? {})).toEqual(expect.arrayContaining(['Deprecation', 'Sunset']));
});
