import { type AnyOperation, ok } from '@boxoffice/http';
import { Type } from 'typebox';
import { readCodes } from '../cart/cart.ts';
import type { Edition } from '../description/editions.ts';
import { examples } from '../description/examples.ts';
import { AvailabilityEntry, PlaceEntry, Programme } from '../description/products.ts';
import { contactNumber, createMapSchema, langQuery, pathId, productType } from '../description/schemas.ts';
import type { PosContext } from '../request/context.ts';
import { buildPartHeaders, mapById, partQuery, toPart } from '../request/pagination.ts';
import { buildSharedHeaders, operation, type Visit } from '../request/visit.ts';
import { createShowcase } from './showcase.ts';
import type { Audience } from './views.ts';

const whose = { contactNumber: Type.Optional(contactNumber) };
const params = { id: pathId };
const example = { id: examples.ids.product };
const accessErrors = ['login_required', 'contact_not_accessible'] as const;
const LIST = ['X-Total-Amount', 'Link'] as const;

type Source = Pick<PosContext, 'offers' | 'criteriaOf' | 'orders'>;

export function createProgrammeRoutes(context: Source): AnyOperation[] {
  const showcase = createShowcase(context.offers);
  const audienceOf = createAudiences(context, true);
  return [
    operation({
      id: 'browseProgramme',
      method: 'get',
      path: '/programme',
      access: 'visitor',
      summary: 'Finds products by day, venue and title, by the start of their first performance that is wanted',
      description:
        'Running products only. Days are local to each performance; case and accents of ' +
        '`q` do not matter. `days` and `venues` are what else can be chosen with the rest of the query, `types` with none.',
      query: {
        type: Type.Optional(productType),
        from: day('the first day'),
        to: day('the last day'),
        venue: Type.Optional(Type.String({ maxLength: 200, description: 'its name' })),
        q: Type.Optional(Type.String({ maxLength: 200, description: 'words of a title, in any language' })),
        ...partQuery,
        ...langQuery,
        ...whose,
      },
      answers: { 200: Programme },
      answerHeaders: LIST,
      compressed: true,
      errors: accessErrors,
      example: { query: { type: 'show', from: '2027-03-12', to: '2027-03-14' }, answer: examples.programme },
      handle: async ({ visitor, query: { offset, limit, lang: _, contactNumber, ...wanted } }) => {
        const part = toPart({ offset, limit });
        const { data, total } = await showcase.programme(await audienceOf(visitor, contactNumber), wanted, part);
        return ok(data, {
          headers: { ...buildPartHeaders(visitor, part, total), ...buildSharedHeaders(visitor, contactNumber) },
        });
      },
    }),
  ];
}

const day = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description }));

export function createProductRoutes(context: Source, edition: Edition): AnyOperation[] {
  const showcase = createShowcase(context.offers);
  const audienceOf = createAudiences(context, edition.isExperimental);
  return [
    operation({
      id: 'browseProducts',
      method: 'get',
      path: '/products',
      access: 'visitor',
      summary: 'Lists products, by startDate and id',
      description:
        'Running products only. Prices are those that this visitor can buy at: with `contactNumber`, those of that ' +
        'contact.',
      query: { type: Type.Optional(productType), ...partQuery, ...langQuery, ...whose },
      answers: { 200: createMapSchema(edition.ProductEntry) },
      answerHeaders: LIST,
      compressed: true,
      errors: accessErrors,
      example: { query: { type: 'show', limit: 20 }, answer: { [examples.ids.product]: edition.examples.product } },
      handle: async ({ visitor, query }) => {
        const part = toPart(query);
        const audience = await audienceOf(visitor, query.contactNumber);
        const as = edition.isExperimental ? 'listed' : 'entry';
        const { data, total } = await showcase.list(audience, as, query.type, part);
        return ok(data, {
          headers: { ...buildPartHeaders(visitor, part, total), ...buildSharedHeaders(visitor, query.contactNumber) },
        });
      },
    }),
    operation({
      id: 'viewProduct',
      method: 'get',
      path: '/products/{id}',
      access: 'visitor',
      summary: 'Returns a product with its performances, and the tariffs that this visitor may buy',
      description: 'Texts are in the wanted language, else in the first of the point of sale.',
      params,
      query: { ...langQuery, ...whose },
      answers: { 200: edition.ProductDetail },
      compressed: true,
      errors: accessErrors,
      example: { params: example, answer: edition.examples.productDetail },
      handle: async ({ visitor, params, query }) => {
        const show = edition.isExperimental ? showcase.page : showcase.detail;
        return ok(await show(await audienceOf(visitor, query.contactNumber), params.id), {
          headers: buildSharedHeaders(visitor, query.contactNumber),
        });
      },
    }),
  ];
}

/** The codes of carts count for the answers that show prices of the experimental version. */
const createAudiences =
  ({ criteriaOf, orders }: Source, usesCodes: boolean) =>
  async (visit: Visit, number?: string): Promise<Audience> => {
    const { pointOfSale, languages, session } = visit;
    const criteria = await criteriaOf(visit, number);
    return {
      pointOfSale,
      languages,
      criteria,
      codes: usesCodes && session ? await readCodes({ orders }, session) : [],
    };
  };

export function createAvailabilityRoutes(context: Source): AnyOperation[] {
  const showcase = createShowcase(context.offers);
  const audienceOf = createAudiences(context, false);
  return [
    operation({
      id: 'viewAvailabilities',
      method: 'get',
      path: '/products/{id}/availabilities',
      access: 'visitor',
      summary: 'Returns the free places of each performance, at most a second old',
      description: 'By the ids of the performances.',
      params,
      query: langQuery,
      answers: { 200: createMapSchema(AvailabilityEntry) },
      compressed: true,
      example: { params: example, answer: examples.availabilities },
      handle: async ({ visitor, params }) =>
        ok(await showcase.availabilities(await audienceOf(visitor), params.id), {
          headers: buildSharedHeaders(visitor),
        }),
    }),
    operation({
      id: 'viewPlaces',
      method: 'get',
      path: '/products/{id}/performances/{performanceId}/places',
      access: 'visitor',
      summary: 'Lists the places of a performance, best first, with whether they are free',
      description: 'A `seatCategoryId` that the performance does not have is 400 `invalid_parameter`.',
      params: { ...params, performanceId: pathId },
      query: { seatCategoryId: Type.Optional(Type.String()), ...partQuery, ...langQuery },
      answers: { 200: createMapSchema(PlaceEntry) },
      answerHeaders: LIST,
      example: {
        params: { ...example, performanceId: examples.ids.performance },
        query: { seatCategoryId: examples.ids.category },
        answer: { [examples.place.id]: examples.place },
      },
      handle: async ({ visitor, params, query }) => {
        const part = toPart(query);
        const { id, performanceId } = params;
        const wanted = await showcase.places(await audienceOf(visitor), id, performanceId, query.seatCategoryId);
        const page = wanted.slice(part.offset, part.offset + part.limit);
        return ok(mapById(page), { headers: buildPartHeaders(visitor, part, wanted.length) });
      },
    }),
  ];
}
