import { currency, named, nullable, oneOf, timestamp } from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import { firstStates, type ProductDetails } from '../domain/product.ts';
import { inputOf, NewPerformance } from '../performances/body.ts';
import { code, descriptions, names } from '../schemas.ts';
import type { ProductDocument } from '../store.ts';
import type { NewOffering } from './products.ts';
import { productState, productType } from './schemas.ts';

const details = {
  code,
  type: productType,
  name: names,
  description: Type.Optional(nullable(descriptions)),
  startDate: Type.Optional(nullable(timestamp)),
  endDate: Type.Optional(nullable(timestamp)),
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
export const detailsOf = (body: Static<typeof ProductBody>): ProductDetails => ({
  code: body.code,
  type: body.type,
  name: body.name,
  description: body.description && Object.keys(body.description).length > 0 ? body.description : null,
  startDate: body.startDate ?? null,
  endDate: body.endDate ?? null,
});

/** The document as a PUT body: the target of a JSON merge patch. */
export const bodyOf = ({ code, type, name, description, startDate, endDate, state }: ProductDocument) => ({
  code,
  type,
  name,
  ...(description ? { description } : {}),
  ...(startDate ? { startDate } : {}),
  ...(endDate ? { endDate } : {}),
  state,
});

/** The body of a creation in the form of the domain. */
export const offeringOf = (body: Static<typeof NewProduct>): NewOffering => ({
  ...detailsOf(body),
  state: body.state ?? 'preparing',
  currency: body.currency,
  performances: (body.performances ?? []).map(inputOf),
});
