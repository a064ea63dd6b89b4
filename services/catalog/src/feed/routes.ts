import { type AnyOperation, asOf, named, ok, operation, timestamp } from '@boxoffice/http';
import type { Caller } from '@boxoffice/identity';
import { type TSchema, Type } from 'typebox';
import { Fee, fee } from '../pricing/fees.ts';
import { narrowChannels } from '../pricing/rules.ts';
import { Tax, tax } from '../pricing/taxes.ts';
import { Product, product, productType } from '../products/schemas.ts';
import { asOf as exampleAsOf, Institution } from '../schemas.ts';
import { Tariff, tariff } from '../tariffs.ts';
import type { CatalogAnswer, CatalogCache } from './cache.ts';
import { computeEtag, isLimitedToPublic, PublicProduct } from './projection.ts';

const catalogOf = <Item extends TSchema>(item: Item) =>
  Type.Object({
    institution: Institution,
    products: Type.Array(item),
    tariffs: Type.Array(Tariff),
    taxes: Type.Array(Tax),
    fees: Type.Array(Fee, { description: 'with an API key those without channels' }),
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
      summary: 'Returns all published products, with performances, tariffs, taxes and fees, in one answer',
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
          taxes: [tax],
          fees: [fee],
          removed: [],
          generatedAt: '2027-02-01T12:00:00.000Z',
          asOf: exampleAsOf,
        },
      },
      handle: async ({ caller, query }) => {
        const { data, etag } = isLimitedToPublic(caller)
          ? await cache.publicOf(caller.institution, query)
          : narrowFees(await cache.of(caller.institution, query), caller);
        return ok(data, { etag });
      },
    }),
  ];
}

/** A client with bounds sees the fees that admit it, without the channels of others. */
const narrowFees = (answer: CatalogAnswer, caller: Caller): CatalogAnswer => {
  const { data, etag } = answer;
  if (caller.bounds === null || data.fees.every(({ channels }) => channels === null)) return answer;
  const fees = data.fees.flatMap((fee) => narrowChannels(fee, caller) ?? []);
  return { data: { ...data, fees }, etag: `${etag}.${computeEtag(fees)}` };
};
