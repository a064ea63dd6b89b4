import {
  type AnyOperation,
  createChangesPageSchema,
  createCheck,
  created,
  createPatchSchema,
  listQuery,
  listReadOnlyMembers,
  mergePatch,
  named,
  ok,
  operation,
  readChangesPage,
} from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import { type Static, Type } from 'typebox';
import { createContext, throwNotFound } from '../context.ts';
import { isPaymentProvider } from '../domain/point-of-sale.ts';
import { sortTexts } from '../domain/tariff.ts';
import { asOf } from '../schemas.ts';
import type { PointOfSaleDocument } from '../store.ts';
import { changePointOfSale, createPointOfSale, findPointOfSaleByHost, findShops } from './points-of-sale.ts';
import { listProviders, recordProvider } from './providers.ts';
import * as examples from './schemas.ts';
import {
  Changes,
  NewPointOfSale,
  PointOfSale,
  ProviderReport,
  ProviderRow,
  provider,
  Shop,
  serviceHost,
  toPointOfSaleDetails,
  toPointOfSaleView,
  viewProvider,
  viewShop,
} from './schemas.ts';

type Details = Static<typeof Changes>;

const check = createCheck(Changes);

const params = { serviceHost };
const single = {
  path: '/svc/v3/catalog/points-of-sale/{serviceHost}',
  params,
  answers: { 200: PointOfSale },
  etag: true,
} as const;
const demo = Type.Boolean({ description: 'whether its institution belongs to the demo data' });
const example = { params: { serviceHost: examples.newPointOfSale.serviceHost }, answer: examples.pointOfSale };

