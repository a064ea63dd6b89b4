import {
  type AnyOperation,
  createChangesPageSchema,
  created,
  createPageSchema,
  id,
  listQuery,
  listReadOnlyMembers,
  named,
  ok,
  oneOf,
  operation,
  pageQuery,
  pathId,
  readChangesPage,
  readPage,
} from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import { Type } from 'typebox';
import { createContext, throwNotFound } from '../context.ts';
import { computeVisibleState } from '../domain/place.ts';
import { isLimitedToPublic, PublicAvailability, PublicPerformance, PublicPerformancePage } from '../feed/projection.ts';
import { getPublicAvailability, getPublicPerformance, listPublicPerformances, widenChanges } from '../feed/public.ts';
import { readTicketFees, type TicketFees } from '../pricing/ticket-fees.ts';
import { asOf, ids } from '../schemas.ts';
import type { PerformanceDocument } from '../store.ts';
import { buildPlacesCondition, readAvailability } from './capacity.ts';
import { changePerformance } from './change.ts';
import { addPerformance, findPerformance } from './performances.ts';
import * as examples from './schemas.ts';
import {
  Availability,
  computePerformanceEtag,
  NewPerformance,
  Performance,
  PerformanceChanges,
  toPerformanceDetail,
  toPerformanceInput,
  toPerformanceView,
} from './schemas.ts';
import { toSeatMap } from './seat-map.ts';

const readOnly = listReadOnlyMembers(Performance, PerformanceChanges);

const placeState = named('PlaceState', oneOf(['free', 'held', 'sold']));

const Place = named(
  'Place',
  Type.Object({
    id: Type.String(),
    seatCategoryId: Type.String(),
    label: Type.String({ description: 'what a ticket shows: row and seat, or a number' }),
    row: Type.Optional(Type.String({ description: 'of a numbered category' })),
    seat: Type.Optional(Type.Integer({ description: 'its number in the row' })),
    state: placeState,
  }),
);

const params = { performanceId: pathId };

