import { buildOpenApiDocument, createCheck, dereference, findExampleFaults } from '@boxoffice/http';
import { sendEightAtOnce, useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { TSchema } from 'typebox';
import { createRoutes } from '../../src/commands.ts';
import { examples, schemas } from '../../src/events.ts';
import { newPointOfSale } from '../../src/points-of-sale/schemas.ts';
import {
  buildPerformanceBody,
  buildProductBody,
  createCode,
  createShow,
  createStalls,
  createTariff,
  describeOnEachEngine,
  type Instance,
  readAvailability,
  startCatalog,
} from '../fixture/service.ts';

interface Description {
  readonly paths: Record<
    string,
    Record<string, { operationId: string; security: unknown; responses: Record<string, unknown> }>
  >;
}

/** Operations that an API key opens, too. */
const PUBLIC: ReadonlySet<string> = new Set([
  'get /svc/v3/catalog',
  'get /svc/v3/catalog/products',
  'get /svc/v3/catalog/products/{productId}',
  'get /svc/v3/catalog/products/{productId}/performances',
  'get /svc/v3/catalog/performances',
  'get /svc/v3/catalog/performances/{performanceId}',
  'get /svc/v3/catalog/performances/{performanceId}/availability',
  'get /svc/v3/catalog/availability',
]);

describe('the description of the catalog', () => {
  const catalog = useFixture(() => startCatalog());

  test('every example fits its schema', () => {
    expect(findExampleFaults(createRoutes(catalog.store))).toEqual([]);
  });

  test('reading needs catalog:read, writing catalog:write, of codes the sensitive ones; internal operations are not in the description', async () => {
    const response = await fetch(`${catalog.url}/openapi.json`);
    const { paths } = (await response.json()) as Description;
    for (const [path, operations] of Object.entries(paths)) {
      expect(path).toMatch(/^\/svc\/v3\/catalog/);
      for (const [method, { security }] of Object.entries(operations)) {
        const [needed, ...others] = security as object[];
        const domain = path.includes('/codes') ? 'catalog.sensitive' : 'catalog';
        expect(needed).toEqual({ oauth2: [`${domain}:${method === 'get' ? 'read' : 'write'}`] });
        expect(others).toEqual(PUBLIC.has(`${method} ${path}`) ? [{ apiKey: [] }] : []);
      }
    }
  });

  test('refusals of the domain are described at their operations', () => {
    const document = { service: 'catalog', version: '0', operations: createRoutes(catalog.store) };
    const { paths } = dereference(buildOpenApiDocument(document)) as Description;
    const described = (path: string, method: string) =>
      JSON.stringify(paths[`/svc/v3/catalog${path}`]?.[method]?.responses);
    expect(described('/products', 'post')).toContain('product_duplicate_code');
    expect(described('/products/{productId}', 'patch')).toContain('product_state_conflict');
    expect(described('/performances/{performanceId}', 'patch')).toContain('performance_capacity_conflict');
    expect(described('/tariffs', 'post')).toContain('tariff_duplicate_code');
    expect(described('/points-of-sale', 'post')).toContain('point_of_sale_duplicate_host');
  });

  test('the example of each fact fits its schema', () => {
    expect(Object.keys(examples)).toEqual(Object.keys(schemas));
    for (const [type, schema] of Object.entries(schemas)) {
      const example: object = structuredClone(examples[type as keyof typeof schemas]);
      expect(createCheck<TSchema>(schema)(example)).toEqual(example);
    }
  });
});

const CATALOG = '/svc/v3/catalog';

describeOnEachEngine('of eight requests with one key at two instances', (fixture) => {
  let other: Instance;
  beforeAll(async () => {
    other = await fixture.another();
  });

  const send = async (method: 'POST' | 'PATCH', path: string, body?: object) => {
    const read = method === 'PATCH' ? await fixture.call('GET', `${CATALOG}${path}`) : undefined;
    const condition: Record<string, string> = read ? { 'if-match': read.headers.get('etag') ?? '' } : {};
    return sendEightAtOnce([fixture, other], (on: Instance, key) =>
      on.call<{ id: string }>(method, `${CATALOG}${path}`, { body, headers: { 'idempotency-key': key, ...condition } }),
    );
  };
  const listed = async (path: string): Promise<readonly unknown[]> =>
    (await fixture.call<{ items: unknown[] }>('GET', `${CATALOG}${path}`)).data.items;

  test('a tariff, a product with a performance, and a further performance are made once', async () => {
    const before = (await listed('/tariffs?limit=200')).length;
    const { data: tariff } = await send('POST', '/tariffs', { code: createCode(), name: { en: 'Full' } });
    expect((await listed('/tariffs?limit=200')).length).toBe(before + 1);
    const performance = buildPerformanceBody(tariff.id, [createStalls(20)]);
    const product = buildProductBody({ performances: [performance] });
    const made = await send('POST', '/products', product);
    expect([made.status, (await listed(`/products?code=${product.code}`)).length]).toEqual([201, 1]);
    const more = await send('POST', `/products/${made.data.id}/performances`, performance);
    expect(more.status).toBe(201);
    expect(await listed(`/products/${made.data.id}/performances`)).toHaveLength(2);
  });

  test('a change of a product, a tariff or a performance is made once', async () => {
    const show = await createShow(fixture, createStalls(10));
    const tariff = await createTariff(fixture);
    expect((await send('PATCH', `/tariffs/${tariff.id}`, { name: { en: 'Reduced' } })).status).toBe(200);
    expect((await send('PATCH', `/products/${show.product.id}`, { name: { en: 'Another' } })).status).toBe(200);
    const { id } = show.performance;
    const seatCategories = [{ id: show.categoryId, capacity: 12 }];
    expect((await send('PATCH', `/performances/${id}`, { seatCategories })).status).toBe(200);
    expect(await readAvailability(fixture, show)).toMatchObject({ free: 12 });
    expect((await send('PATCH', `/products/${show.product.id}`, { state: 'cancelled' })).status).toBe(200);
  });

  test('a point of sale is made once', async () => {
    const serviceHost = `${createCode()}.example`;
    const reply = await send('POST', '/points-of-sale', { ...newPointOfSale, tariffIds: [], serviceHost });
    expect(reply.status).toBe(201);
  });

  test('a refusal is the same for all', async () => {
    const product = buildProductBody();
    expect((await send('POST', '/products', product)).status).toBe(201);
    expect((await send('POST', '/products', product)).body.status).toBe('product_duplicate_code');
  });
});
