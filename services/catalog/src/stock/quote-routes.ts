import { type AnyOperation, currency, id, named, nullable, ok, oneOf, operation } from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import { Type } from 'typebox';
import { contextOf } from '../context.ts';
import { amount, ids, names } from '../schemas.ts';
import { quote } from './hold.ts';
import { quoteOrder } from './order-quote.ts';
import { Hold, Refused } from './shapes.ts';

const Item = named(
  'QuoteItem',
  Type.Object({
    performanceId: id,
    seatCategoryId: id,
    tariffId: id,
    placeIds: Type.Optional(
      Type.Array(id, { minItems: 1, maxItems: 50, description: 'checked only if the quote is refused' }),
    ),
  }),
);

const Quote = named(
  'Quote',
  Type.Object({
    tariffId: Type.String(),
    criterion: nullable(Type.String()),
    name: Type.Optional(names),
    amount,
    currency,
  }),
);

const QuoteAnswer = named(
  'Quotes',
  Type.Object({
    outcome: oneOf(['quoted', 'refused']),
    refusal: nullable(Refused),
    quotes: Type.Array(Quote, { description: 'by item' }),
  }),
);

const OrderQuote = named(
  'StockQuote',
  Type.Object({
    quotes: Type.Array(
      Type.Object({
        item: Type.Integer({ description: 'the index of the requested item' }),
        quantity: Type.Integer(),
        criterion: nullable(Type.String({ description: 'what the tariff requires of the contact' })),
        amount,
        currency,
      }),
      { description: 'of each item that has a price' },
    ),
    refusals: Type.Array(Refused),
  }),
);

/** Quotes for the orders service: the price of a held place at another tariff. */
export const quoteRoutes = (store: Store): AnyOperation[] => [
  operation({
    id: 'quoteItems',
    method: 'post',
    path: '/internal/stock/quotes',
    access: 'internal',
    withoutIdempotency: true,
    summary: 'Returns the prices of places; nothing is held',
    body: Type.Object({
      pointOfSale: Type.Optional(Type.String({ minLength: 1, maxLength: 253 })),
      items: Type.Array(Item, { minItems: 1, maxItems: 100 }),
    }),
    answers: { 200: QuoteAnswer },
    example: {
      body: {
        items: [
          {
            performanceId: ids.performance,
            seatCategoryId: ids.category,
            tariffId: ids.tariff,
          },
        ],
      },
      answer: {
        outcome: 'quoted' as const,
        refusal: null,
        quotes: [{ tariffId: ids.tariff, criterion: null, amount: 12_500, currency: 'CHF' }],
      },
    },
    handle: async ({ caller, body }) => {
      const quotes = await quote(contextOf(store, caller.institution), body);
      if ('reason' in quotes) return ok({ outcome: 'refused' as const, refusal: quotes, quotes: [] });
      return ok({
        outcome: 'quoted' as const,
        refusal: null,
        quotes: quotes.map(({ price, tariff }) => ({
          tariffId: tariff.id,
          criterion: tariff.criterion,
          name: tariff.name,
          amount: price.amount,
          currency: price.currency,
        })),
      });
    },
  }),
  operation({
    id: 'quoteOrderItems',
    method: 'post',
    path: '/internal/stock/order-quotes',
    access: 'internal',
    withoutIdempotency: true,
    summary: 'Returns the prices of items and every reason for which a hold of them would be refused; nothing is held',
    body: Type.Object({
      pointOfSale: Hold.properties.pointOfSale,
      items: Hold.properties.items,
      publicOnly: Type.Optional(
        Type.Boolean({ description: 'whether only what public access shows is known, everything else is not' }),
      ),
    }),
    answers: { 200: OrderQuote },
    example: {
      body: {
        items: [{ performanceId: ids.performance, seatCategoryId: ids.category, tariffId: ids.tariff, quantity: 2 }],
      },
      answer: {
        quotes: [{ item: 0, quantity: 2, criterion: null, amount: 12_500, currency: 'CHF' }],
        refusals: [],
      },
    },
    handle: async ({ caller, body }) => {
      const { quotes, refusals } = await quoteOrder(contextOf(store, caller.institution), body);
      return ok({ quotes: [...quotes], refusals: [...refusals] });
    },
  }),
];
