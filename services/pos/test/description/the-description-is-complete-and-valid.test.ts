// rule 1: The point-of-sale API has the base path `/tnwr/v1/` | services/pos/src/request/visit.ts
// rule 4: Family B rule 1: POST creates, GET reads, PUT and PATCH update, DELETE deletes | services/pos/src/app.ts
// rule 4: Rule 2: what an action needs is in the path; the query only refines | services/pos/src/app.ts

import SwaggerParser from '@apidevtools/swagger-parser';
import { exampleFaults, familyB } from '@boxoffice/http';
import { expect, test } from '@jest/globals';
import { routes } from '../../src/app.ts';
import type { PosContext } from '../../src/request/context.ts';
import { openFixture } from '../fixture/fixture.ts';
import { describeNow } from '../versions/published.ts';

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
    'POST /orders/{id}/links',
  ];
  expect(described.sort()).toEqual([...both, ...more.map((line) => line.replace(' ', ' /tnwr/vexp'))].sort());
});

test('examples match their schemas', () => {
  expect(exampleFaults(routes({} as PosContext), familyB)).toEqual([]);
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
