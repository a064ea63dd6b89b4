import { currency, named, nullable, oneOf, timestamp } from '@boxoffice/http';
import { Type } from 'typebox';
import { productStates, productTypes } from '../domain/product.ts';
import { Performance } from '../performances/schemas.ts';
import { amount, descriptions, names, shownCode } from '../schemas.ts';

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
    priceFrom: nullable({ ...amount, description: 'the lowest price, in the minor unit; null: none' }),
    currency,
    performances: Type.Array(Performance),
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);
