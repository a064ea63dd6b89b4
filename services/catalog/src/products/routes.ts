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
  pathId,
  readChangesPage,
} from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import { type Static, Type } from 'typebox';
import { createContext, requireInstitution } from '../context.ts';
import { performanceStates } from '../domain/performance.ts';
import { isLimitedToPublic, PublicProduct, PublicProductPage } from '../feed/projection.ts';
import { getPublicProduct, listPublicProducts, widenChanges } from '../feed/public.ts';
import { newPerformance } from '../performances/schemas.ts';
import { readTicketFees } from '../pricing/ticket-fees.ts';
import { asOf, code, ids } from '../schemas.ts';
import type { ProductDocument } from '../store.ts';
import { filterProducts, startingWithin } from './filter.ts';
import { changeProduct, createProduct, findOffering, type Offering } from './products.ts';
import * as examples from './schemas.ts';
import {
  computeProductEtag,
  NewProduct,
  Product,
  ProductBody,
  productState,
  productType,
  toNewOffering,
  toProductBody,
  toProductDetails,
  toProductView,
} from './schemas.ts';

const single = { path: '/svc/v3/catalog/products/{productId}', params: { productId: pathId }, etag: true } as const;

const change = {
  ...single,
  access: 'catalog:write',
  readOnly: listReadOnlyMembers(Product, ProductBody, {
    priceFrom: ['changePerformance'],
    performances: ['createPerformance', 'changePerformance'],
  }),
  answers: { 200: Product },
  errors: ['semantically_invalid', 'product_duplicate_code', 'product_state_conflict'],
  conditional: true,
} as const;

const check = createCheck(ProductBody);

export function createProductsRoutes(store: Store): AnyOperation[] {
  return [
    operation({
      id: 'listProducts',
      method: 'get',
      path: '/svc/v3/catalog/products',
      access: 'catalog:read',
      publicWithKey: true,
      admits: ['customer'],
      summary: 'Lists products in order of creation',
      description:
        'With `from` or `to`: those that have a performance which begins then. Public access lists running products only, and looks ' +
        'at performances that it shows.',
      query: {
        type: Type.Optional(productType),
        state: Type.Optional(productState),
        code: Type.Optional(code),
        ...startingWithin,
        ...listQuery,
      },
      answers: { 200: Type.Union([createChangesPageSchema(Product), PublicProductPage]) },
      etag: true,
      errors: ['not_found'],
      example: {
        query: { type: 'show', limit: 1 },
        answer: { items: [examples.product], nextCursor: null, asOf },
      },
      handle: async (request) => {
        const { type, state, code } = request.query;
        const context = createContext(store, request.caller.institution);
        if (isLimitedToPublic(request.caller)) return listPublicProducts(context, request);
        const { collections, now } = context;
        const institution = await requireInstitution(collections);
        const fees = await readTicketFees(collections, institution);
        const listed = filterProducts(collections, request.query, performanceStates, (product, performances) =>
          toProductView(product, performances, institution.currency, fees),
        );
        return readChangesPage(widenChanges(request, fees), listed, {
          where: { type, state, code },
          modifiedAt: 'modifiedAt',
          clock: now,
          item: ({ view }) => view,
        });
      },
    }),
    operation({
      id: 'createProduct',
      method: 'post',
      path: '/svc/v3/catalog/products',
      access: 'catalog:write',
      summary: 'Creates a product, with performances and their places if given',
      description: 'Its `code` is unique in the institution (409 `product_duplicate_code`).',
      body: NewProduct,
      answers: { 201: Product },
      errors: ['not_found', 'semantically_invalid', 'product_duplicate_code', 'conflict'],
      etag: true,
      example: {
        body: { ...examples.newProduct, performances: [newPerformance] },
        answer: examples.product,
      },
      handle: async ({ caller, body, remember }) => {
        const reply = (offering: Offering) => {
          const { data, etag } = answer(offering);
          return created(data, `/svc/v3/catalog/products/${offering.product.id}`, { etag });
        };
        return reply(
          await createProduct(createContext(store, caller.institution), toNewOffering(body), (offering) =>
            remember((product: ProductDocument) => reply(offering(product))),
          ),
        );
      },
    }),
    operation({
      ...single,
      id: 'getProduct',
      method: 'get',
      access: 'catalog:read',
      publicWithKey: true,
      admits: ['customer'],
      summary: 'Returns a product',
      description: 'With its performances.',
      answers: { 200: Type.Union([Product, PublicProduct]) },
      example: { params: { productId: ids.product }, answer: examples.product },
      handle: async ({ caller, params }) => {
        const context = createContext(store, caller.institution);
        if (isLimitedToPublic(caller)) return getPublicProduct(context, params.productId);
        return answer(await findOffering(context, params.productId));
      },
    }),
    operation({
      ...change,
      id: 'replaceProduct',
      method: 'put',
      summary: 'Replaces the details of a product',
      description: 'Without `state` the state stays. Performances have operations of their own.',
      body: ProductBody,
      example: {
        params: { productId: ids.product },
        body: examples.newProduct,
        answer: examples.product,
      },
      handle: async ({ caller, params, body, ifMatch, requireUnchanged }) =>
        answer(
          await changeProduct(
            createContext(store, caller.institution),
            params.productId,
            (offering) => {
              checkConditions(offering, ifMatch, requireUnchanged);
              return { ...toProductDetails(body), state: body.state ?? offering.product.state };
            },
            undefined,
            body.taxId,
          ),
        ),
    }),
    operation({
      ...change,
      id: 'changeProduct',
      method: 'patch',
      summary: 'Changes members of a product',
      description:
        'JSON merge patch (RFC 7396). States follow one another one at a time: preparing, validated, running; running and ' +
        'suspended alternate; either can be closed; everything can be cancelled. Cancelling a product ' +
        'cancels its performances that have not begun, with what was sold of them; those that have begun stay as they are.',
      body: named('ProductChanges', createPatchSchema(ProductBody)),
      example: {
        params: { productId: ids.product },
        body: { state: 'suspended' },
        answer: { ...examples.product, state: 'suspended' },
      },
      handle: async ({ caller, params, body, ifMatch, requireUnchanged, remember }) =>
        answer(
          await changeProduct(
            createContext(store, caller.institution),
            params.productId,
            (offering) => {
              checkConditions(offering, ifMatch, requireUnchanged);
              const merged = check(mergePatch<Static<typeof ProductBody>>(toProductBody(offering.product), body));
              return { ...toProductDetails(merged), state: merged.state ?? offering.product.state };
            },
            (offering) => remember((product: ProductDocument) => answer(offering(product))),
            body.taxId,
          ),
        ),
    }),
  ];
}

const answer = ({ product, performances, currency, fees }: Offering) =>
  ok(toProductView(product, performances, currency, fees), { etag: computeProductEtag(product, performances, fees) });

/** Refuses an If-Match that does not match, and a change of a read-only member. */
const checkConditions = (
  { product, performances, currency, fees }: Offering,
  ifMatch: (etag: string) => void,
  requireUnchanged: (shown: object) => void,
): void => {
  ifMatch(computeProductEtag(product, performances, fees));
  requireUnchanged(toProductView(product, performances, currency, fees));
};
