import { type AnyOperation, ok, operation, timestamp } from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import { Type } from 'typebox';
import { createContext } from '../context.ts';
import { isUse } from '../domain/place.ts';
import { performance } from '../performances/schemas.ts';
import { exampleIds } from '../pricing/schemas.ts';
import { ids } from '../schemas.ts';
import { extendHold, releaseHold, renewHold, sell } from './changes.ts';
import { createHoldsContext, hold } from './hold.ts';
import {
  asOf,
  Changed,
  exampleItem,
  Hold,
  HoldAnswer,
  holder,
  Place,
  placeIds,
  Renewed,
  requestId,
  toChangeView,
  toHoldView,
  toPlaceView,
  toRenewalView,
} from './schemas.ts';
import { shortenHold } from './shorten.ts';
import { toItemQuote } from './terms.ts';
import { holdUses, Uses, UsesAnswer } from './uses.ts';

const params = { holder };

const examplePlace = {
  id: ids.place,
  performanceId: ids.performance,
  seatCategoryId: ids.category,
  label: 'A-14',
  row: 'A',
  seat: 14,
  state: 'held' as const,
  heldUntil: '2027-02-01T12:15:00.000Z',
};
const exampleParams = { holder: ids.order };
const examplePlaces = [ids.place];
const exampleUse = 'use_00mhs1k0s2m5b9k4h7fg_0_0_1';
const done = { outcome: 'done', places: [examplePlace], missing: [] };

const internal = { method: 'post', access: 'internal', withoutIdempotency: true } as const;

