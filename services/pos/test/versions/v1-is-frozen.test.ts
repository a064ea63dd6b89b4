import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { asJson, describeNow, publishedBelow } from './published.ts';

const frozen = JSON.parse(readFileSync(new URL('v1.json', import.meta.url), 'utf8')) as Record<string, object>;

/** The operations that differ from what was published. */
const changedIn = (now: Record<string, unknown>): string[] =>
  Object.entries(frozen)
    .filter(([name, published]) => JSON.stringify(asJson(now[name])) !== JSON.stringify(published))
    .map(([name]) => name);

test('no operation of v1 has another parameter, body, answer or code than the published one', () => {
  const now = publishedBelow('/tnwr/v1', describeNow());
  expect(asJson(now)).toEqual(frozen);
  expect(changedIn(now)).toEqual([]);
});

test('negative control: a changed member, a dropped parameter and a lost operation are found', () => {
  const now = () => structuredClone(asJson(publishedBelow('/tnwr/v1', describeNow()))) as Record<string, never>;
  const renamed = JSON.parse(JSON.stringify(now()).replaceAll('"priceFrom"', '"fromPrice"'));
  expect(changedIn(renamed)).toEqual(expect.arrayContaining(['GET /products', 'GET /products/{id}']));
  const dropped = now() as Record<string, { parameters: unknown[] }>;
  dropped['GET /tickets']?.parameters.shift();
  expect(changedIn(dropped)).toEqual(['GET /tickets']);
  const { 'GET /users/me': _, ...lost } = now();
  expect(changedIn(lost)).toEqual(['GET /users/me']);
});

test('vexp has the same operations as v1', () => {
  const [v1, vexp] = ['/tnwr/v1', '/tnwr/vexp'].map((prefix) => publishedBelow(prefix, describeNow()));
  expect(asJson(vexp)).toEqual(asJson(v1));
});
