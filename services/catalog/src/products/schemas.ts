import { createNullableSchema, createView, currency, named, oneOf, timestamp } from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import {
  entries,
  firstStates,
  getEntries,
  type ProductDetails,
  productStates,
  productTypes,
  selectLater,
} from '../domain/product.ts';
import { findLowestAmount } from '../domain/tariff.ts';
import {
  NewPerformance,
  Performance,
  performance,
  toPerformanceInput,
  viewPerformanceOfProduct,
} from '../performances/schemas.ts';
import { amount, code, createdAt, descriptions, ids, names, shownCode } from '../schemas.ts';
import type { PerformanceDocument, ProductDocument } from '../store.ts';
import type { NewOffering } from './products.ts';

export const productType = named('ProductType', oneOf(productTypes));
export const productState = named('ProductState', oneOf(productStates));

export const Product = named(
  'Product',
  Type.Object({
    id: Type.String(),
    code: shownCode,
    type: productType,
    state: productState,
    name: names,
    description: createNullableSchema(descriptions),
    startDate: createNullableSchema(timestamp),
    endDate: createNullableSchema(timestamp),
    entries: createNullableSchema(oneOf(entries, { description: 'how often its tickets admit; null: a show' })),
    priceFrom: createNullableSchema({ ...amount, description: 'the lowest price, in the minor unit; null: none' }),
    currency,
    performances: Type.Array(Performance),
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

const view = createView(Product);

/** Performances by start date. */
export function toProductView(
  product: ProductDocument,
  performances: readonly PerformanceDocument[],
  currency: string,
): Static<typeof Product> {
  return view({
    ...product,
    entries: getEntries(product),
    priceFrom: findLowestAmount(
      performances.filter(({ state }) => state !== 'cancelled').flatMap(({ prices }) => prices),
    ),
    currency,
    performances: [...performances].sort(byStart).map(viewPerformanceOfProduct),
    updatedAt: performances.reduce((latest, { updatedAt }) => selectLater(latest, updatedAt), product.updatedAt),
  });
}

const byStart = (left: PerformanceDocument, right: PerformanceDocument): number =>
  left.startDate < right.startDate || (left.startDate === right.startDate && left.id < right.id) ? -1 : 1;

/** Increases with each change of the product and of its performances. */
export function computeProductEtag(product: ProductDocument, performances: readonly PerformanceDocument[]): string {
  return `${product.revision}.${performances.reduce((sum, { revision }) => sum + revision, 0)}`;
}

export const newProduct = {
  code: 'TOSCA-2027',
  type: 'show' as const,
  name: { fr: 'Tosca', en: 'Tosca' },
  description: { en: 'Opera in three acts by Giacomo Puccini' },
  state: 'running' as const,
  startDate: '2027-03-14T19:30:00.000Z',
  endDate: '2027-03-28T22:15:00.000Z',
};

export const product = {
  ...newProduct,
  id: ids.product,
  entries: null,
  priceFrom: 12_500,
  currency: 'CHF',
  performances: [performance],
  createdAt,
  updatedAt: createdAt,
};

const details = {
  code,
  type: productType,
  name: names,
  description: Type.Optional(createNullableSchema(descriptions)),
  startDate: Type.Optional(createNullableSchema(timestamp)),
  endDate: Type.Optional(createNullableSchema(timestamp)),
  entries: Type.Optional(
    createNullableSchema(
      oneOf(entries, {
        description:
          'how often a ticket of what is no show admits: `once` (default), `daily` (once per local day of the venue), ' +
          '`unlimited`; of what is sold from then on',
      }),
    ),
  ),
};

export const NewProduct = named(
  'ProductInput',
  Type.Object({
    ...details,
    state: Type.Optional(oneOf(firstStates, { description: 'default `preparing`' })),
    currency: Type.Optional(currency),
    performances: Type.Optional(Type.Array(NewPerformance, { maxItems: 500 })),
  }),
);

/** A PATCH is merged into it. */
export const ProductBody = named('ProductReplacement', Type.Object({ ...details, state: Type.Optional(productState) }));

export function toProductDetails(body: Static<typeof ProductBody>): ProductDetails {
  return {
    code: body.code,
    type: body.type,
    name: body.name,
    description: body.description && Object.keys(body.description).length > 0 ? body.description : null,
    startDate: body.startDate ?? null,
    endDate: body.endDate ?? null,
    entries: body.entries ?? null,
  };
}

/** The target of a JSON merge patch. */
export function toProductBody({ code, type, name, description, startDate, endDate, entries, state }: ProductDocument) {
  return {
    code,
    type,
    name,
    ...(description ? { description } : {}),
    ...(startDate ? { startDate } : {}),
    ...(endDate ? { endDate } : {}),
    ...(entries ? { entries } : {}),
    state,
  };
}

export function toNewOffering(body: Static<typeof NewProduct>): NewOffering {
  return {
    ...toProductDetails(body),
    state: body.state ?? 'preparing',
    currency: body.currency,
    performances: (body.performances ?? []).map(toPerformanceInput),
  };
}