export function createPerformancesRoutes(store: Store): AnyOperation[] {
  return [
    operation({
      id: 'listPerformances',
      method: 'get',
      path: '/svc/v3/catalog/products/{productId}/performances',
      access: 'catalog:read',
      publicWithKey: true,
      admits: ['customer'],
      summary: 'Lists the performances of a product in order of creation',
      description: 'Without plans of halls. Public access leaves out closed ones.',
      params: { productId: pathId },
      query: listQuery,
      answers: { 200: Type.Union([createChangesPageSchema(Performance), PublicPerformancePage]) },
      etag: true,
      example: {
        params: { productId: ids.product },
        answer: { items: [examples.performance], nextCursor: null, asOf },
      },
      handle: async (request) => {
        const context = createContext(store, request.caller.institution);
        const { productId } = request.params;
        if (isLimitedToPublic(request.caller)) return listPublicPerformances(context, productId, request);
        const { collections, now } = context;
        if (!(await collections.products.get(productId))) throwNotFound();
        const fees = await readTicketFees(collections);
        return readChangesPage(widenChanges(request, fees), collections.performances, {
          where: { productId },
          modifiedAt: 'modifiedAt',
          clock: now,
          item: (performance) => toPerformanceView(performance, fees),
        });
      },
    }),
    operation({
      id: 'createPerformance',
      method: 'post',
      path: '/svc/v3/catalog/products/{productId}/performances',
      access: 'catalog:write',
      summary: 'Adds a performance to a product and creates its places',
      description: 'As in `POST /svc/v3/catalog/products`, which takes several at once.',
      params: { productId: pathId },
      body: NewPerformance,
      answers: { 201: Performance },
      errors: ['semantically_invalid', 'conflict'],
      etag: true,
      example: {
        params: { productId: ids.product },
        body: examples.newPerformanceWithPlan,
        answer: examples.performanceWithPlan,
      },
      handle: async ({ caller, params, body, remember }) => {
        const context = createContext(store, caller.institution);
        const fees = await readTicketFees(context.collections);
        const reply = (performance: PerformanceDocument) =>
          created(toPerformanceDetail(performance, fees), `/svc/v3/catalog/performances/${performance.id}`, {
            etag: computePerformanceEtag(performance, fees),
          });
        return reply(await addPerformance(context, params.productId, toPerformanceInput(body), remember(reply)));
      },
    }),
    operation({
      id: 'getPerformance',
      method: 'get',
      path: '/svc/v3/catalog/performances/{performanceId}',
      access: 'catalog:read',
      publicWithKey: true,
      admits: ['customer'],
      summary: 'Returns a performance',
      description:
        'With its seat categories, prices and the plan of its hall; `…/availability` says what is free. Public access does not show the plan.',
      params,
      answers: { 200: Type.Union([Performance, PublicPerformance]) },
      etag: true,
      example: { params: { performanceId: ids.performance }, answer: examples.performanceWithPlan },
      handle: async ({ caller, params }) => {
        const context = createContext(store, caller.institution);
        if (isLimitedToPublic(caller)) return getPublicPerformance(context, params.performanceId);
        const { collections } = context;
        return answerWith(await readTicketFees(collections))(await findPerformance(collections, params.performanceId));
      },
    }),
    operation({
      id: 'changePerformance',
      method: 'patch',
      path: '/svc/v3/catalog/performances/{performanceId}',
      access: 'catalog:write',
      summary: 'Changes members of a performance, its capacity and its state',
      description:
        'JSON merge patch (RFC 7396); `prices` replaces all prices. `seatCategories` lists those to change: an unnumbered one by its ' +
        'new `capacity`, a numbered one by `rows`: rows that are not listed stay as they are, new ones are added, and 0 seats remove ' +
        'one. `seatMap` replaces the plan, null removes it. A performance can change between on_sale and ' +
        'closed; cancelled is final, cancels its orders, and returns its lines of those that have other performances.',
      params,
      body: PerformanceChanges,
      readOnly,
      answers: { 200: Performance },
      errors: ['semantically_invalid', 'performance_capacity_conflict', 'conflict'],
      conditional: true,
      etag: true,
      example: {
        params: { performanceId: ids.performance },
        body: { state: 'closed' },
        answer: { ...examples.performanceWithPlan, state: 'closed' },
      },
      handle: async ({ caller, params, body, ifMatch, requireUnchanged, remember }) => {
        const context = createContext(store, caller.institution);
        const fees = await readTicketFees(context.collections);
        const answer = answerWith(fees);
        return answer(
          await changePerformance(context, params.performanceId, {
            patch: { ...body, seatMap: toSeatMap(body.seatMap) },
            allow: (performance) => {
              ifMatch(computePerformanceEtag(performance, fees));
              requireUnchanged(toPerformanceView(performance, fees));
            },
            idempotencyRecord: remember(answer),
          }),
        );
      },
    }),
    operation({
      id: 'getAvailability',
      method: 'get',
      path: '/svc/v3/catalog/performances/{performanceId}/availability',
      access: 'catalog:read',
      publicWithKey: true,
      admits: ['customer'],
      summary: 'Counts the free, held and sold places of a performance',
      description: 'Public access shows levels instead of numbers.',
      params,
      answers: { 200: Type.Union([Availability, PublicAvailability]) },
      etag: true,
      example: { params: { performanceId: ids.performance }, answer: examples.availability },
      handle: async ({ caller, params }) => {
        const context = createContext(store, caller.institution);
        if (isLimitedToPublic(caller)) return getPublicAvailability(context, params.performanceId);
        const { collections, now } = context;
        const performance = await findPerformance(collections, params.performanceId);
        return ok(await readAvailability(collections, performance, now()));
      },
    }),
    operation({
      id: 'listPlaces',
      method: 'get',
      path: '/svc/v3/catalog/performances/{performanceId}/places',
      access: 'catalog:read',
      summary: 'Lists the places of a performance, best first',
      description: 'Each with its present state; `seatCategoryId` and `state` filter.',
      params,
      query: { seatCategoryId: Type.Optional(id), state: Type.Optional(placeState), ...pageQuery },
      answers: { 200: createPageSchema(Place) },
      example: {
        params: { performanceId: ids.performance },
        query: { state: 'free', limit: 1 },
        answer: {
          items: [
            {
              id: ids.place,
              seatCategoryId: ids.category,
              label: 'A-14',
              row: 'A',
              seat: 14,
              state: 'free',
            },
          ],
          nextCursor: null,
        },
      },
      handle: async (request) => {
        const { collections, now } = createContext(store, request.caller.institution);
        const asOf = now();
        const performance = await findPerformance(collections, request.params.performanceId);
        return readPage(request, collections.places, {
          where: await buildPlacesCondition(collections, performance, request.query, asOf),
          orderBy: 'order',
          item: (place) => ({
            id: place.id,
            seatCategoryId: place.seatCategoryId,
            label: place.label,
            ...(place.row === null ? {} : { row: place.row }),
            ...(place.seat === null ? {} : { seat: place.seat }),
            state: computeVisibleState(place, asOf) as 'free' | 'held' | 'sold',
          }),
        });
      },
    }),
  ];
}

const answerWith = (fees: TicketFees) => (performance: PerformanceDocument) =>
  ok(toPerformanceDetail(performance, fees), { etag: computePerformanceEtag(performance, fees) });
