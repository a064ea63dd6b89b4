// What a line and a quote have of their tariff, product and performance.

import { createNullableSchema, currency, named, timestamp } from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import { selectReturnTerms } from '../domain/return-policy.ts';
import { countItemPlaces, type SaleItem } from '../domain/sale.ts';
import type { Price } from '../domain/tariff.ts';
import { returnPolicy } from '../pricing/return-policy.ts';
import { taxId } from '../pricing/schemas.ts';
import { amount } from '../schemas.ts';
import type { PerformanceDocument, ProductDocument, TariffDocument } from '../store.ts';

export const tariffTerms = {
  taxId: Type.Optional(taxId),
  hidden: Type.Optional(
    Type.Boolean({ description: 'whether the tariff is sold only with a discount that unlocks it' }),
  ),
  returnPolicy: Type.Optional(returnPolicy),
};

export const ItemQuote = named(
  'StockItemQuote',
  Type.Object({
    item: Type.Integer({ description: 'the index of the requested item' }),
    quantity: Type.Integer(),
    productId: Type.Optional(Type.String()),
    startDate: Type.Optional(timestamp),
    criterion: createNullableSchema(Type.String({ description: 'what the tariff requires of the contact' })),
    amount,
    currency,
    ...tariffTerms,
  }),
);

/** `item` is the index of the requested item. */
export function toItemQuote(
  requested: SaleItem,
  item: number,
  { price, tariff, product, performance }: PricedItem,
): Static<typeof ItemQuote> {
  const { productId, startDate } = performance;
  return {
    ...{ item, quantity: countItemPlaces(requested), productId, startDate, criterion: tariff?.criterion ?? null },
    ...{ amount: price.amount, currency: price.currency },
    ...(tariff ? viewTerms({ tariff, product, performance }) : {}),
  };
}

interface PricedItem {
  readonly price: Price;
  readonly tariff: TariffDocument | undefined;
  readonly product: ProductDocument | undefined;
  readonly performance: PerformanceDocument;
}

/** The tariff's tax counts before its product's, its return policy before its performance's. */
export function viewTerms({ tariff, product, performance }: Omit<PricedItem, 'price'> & { tariff: TariffDocument }) {
  const returnPolicy = selectReturnTerms(tariff, performance);
  return {
    ...{ taxId: tariff.taxId ?? product?.taxId ?? null, hidden: tariff.hidden ?? false },
    ...(returnPolicy && { returnPolicy }),
  };
}
