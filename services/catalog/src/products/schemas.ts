import { createView, currency, named, nullable, oneOf, timestamp } from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import {
  entries,
  entriesOf,
  firstStates,
  later,
  type ProductDetails,
  productStates,
  productTypes,
} from '../domain/product.ts';
import { lowestAmount } from '../domain/tariff.ts';
import { inputOf, NewPerformance, Performance, performance, performanceWithin } from '../performances/schemas.ts';
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
    description: nullable(descriptions),
    startDate: nullable(timestamp),
    endDate: nullable(timestamp),
    entries: nullable(oneOf(entries, { description: 'how often its tickets admit; null: a show' })),
    priceFrom: nullable({ ...amount, description: 'the lowest price, in the minor unit; null: none' }),
    currency,
    performances: Type.Array(Performance),
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

const view = createView(Product);

/** A product as answers show it, with its performances by start date. */
export function productView(
  product: ProductDocument,
  performances: readonly PerformanceDocument[],
  currency: string,
): Static<typeof Product> {
  return view({
    ...product,
    entries: entriesOf(product),
    priceFrom: lowestAmount(performances.filter(({ state }) => state !== 'cancelled').flatMap(({ prices }) => prices)),
    currency,
    performances: [...performances].sort(byStart).map(performanceWithin),
    updatedAt: performances.reduce((latest, { updatedAt }) => later(latest, updatedAt), product.updatedAt),
  });
}

const byStart = (left: PerformanceDocument, right: PerformanceDocument): number =>
  left.startDate < right.startDate || (left.startDate === right.startDate && left.id < right.id) ? -1 : 1;

/** The ETag of a product: it increases with each change of the product and of its performances. */
export function productEtag(product: ProductDocument, performances: readonly PerformanceDocument[]): string {
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
  description: Type.Optional(nullable(descriptions)),
  startDate: Type.Optional(nullable(timestamp)),
  endDate: Type.Optional(nullable(timestamp)),
  entries: Type.Optional(
    nullable(
      oneOf(entries, {
        description:
          'how often a ticket of what is no show admits: `once` (default), `daily` (once per local day of the venue), ' +
          '`unlimited`; of what is sold from then on',
      }),
    ),
  ),
};

/** The body that creates a product. */
export const NewProduct = named(
  'ProductInput',
  Type.Object({
    ...details,
    state: Type.Optional(oneOf(firstStates, { description: 'default `preparing`' })),
    currency: Type.Optional(currency),
    performances: Type.Optional(Type.Array(NewPerformance, { maxItems: 500 })),
  }),
);

/** The body that replaces a product; a PATCH is merged into it. */
export const ProductBody = named('ProductReplacement', Type.Object({ ...details, state: Type.Optional(productState) }));

/** A body's details in the form of the domain. */
export function detailsOf(body: Static<typeof ProductBody>): ProductDetails {
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

/** The document as a PUT body: the target of a JSON merge patch. */
export function bodyOf({ code, type, name, description, startDate, endDate, entries, state }: ProductDocument) {
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

/** The body of a creation in the form of the domain. */
export function offeringOf(body: Static<typeof NewProduct>): NewOffering {
  return {
    ...detailsOf(body),
    state: body.state ?? 'preparing',
    currency: body.currency,
    performances: (body.performances ?? []).map(inputOf),
  };
}