/** The orders service calls these. Idempotent by holder, so without Idempotency-Key. */
export function createStockRoutes(store: Store): AnyOperation[] {
  const holds = createHoldsContext();
  const placesOf = (institution: string) => createContext(store, institution).collections.places;
  return [
    operation({
      ...internal,
      id: 'holdPlaces',
      path: '/internal/stock/holds',
      summary: 'Holds places for an order: all of them or none',
      body: Hold,
      answers: { 200: HoldAnswer },
      example: {
        body: {
          holder: ids.order,
          requestId: 'first',
          items: [{ ...exampleItem, quantity: 1 }],
        },
        answer: {
          outcome: 'held',
          refusal: null,
          heldUntil: '2027-02-01T12:15:00.000Z',
          pointOfSale: null,
          lines: [
            {
              item: 0,
              productId: ids.product,
              ...exampleItem,
              startDate: performance.startDate,
              criterion: null,
              amount: 12_500,
              currency: 'CHF',
              place: { id: ids.place, label: 'A-14', row: 'A', seat: 14 },
            },
          ],
        },
      },
      handle: async ({ caller, body }) => {
        const { requestId: request, ...requested } = body;
        const outcome = await hold(createContext(store, caller.institution), { ...requested, request }, holds);
        if (!('reason' in outcome)) return ok(toHoldView(outcome));
        const { reason, details, item } = outcome;
        const refused = { outcome: 'refused' as const, refusal: { reason, details, item } };
        const nothing = { ...refused, heldUntil: null, pointOfSale: null, lines: [] };
        if (!('sold' in outcome)) return ok(nothing);
        const quotes = requested.items.flatMap((one, index) => {
          const sold = outcome.sold[index];
          return sold ? [toItemQuote(one, index, sold)] : [];
        });
        return ok({ ...nothing, quotes, pricing: outcome.pricing });
      },
    }),
    operation({
      ...internal,
      id: 'holdUses',
      path: '/internal/stock/uses',
      summary: 'Holds uses of discounts and codes for an order: all of them or none',
      description:
        'They are extended, sold, renewed and released by their ids, as places are; a repeat has the same answer. `pool`: the id of ' +
        'a discount or code with a limit.',
      body: Uses,
      answers: { 200: UsesAnswer },
      example: {
        body: {
          holder: ids.order,
          requestId: 'first',
          heldUntil: examplePlace.heldUntil,
          uses: [{ pool: exampleIds.discount, count: 1 }],
        },
        answer: { outcome: 'held', short: null, uses: [{ pool: exampleIds.discount, ids: [exampleUse] }] },
      },
      handle: async ({ caller, body }) => ok(await holdUses(createContext(store, caller.institution), body)),
    }),
    operation({
      id: 'getHold',
      method: 'get',
      path: '/internal/stock/holds/{holder}',
      access: 'internal',
      summary: 'Returns the places that an order holds or has bought',
      params,
      answers: { 200: Type.Object({ places: Type.Array(Place) }) },
      example: { params: exampleParams, answer: { places: [examplePlace] } },
      handle: async ({ caller, params }) => {
        const places = await placesOf(caller.institution).find({ where: { holder: params.holder }, orderBy: 'order' });
        return ok({ places: places.filter((place) => !isUse(place)).map(toPlaceView) });
      },
    }),
    operation({
      ...internal,
      id: 'extendHold',
      path: '/internal/stock/holds/{holder}/extension',
      summary: 'Extends the hold of places, all or none, never to an earlier end; without `placeIds` all of the order',
      params,
      body: Type.Object({ heldUntil: timestamp, placeIds: Type.Optional(placeIds) }),
      answers: { 200: Changed },
      example: { params: exampleParams, body: { heldUntil: examplePlace.heldUntil }, answer: done },
      handle: async ({ caller, params, body }) => {
        const { heldUntil, ...which } = body;
        const change = { holder: params.holder, ...which };
        return ok(toChangeView(await extendHold(placesOf(caller.institution), change, Date.parse(heldUntil))));
      },
    }),
    operation({
      ...internal,
      id: 'shortenHold',
      path: '/internal/stock/holds/{holder}/shortening',
      summary: 'Ends the hold of places sooner, at this instant',
      description:
        'Only of places that the order has as of a version before `asOf`, which they get: a repeat, or a call that comes ' +
        'after a later extension, changes nothing. Sold places stay sold.',
      params,
      body: Type.Object({ heldUntil: timestamp, placeIds, asOf }),
      answers: { 200: Type.Object({ shortened: Type.Array(Type.String()) }) },
      example: {
        params: exampleParams,
        body: { heldUntil: examplePlace.heldUntil, placeIds: examplePlaces, asOf: 2 },
        answer: { shortened: examplePlaces },
      },
      handle: async ({ caller, params, body: { heldUntil, ...which } }) => {
        const change = { holder: params.holder, ...which };
        const shortened = await shortenHold(placesOf(caller.institution), change, Date.parse(heldUntil));
        return ok({ shortened: shortened.map(({ id }) => id) });
      },
    }),
    operation({
      ...internal,
      id: 'renewHold',
      path: '/internal/stock/holds/{holder}/renewal',
      summary: 'Holds places again whose hold may have lapsed, all or none',
      description:
        'The same places if they are free. Instead of a taken one, another of its seat category (`replaces` is the id of the taken ' +
        'one), unless it is a numbered seat. No places of a cancelled performance. `asOf` is the version of the order: the expiry of an ' +
        'earlier version does not end this hold.',
      params,
      body: Type.Object({
        requestId,
        heldUntil: timestamp,
        placeIds,
        asOf: Type.Optional(asOf),
      }),
      answers: { 200: Renewed },
      example: {
        params: exampleParams,
        body: { requestId: 'late-payment', heldUntil: examplePlace.heldUntil, placeIds: examplePlaces, asOf: 4 },
        answer: { ...done, places: [{ ...examplePlace, replaces: null }] },
      },
      handle: async ({ caller, params, body }) => {
        const { collections, now } = createContext(store, caller.institution);
        const { requestId: request, placeIds, heldUntil, asOf: version = 0 } = body;
        const until = Date.parse(heldUntil);
        const requested = { holder: params.holder, request, placeIds, until, asOf: version, now: now() };
        return ok(toRenewalView(await renewHold(collections, requested)));
      },
    }),
    operation({
      ...internal,
      id: 'sellHold',
      path: '/internal/stock/holds/{holder}/sale',
      summary: 'Sells held places, all or none; a repeat has the same answer',
      description: 'Of a cancelled performance none: then all of the places are released, and missing.',
      params,
      body: Type.Object({
        placeIds,
        heldUntil: Type.Optional({ ...timestamp, description: 'of all that are still held: no look comes first' }),
      }),
      answers: { 200: Changed },
      example: {
        params: exampleParams,
        body: { placeIds: examplePlaces },
        answer: { ...done, places: [{ ...examplePlace, state: 'sold', heldUntil: null }] },
      },
      handle: async ({ caller, params, body }) => {
        const { collections } = createContext(store, caller.institution);
        return ok(toChangeView(await sell(collections, { holder: params.holder, ...body })));
      },
    }),
    operation({
      ...internal,
      id: 'releaseHold',
      path: '/internal/stock/holds/{holder}/release',
      summary: 'Releases held places, with `sold` also sold ones',
      description:
        'Places that the order has taken since the version `asOf` stay; with `requestId` only those that this request took go.',
      params,
      body: Type.Object({
        placeIds: Type.Optional(placeIds),
        requestId: Type.Optional(requestId),
        asOf: Type.Optional(asOf),
        sold: Type.Optional(Type.Boolean()),
      }),
      answers: { 200: Type.Object({ released: Type.Array(Type.String()) }) },
      example: { params: exampleParams, body: { placeIds: examplePlaces }, answer: { released: examplePlaces } },
      handle: async ({ caller, params, body }) => {
        const { requestId: request, ...which } = body;
        const released = await releaseHold(placesOf(caller.institution), { holder: params.holder, request, ...which });
        return ok({ released: released.map(({ id }) => id) });
      },
    }),
  ];
}
