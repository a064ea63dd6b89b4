import { type AnyOperation, createNullableSchema, createView, id, named, ok, operation } from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import { Type } from 'typebox';
import { createContext } from '../context.ts';
import { computeVisibleState } from '../domain/place.ts';
import { drawSeatMap } from '../domain/seat-map.ts';
import { buildPlacesCondition, readAvailability } from '../performances/capacity.ts';
import { findPerformance } from '../performances/performances.ts';
import { performance } from '../performances/schemas.ts';
import { Stage, seatMap } from '../performances/seat-map.ts';
import { Pricing, readPricing } from '../pricing/offer.ts';
import { Product, product } from '../products/schemas.ts';
import { names } from '../schemas.ts';
import { Tariff, tariff } from '../tariffs.ts';
import type { CatalogCache } from './cache.ts';

const MAX_PERFORMANCES = 100;

const Published = named(
  'PublishedCatalog',
  Type.Object({
    mark: Type.String({ description: 'changes when the published catalog changes' }),
    published: createNullableSchema(
      Type.Object({
        languages: Type.Optional(
          Type.Array(Type.String(), {
            description: "the institution's, for texts without one that the reader accepts",
          }),
        ),
        products: Type.Array(Product),
        tariffs: Type.Array(Tariff),
      }),
    ),
    pricing: Type.Optional(createNullableSchema(Pricing)),
  }),
);

const Stock = named(
  'ShopStock',
  Type.Object({
    performanceId: Type.String(),
    seatCategories: Type.Array(Type.Object({ id: Type.String(), capacity: Type.Integer(), free: Type.Integer() })),
  }),
);

const ShopPlace = named(
  'ShopPlace',
  Type.Object({
    id: Type.String(),
    label: Type.String(),
    row: createNullableSchema(Type.String()),
    seat: createNullableSchema(Type.Integer()),
    seatCategoryId: Type.String(),
    free: Type.Boolean(),
  }),
);

const ShopSeatMap = named(
  'ShopSeatMap',
  Type.Object({
    stage: Stage,
    areas: Type.Array(
      named(
        'ShopArea',
        Type.Object({ id: Type.String(), name: names, seatCategoryId: Type.String(), outline: Type.String() }),
      ),
    ),
    seats: Type.Record(
      Type.String(),
      named(
        'ShopSeat',
        Type.Object({
          areaId: Type.String(),
          row: Type.String(),
          label: Type.String(),
          x: Type.Number(),
          y: Type.Number(),
        }),
      ),
      { description: 'by the ids of their places' },
    ),
  }),
);

const placeView = createView(ShopPlace);
const planView = createView(ShopSeatMap);

const [category] = performance.seatCategories;
const exampleStock = {
  performanceId: performance.id,
  seatCategories: [{ id: String(category?.id), capacity: 100, free: 42 }],
};

export function createShopRoutes(store: Store, cache: CatalogCache): AnyOperation[] {
  return [
    operation({
      id: 'listShopProducts',
      method: 'get',
      path: '/internal/shop/products',
      access: 'internal',
      summary: 'Returns the published catalog, or null if it still has the given mark, and what prices are made of now',
      query: { mark: Type.Optional(Type.String({ maxLength: 64 })) },
      answers: { 200: Published },
      example: {
        answer: {
          mark: 'm1',
          published: { languages: ['fr', 'en'], products: [product], tariffs: [tariff] },
          pricing: null,
        },
      },
      handle: async ({ caller, query }) => {
        const context = createContext(store, caller.institution);
        const { data, etag } = await cache.of(caller.institution, {});
        const { institution, products, tariffs } = data;
        const published = { languages: institution.languages, products, tariffs };
        return ok({
          mark: etag,
          published: etag === query.mark ? null : published,
          pricing: await readPricing(context, await context.collections.institutions.get(institution.id)),
        });
      },
    }),
    operation({
      id: 'getShopAvailability',
      method: 'get',
      path: '/internal/shop/availability',
      access: 'internal',
      summary: 'Counts the free places of each seat category of these performances; unknown performances are left out',
      query: {
        performanceIds: Type.String({
          maxLength: 16_000,
          description: `separated by commas; at most ${MAX_PERFORMANCES}`,
        }),
      },
      answers: { 200: Type.Object({ performances: Type.Array(Stock) }) },
      example: { query: { performanceIds: performance.id }, answer: { performances: [exampleStock] } },
      handle: async ({ caller, query }) => {
        const { collections, now } = createContext(store, caller.institution);
        const ids = [...new Set(query.performanceIds.split(','))].slice(0, MAX_PERFORMANCES);
        const found = await collections.performances.find({ where: { id: { in: ids } } });
        const performances = await Promise.all(
          found.map(async (performance) => {
            const { performanceId, seatCategories } = await readAvailability(collections, performance, now());
            return {
              performanceId,
              seatCategories: seatCategories.map(({ id, capacity, free }) => ({ id, capacity, free })),
            };
          }),
        );
        return ok({ performances });
      },
    }),
    operation({
      id: 'listShopPlaces',
      method: 'get',
      path: '/internal/shop/performances/{performanceId}/places',
      access: 'internal',
      summary: 'Lists the places of a performance in their order, with whether each is free',
      params: { performanceId: id },
      query: { seatCategoryId: Type.Optional(id) },
      answers: { 200: Type.Object({ places: Type.Array(ShopPlace) }) },
      example: {
        params: { performanceId: performance.id },
        answer: {
          places: [{ id: 'plc_1', label: 'A-1', row: 'A', seat: 1, seatCategoryId: String(category?.id), free: true }],
        },
      },
      handle: async ({ caller, params, query }) => {
        const { collections, now } = createContext(store, caller.institution);
        const performance = await findPerformance(collections, params.performanceId);
        const at = now();
        const where = await buildPlacesCondition(collections, performance, query, at);
        const found = await collections.places.find({ where, orderBy: 'order' });
        return ok({
          places: found.map((place) => placeView({ ...place, free: computeVisibleState(place, at) === 'free' })),
        });
      },
    }),
    operation({
      id: 'getShopSeatMap',
      method: 'get',
      path: '/internal/shop/performances/{performanceId}/seat-map',
      access: 'internal',
      summary: 'Returns the plan of a performance with the position of every seat',
      params: { performanceId: id },
      answers: { 200: ShopSeatMap },
      example: {
        params: { performanceId: performance.id },
        answer: {
          stage: seatMap.stage,
          areas: seatMap.areas.map(({ id, name, outline }) => ({
            id,
            name,
            seatCategoryId: String(category?.id),
            outline,
          })),
          seats: { plc_1: { areaId: 'stalls', row: 'A', label: 'A-1', x: 10, y: 30 } },
        },
      },
      handle: async ({ caller, params }) => {
        const { collections } = createContext(store, caller.institution);
        return ok(planView(drawSeatMap(await findPerformance(collections, params.performanceId))));
      },
    }),
  ];
}
