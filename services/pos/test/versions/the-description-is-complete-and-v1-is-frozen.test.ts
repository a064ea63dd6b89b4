// rule 9: 1: the version is a path segment, and a published version does not change | services/pos/src/request/visit.ts
// rule 9: 2: `/vexp/` has the latest features and all of the numbered version | services/pos/src/request/visit.ts
// rule 1: The point-of-sale API has the base path `/tnwr/v1/` | services/pos/src/request/visit.ts
// rule 4: Family B rule 1: POST creates, GET reads, PUT and PATCH update, DELETE deletes | services/pos/src/app.ts
// rule 4: Rule 2: what an action needs is in the path; the query only refines | services/pos/src/app.ts

import { readFileSync } from 'node:fs';
import SwaggerParser from '@apidevtools/swagger-parser';
import { familyB, findExampleFaults } from '@boxoffice/http';
import { expect, test } from '@jest/globals';
import { createRoutes } from '../../src/commands.ts';
import type { PosContext } from '../../src/request/context.ts';
import { openFixture } from '../fixture/fixture.ts';
import { describeNow, describePublishedVersion, toJson } from './published.ts';

const frozen = JSON.parse(readFileSync(new URL('v1.json', import.meta.url), 'utf8')) as Record<string, object>;

/** The operations that differ from what was published. */
const changedIn = (now: Record<string, unknown>): string[] =>
  Object.entries(frozen)
    .filter(([name, published]) => JSON.stringify(toJson(now[name])) !== JSON.stringify(published))
    .map(([name]) => name);

test('no operation of v1 has another parameter, body, answer or code than the published one', () => {
  const now = describePublishedVersion('/tnwr/v1', describeNow());
  expect(toJson(now)).toEqual(frozen);
  expect(changedIn(now)).toEqual([]);
});

test('negative control: a changed member, a dropped parameter and a lost operation are found', () => {
  const now = () =>
    structuredClone(toJson(describePublishedVersion('/tnwr/v1', describeNow()))) as Record<string, never>;
  const renamed = JSON.parse(JSON.stringify(now()).replaceAll('"priceFrom"', '"fromPrice"'));
  expect(changedIn(renamed)).toEqual(expect.arrayContaining(['GET /products', 'GET /products/{id}']));
  const dropped = now() as Record<string, { parameters: unknown[] }>;
  dropped['GET /tickets']?.parameters.shift();
  expect(changedIn(dropped)).toEqual(['GET /tickets']);
  const { 'GET /users/me': _, ...lost } = now();
  expect(changedIn(lost)).toEqual(['GET /users/me']);
});

/** An operation whose body has one of several forms. */
interface Alternatives {
  readonly body: { readonly anyOf: readonly object[] };
}

/** Whether a schema has everything of another one, and perhaps more. */
const has = (schema: unknown, other: unknown): boolean => {
  if (Array.isArray(other)) return Array.isArray(schema) && other.every((one) => schema.some((own) => has(own, one)));
  if (typeof other !== 'object' || other === null) return schema === other;
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(other).every(([name, value]) => has((schema as Record<string, unknown>)[name], value));
};

test('vexp has every operation of v1, with its parameters, bodies and all members of its answers', () => {
  const [v1, vexp] = ['/tnwr/v1', '/tnwr/vexp'].map(
    (prefix) =>
      toJson(describePublishedVersion(prefix, describeNow())) as Record<string, { answers: unknown; codes: string[] }>,
  ) as [Record<string, { answers: unknown; codes: string[] }>, Record<string, { answers: unknown; codes: string[] }>];
  for (const [name, { answers, codes, ...same }] of Object.entries(v1)) {
    const { answers: more, codes: given, ...own } = vexp[name] ?? { answers: null, codes: [] };
    // Several items are another form of the body.
    const [one] = name === 'POST /shopping-cart/items' ? (own as Alternatives).body.anyOf : [];
    // A link stands for the session there.
    const linked = name.endsWith('/cancellation') && { security: [{ sessionToken: [] }, { orderLinkToken: [] }] };
    // A checkout takes methods of providers there, and may be refused for more reasons.
    const isCheckout = name === 'POST /orders';
    const body = isCheckout && has((own as Alternatives).body, (same as Alternatives).body) && same;
    expect([name, one ? { ...own, body: one } : { ...own, ...body }]).toEqual([name, { ...same, ...linked }]);
    expect([name, has(more, answers)]).toEqual([name, true]);
    // An expired cart is an answer there.
    const isOfCart = name.includes(' /shopping-cart') && name !== 'DELETE /shopping-cart';
    const wanted = isOfCart ? codes.filter((code) => code !== '400 cart_expired') : codes;
    expect([name, isCheckout ? given.filter((code) => codes.includes(code)) : given]).toEqual([name, wanted]);
  }
});

const LISTED = `
GET /products
GET /products/{id}
GET /products/{id}/performances/{performanceId}/places
GET /products/{id}/availabilities
POST /sessions
GET /sessions/current
DELETE /sessions/current
GET /users/me
GET /contacts/{contactNumber}
GET /shopping-cart
DELETE /shopping-cart
POST /shopping-cart/items
PATCH /shopping-cart/items/{id}
DELETE /shopping-cart/items/{id}
POST /orders
GET /orders
GET /orders/{id}
POST /orders/{id}/cancellation
GET /tickets
GET /tickets/{id}
PATCH /tickets/{id}`;

test('the description has exactly the listed operations under both versions', () => {
  const described = Object.entries(describeNow().paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const listed = LISTED.trim().split('\n');
  const both = ['/tnwr/v1', '/tnwr/vexp'].flatMap((base) => listed.map((line) => line.replace(' ', ` ${base}`)));
  const more = [
    'GET /order-links/current',
    'GET /order-links/current/document',
    'GET /order-links/current/order',
    'GET /orders/{id}/document',
    'GET /point-of-sale',
    'GET /programme',
    'GET /products/{id}/performances/{performanceId}/seat-map',
    'GET /tickets/{id}/document',
    'POST /order-links/requests',
    'POST /orders/{id}/changes',
    'POST /orders/{id}/changes/quotes',
    'DELETE /orders/{id}/changes/{changeId}',
    'POST /orders/{id}/links',
    'POST /orders/{id}/payments',
    'POST /shopping-cart/codes',
    'DELETE /shopping-cart/codes/{discountId}',
  ];
  expect(described.sort()).toEqual([...both, ...more.map((line) => line.replace(' ', ' /tnwr/vexp'))].sort());
});

test('examples match their schemas', () => {
  expect(findExampleFaults(createRoutes({} as PosContext), familyB)).toEqual([]);
});

test('a validator of OpenAPI 3.1 accepts the served document, which needs no X-Service-Host', async () => {
  const fixture = await openFixture();
  const served = await fetch(`${fixture.url}/openapi.json`);
  await fixture.close();
  expect(served.status).toBe(200);
  const document = await served.json();
  expect(document).not.toHaveProperty('success');
  await SwaggerParser.validate(document as never);
});