export function createPointsOfSaleRoutes(store: Store): AnyOperation[] {
  return [
    operation({
      id: 'listPointsOfSale',
      method: 'get',
      path: '/svc/v3/catalog/points-of-sale',
      access: 'catalog:read',
      summary: 'Lists points of sale in order of creation',
      description: 'With `modifiedSince` only those that have changed since.',
      query: listQuery,
      answers: { 200: createChangesPageSchema(PointOfSale) },
      example: { answer: { items: [examples.pointOfSale], nextCursor: null, asOf } },
      handle: (request) => {
        const { collections, now } = createContext(store, request.caller.institution);
        return readChangesPage(request, collections.pointsOfSale, { clock: now, item: toPointOfSaleView });
      },
    }),
    operation({
      id: 'createPointOfSale',
      method: 'post',
      path: '/svc/v3/catalog/points-of-sale',
      access: 'catalog:write',
      summary: 'Creates a point of sale',
      description: 'Its pages send `serviceHost` as `X-Service-Host`; it does not change later.',
      body: NewPointOfSale,
      answers: { 201: PointOfSale },
      errors: ['not_found', 'semantically_invalid', 'point_of_sale_duplicate_host'],
      etag: true,
      example: {
        body: examples.addedPointOfSale,
        answer: { ...examples.pointOfSale, ...examples.addedPointOfSale },
      },
      handle: async ({ caller, body, remember }) => {
        const reply = (document: PointOfSaleDocument) =>
          created(
            toPointOfSaleView(document),
            `/svc/v3/catalog/points-of-sale/${document.serviceHost}`,
            validatorOf(document),
          );
        const details = toPointOfSaleDetails(body.serviceHost, body);
        return reply(await createPointOfSale(createContext(store, caller.institution), details, remember(reply)));
      },
    }),
    operation({
      ...single,
      id: 'getPointOfSale',
      method: 'get',
      access: 'catalog:read',
      summary: 'Returns a point of sale',
      description: 'By the host that its pages send as `X-Service-Host`.',
      example,
      handle: async ({ caller, params }) => {
        const { pointsOfSale } = createContext(store, caller.institution).collections;
        return answer((await pointsOfSale.get(params.serviceHost.toLowerCase())) ?? throwNotFound());
      },
    }),
    operation({
      ...single,
      id: 'changePointOfSale',
      method: 'patch',
      access: 'catalog:write',
      summary: 'Changes members of a point of sale',
      description: 'A merge patch (RFC 7396): absent members stay.',
      body: named('PointOfSaleChanges', createPatchSchema(Changes)),
      readOnly: listReadOnlyMembers(PointOfSale, Changes),
      errors: ['semantically_invalid'],
      conditional: true,
      example: { ...example, body: { holdMinutes: 15 } },
      handle: async ({ caller, params, body, ifMatch, requireUnchanged, remember }) => {
        const to = (current: PointOfSaleDocument) => {
          ifMatch(validatorOf(current).etag);
          requireUnchanged(toPointOfSaleView(current));
          return toPointOfSaleDetails(current.serviceHost, mergeDetails(toPointOfSaleView(current), body));
        };
        const [context, host] = [createContext(store, caller.institution), params.serviceHost.toLowerCase()];
        return answer(await changePointOfSale(context, host, body, to, remember(answer)));
      },
    }),
    operation({
      id: 'findPointOfSale',
      method: 'get',
      path: '/internal/points-of-sale/{serviceHost}',
      access: 'internal',
      summary: 'Finds the point of sale of a host, and its institution',
      description:
        'Without payment providers that there are no keys of; `providers` says the mode and state of the others. ' +
        'Without a `receipt` of its own it has that of the institution.',
      params,
      answers: {
        200: named(
          'FoundPointOfSale',
          Type.Object({
            institution: Type.String(),
            demo,
            ...PointOfSale.properties,
            providers: Type.Array(ProviderRow),
          }),
        ),
      },
      example: { ...example, answer: { institution: 'opera', demo: false, ...examples.pointOfSale, providers: [] } },
      handle: async ({ params }) => {
        const found = (await findPointOfSaleByHost(store, params.serviceHost)) ?? throwNotFound();
        const { collections } = createContext(store, found.institution);
        const { name, paymentMethods, receipt, ...shown } = toPointOfSaleView(found);
        const [owner, known] = await Promise.all([
          collections.institutions.get(found.institution),
          paymentMethods.some(isPaymentProvider) ? listProviders(collections) : [],
        ]);
        const providers = known.filter(({ provider }) => paymentMethods.includes(provider)).map(viewProvider);
        const offered = paymentMethods.filter(
          (method) => !isPaymentProvider(method) || providers.some(({ provider }) => provider === method),
        );
        const ordered = typeof name === 'string' ? name : sortTexts(owner?.languages ?? [], name);
        return ok({
          ...{ institution: found.institution, demo: owner?.demo === true, ...shown, name: ordered },
          ...{ paymentMethods: offered, providers, receipt: receipt ?? owner?.receipt ?? null },
        });
      },
    }),
    operation({
      id: 'recordPaymentProvider',
      method: 'put',
      path: '/internal/payment-providers/{provider}',
      access: 'internal',
      summary:
        'Records whether the institution has keys of a payment provider, whose method points of sale then may name',
      description: 'The newest report stays, by `changedAt`.',
      params: { provider },
      body: ProviderReport,
      answers: { 200: ProviderRow },
      example: {
        params: { provider: 'stripe' },
        body: { mode: 'live', state: 'active' },
        answer: { provider: 'stripe', mode: 'live', state: 'active' },
      },
      handle: async ({ caller, params, body }) =>
        ok(viewProvider(await recordProvider(createContext(store, caller.institution), params.provider, body))),
    }),
    operation({
      id: 'listShops',
      method: 'get',
      path: '/internal/shops',
      access: 'internal',
      summary: 'Lists the shops of all institutions: points of sale that have a tariff and a payment method',
      answers: { 200: named('Shops', Type.Object({ shops: Type.Array(Shop) })) },
      example: { answer: { shops: [viewShop(examples.pointOfSale)] } },
      handle: async () => ok({ shops: (await findShops(store)).map(viewShop) }),
    }),
  ];
}

const validatorOf = ({ version }: PointOfSaleDocument) => ({ etag: String(version) });

const answer = (document: PointOfSaleDocument) => ok(toPointOfSaleView(document), validatorOf(document));

/** RFC 7396, but for the member whose null is a value. @throws Fault `validation_error`, as for a logo alone */
const mergeDetails = (current: Details, changes: Parameters<typeof mergePatch<Details>>[1]): Details => {
  const { shopperCancellationMinutes } = changes as Partial<Details>;
  const next = mergePatch<Details>(current, changes);
  return check(shopperCancellationMinutes === null ? { ...next, shopperCancellationMinutes } : next);
};
