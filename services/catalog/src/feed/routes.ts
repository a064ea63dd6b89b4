import { type AnyOperation, asOf, named, ok, operation, timestamp } from '@boxoffice/http';
import { type TSchema, Type } from 'typebox';
import { Product, product, productType } from '../products/schemas.ts';
import { asOf as exampleAsOf, Institution } from '../schemas.ts';
import { Tariff, tariff } from '../tariffs.ts';
import type { CatalogCache } from './cache.ts';
import { isLimitedToPublic, PublicProduct } from './projection.ts';

const catalogOf = <Item extends TSchema>(item: Item) =>
  Type.Object({
    institution: Institution,
    products: Type.Array(item),
    tariffs: Type.Array(Tariff),
    removed: Type.Array(Type.String(), {
      description: 'products that were published and no longer are; empty without modifiedSince',
    }),
    generatedAt: Type.String({
      format: 'date-time',
      description: 'when the answer was made; a cache may be older than now',
    }),
    asOf,
  });

const Catalog = named('Catalog', catalogOf(Product));
const PublicCatalog = named('PublicCatalog', catalogOf(PublicProduct));

/** The cache is never stale after a write. */
export function createCatalogRoutes(cache: CatalogCache): AnyOperation[] {
  return [
    operation({
      id: 'getCatalog',
      method: 'get',
      path: '/svc/v3/catalog',
      access: 'catalog:read',
      publicWithKey: true,
      admits: ['customer'],
      summary: 'Returns all published products, with performances and tariffs, in one answer',
      description:
        'Products that are running or suspended. To keep a copy up to date, repeat the request with the previous `asOf` as ' +
        '`modifiedSince`: the answer has only the products changed since then, and `removed` lists those that are no longer published. ' +
        'Public access shows running products only.',
      query: { type: Type.Optional(productType), modifiedSince: Type.Optional(timestamp) },
      answers: { 200: Type.Union([Catalog, PublicCatalog]) },
      errors: ['not_found'],
      etag: true,
      compressed: true,
      example: {
        query: { type: 'show' },
        answer: {
          institution: { id: 'opera', name: 'Opéra du Lac', currency: 'CHF', languages: ['fr', 'en', 'de'] },
          products: [product],
          tariffs: [tariff],
          removed: [],
          generatedAt: '2027-02-01T12:00:00.000Z',
          asOf: exampleAsOf,
        },
      },
      handle: async ({ caller, query }) => {
        const { data, etag } = isLimitedToPublic(caller)
          ? await cache.publicOf(caller.institution, query)
          : await cache.of(caller.institution, query);
        return ok(data, { etag });
      },
    }),
  ];
}
