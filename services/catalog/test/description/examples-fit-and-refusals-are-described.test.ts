import { dereferenced, exampleFaults, openApiDocument } from '@boxoffice/http';
import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { routes } from '../../src/app.ts';
import { examples } from '../../src/events.ts';
import { startCatalog } from '../fixture/service.ts';

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
    expect(exampleFaults(routes(catalog.store))).toEqual([]);
  });

  test('reading needs catalog:read, writing catalog:write; internal operations are not in the description', async () => {
    const response = await fetch(`${catalog.url}/openapi.json`);
    const { paths } = (await response.json()) as Description;
    for (const [path, operations] of Object.entries(paths)) {
      expect(path).toMatch(/^\/svc\/v3\/catalog/);
      for (const [method, { security }] of Object.entries(operations)) {
        const [needed, ...others] = security as object[];
        expect(needed).toEqual({ oauth2: [method === 'get' ? 'catalog:read' : 'catalog:write'] });
        expect(others).toEqual(PUBLIC.has(`${method} ${path}`) ? [{ apiKey: [] }] : []);
      }
    }
  });

  test('refusals of the domain are described at their operations', () => {
    const document = { service: 'catalog', version: '0', operations: routes(catalog.store) };
    const { paths } = dereferenced(openApiDocument(document)) as Description;
    const described = (path: string, method: string) =>
      JSON.stringify(paths[`/svc/v3/catalog${path}`]?.[method]?.responses);
    expect(described('/products', 'post')).toContain('product_duplicate_code');
    expect(described('/products/{productId}', 'patch')).toContain('product_state_conflict');
    expect(described('/performances/{performanceId}', 'patch')).toContain('performance_capacity_conflict');
    expect(described('/tariffs', 'post')).toContain('tariff_duplicate_code');
    expect(described('/points-of-sale', 'post')).toContain('point_of_sale_duplicate_host');
  });

  test('the example of each fact fits its schema', () => {
    expect(Object.keys(examples)).toEqual([
      'performance.cancelled',
      'performance.moved',
      'places.released',
      'institution.changed',
      'product.recorded',
      'performance.recorded',
    ]);
    expect(examples['performance.cancelled'].performanceId).toMatch(/^prf_/);
    const { placeIds, placesReleased } = examples['places.released'];
    expect(placeIds).toHaveLength(placesReleased);
  });
});
