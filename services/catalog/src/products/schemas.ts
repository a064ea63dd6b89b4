import {
  createLineSchema,
  createNullableSchema,
  createView,
  currency,
  named,
  oneOf,
  timestamp,
  webAddress,
} from '@boxoffice/http';
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
import { taxId } from '../pricing/schemas.ts';
import type { TicketFees } from '../pricing/ticket-fees.ts';
import {
  amount,
  code,
  createdAt,
  descriptions,
  ids,
  names,
  productDetails,
  shownCode,
  textByLanguage,
} from '../schemas.ts';
import type { PerformanceDocument, ProductDocument } from '../store.ts';
import type { NewOffering } from './products.ts';

export const productType = named('ProductType', oneOf(productTypes));
export const productState = named('ProductState', oneOf(productStates));

const image = createNullableSchema(
  named(
    'ProductPicture',
    Type.Object(
      {
        url: webAddress,
        alt: named(
          'PictureText',
          Type.Union([createLineSchema({ maxLength: 300 }), textByLanguage], {
            description: 'what it shows, for who does not see it: a text for every language, or one by language',
          }),
        ),
      },
      { description: "shown by shops whose point of sale names the address's host in `imageHosts`" },
    ),
  ),
);

const ownDetails = createNullableSchema(productDetails);

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
    image,
    details: ownDetails,
    taxId,
    priceFrom: createNullableSchema({
      ...amount,
      description: 'the lowest price, in the minor unit, with fees where the answer is public; null: none',
    }),
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
  fees: TicketFees,
): Static<typeof Product> {
  return view({
    ...product,
    entries: getEntries(product),
    image: product.image ?? null,
    details: product.details ?? null,
    taxId: product.taxId ?? null,
    priceFrom: findLowestAmount(
      performances.filter(({ state }) => state !== 'cancelled').flatMap(({ prices }) => prices),
    ),
    currency,
    performances: [...performances].sort(byStart).map((one) => viewPerformanceOfProduct(one, fees)),
    updatedAt: performances.reduce((latest, { updatedAt }) => selectLater(latest, updatedAt), product.updatedAt),
  });
}

const byStart = (left: PerformanceDocument, right: PerformanceDocument): number =>
  left.startDate < right.startDate || (left.startDate === right.startDate && left.id < right.id) ? -1 : 1;

/** Increases with each change of the product and of its performances. */
export function computeProductEtag(
  product: ProductDocument,
  performances: readonly PerformanceDocument[],
  { mark }: TicketFees,
): string {
  return `${product.revision}.${performances.reduce((sum, { revision }) => sum + revision, 0)}${mark}`;
}

export const newProduct = {
  code: 'TOSCA-2027',
  type: 'show' as const,
  name: { fr: 'Tosca', en: 'Tosca' },
  description: { en: 'Opera in three acts by Giacomo Puccini' },
  state: 'running' as const,
  startDate: '2027-03-14T19:30:00.000Z',
  endDate: '2027-03-28T22:15:00.000Z',
  image: {
    url: 'https://images.opera.example/tosca.jpg',
    alt: { fr: 'Tosca sur le rempart', en: 'Tosca on the rampart' },
  },
  details: { en: 'Sung in Italian, with English surtitles.\n\nDoors open an hour before.' },
};

export const product = {
  ...newProduct,
  id: ids.product,
  entries: null,
  taxId: null,
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
  image: Type.Optional(image),
  details: Type.Optional(ownDetails),
  taxId: Type.Optional(taxId),
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
    description: toTexts(body.description),
    startDate: body.startDate ?? null,
    endDate: body.endDate ?? null,
    entries: body.entries ?? null,
    image: body.image ? { url: body.image.url, alt: body.image.alt } : null,
    details: toTexts(body.details),
    taxId: body.taxId ?? null,
  };
}

/** No text in any language is none. */
const toTexts = (texts: Static<typeof descriptions> | null | undefined) =>
  texts && Object.keys(texts).length > 0 ? texts : null;

/** The target of a JSON merge patch. */
export function toProductBody(product: ProductDocument) {
  const { code, type, name, description, startDate, endDate, entries, image, details, taxId, state } = product;
  return {
    code,
    type,
    name,
    ...(description ? { description } : {}),
    ...(startDate ? { startDate } : {}),
    ...(endDate ? { endDate } : {}),
    ...(entries ? { entries } : {}),
    ...(image ? { image } : {}),
    ...(details ? { details } : {}),
    ...(taxId ? { taxId } : {}),
    state,
  };
}

export function toNewOffering(body: Static<typeof NewProduct>): NewOffering {
  return {
    ...toProductDetails(body),
    state: body.state ?? 'preparing',
    currency: body.currency,
    performances: (body.performances ?? []).map((one, index) => toPerformanceInput(one, `$.performances[${index}]`)),
  };
}
