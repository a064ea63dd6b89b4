// Changes of confirmed orders by their buyers (vexp).
import { createLineSchema, createNullableSchema, id, named, oneOf, timestamp } from '@boxoffice/http';
import { Type } from 'typebox';
import { ordersValues } from '../clients/generated/orders.ts';
import { examples } from './examples.ts';
import { composed, createAmount, ShopPayment } from './money.ts';
import { amount } from './schemas.ts';

const { Array: List, Boolean: Flag, Object: Members, Optional, String: Text } = Type;

export const MAX_LINES = 50;

const ofItem = { ...id, description: 'the id of an item of the order' };

/** What leaves the order, and what comes in its place. */
export const changeMembers = {
  returns: Optional(
    List(
      named(
        'ShopReturnInput',
        Members({ lineId: ofItem, reason: Optional(createLineSchema({ maxLength: 500, description: 'why' })) }),
      ),
      { maxItems: MAX_LINES, description: 'items that are given back' },
    ),
  ),
  exchanges: Optional(
    List(
      named(
        'ShopExchangeInput',
        Members({
          lineId: ofItem,
          performanceId: id,
          seatCategoryId: id,
          tariffId: id,
          placeId: Optional({
            ...id,
            description:
              'absent: the place of the item in the same performance and category, elsewhere the best free one',
          }),
        }),
      ),
      { maxItems: MAX_LINES, description: 'items with what the buyer has instead' },
    ),
  ),
};

const figures = {
  difference: createAmount('what the order costs more afterwards, with the fees of the change; negative: less'),
  fee: createAmount('the fees of the change'),
  due: createAmount('what is to be paid for it, after credit of the order'),
  credit: createAmount('what is paid too much afterwards'),
};

const ofChange = createAmount('for this item');

export const OrderChange = named(
  'ShopOrderChange',
  Members({
    id: Text(),
    orderId: Text(),
    state: oneOf(ordersValues['ShopOrderChange.state'], {
      description: '`pending`: until it is paid, the order is as before; `lapsed`: it was not paid, or was ended',
    }),
    reason: createNullableSchema(
      oneOf(['performance_cancelled'], { description: 'the institution gives back; null: the buyer changed it' }),
    ),
    returns: List(
      Members({ lineId: Text(), reason: createNullableSchema(Text({ description: "the buyer's" })), fee: ofChange }),
      { description: 'items that are given back' },
    ),
    exchanges: List(
      Members({ lineId: Text(), newLineId: Text({ description: 'the id of the new item' }), fee: ofChange }),
      { description: 'items that others take the place of' },
    ),
    ...figures,
    expiresAt: createNullableSchema({ ...timestamp, description: 'until when it is kept; null: it is not pending' }),
    createdAt: timestamp,
    doneAt: createNullableSchema(timestamp),
    payment: createNullableSchema(ShopPayment),
  }),
);

const { difference, fee, due, credit } = figures;

export const OrderChangeQuote = named(
  'ShopOrderChangeQuote',
  Members({
    available: Flag({ description: 'whether the change would be made now' }),
    ...{ difference: createNullableSchema(difference), fee: createNullableSchema(fee) },
    ...{ due: createNullableSchema(due), credit: createNullableSchema(credit) },
    lines: createNullableSchema(
      List(
        Members({
          lineId: Text({ description: 'the item that it is exchanged for' }),
          ...{ performanceId: Text(), seatCategoryId: Text(), tariffId: Text(), amount },
          ...composed,
        }),
        { description: 'the new items; null, as the figures, where something that is named is unknown' },
      ),
    ),
    refusals: List(
      Members({
        lineId: createNullableSchema(Text({ description: 'null: the whole order' })),
        status: Text({ description: 'the errorCode that the change would answer' }),
        details: Text({ description: 'in English' }),
      }),
      { description: 'why it would not be made' },
    ),
  }),
);

export const exampleOfChangeInput = {
  exchanges: [
    {
      ...{ lineId: examples.ids.line, performanceId: 'prf_01k9q2m8x9' },
      ...{ seatCategoryId: examples.ids.category, tariffId: examples.ids.tariff },
    },
  ],
};

export const exampleOfChange = {
  ...{ id: 'chg_01k9q2n4d6', orderId: examples.ids.order, state: 'pending' as const, reason: null, returns: [] },
  exchanges: [{ lineId: examples.ids.line, newLineId: 'lin_01k9q2n4d7', fee: 500 }],
  ...{ difference: 1_500, fee: 500, due: 1_500, credit: 0 },
  ...{ expiresAt: '2026-11-24T09:20:00.000Z', createdAt: '2026-11-24T09:05:00.000Z', doneAt: null },
  payment: {
    ...{ method: 'stripe', state: 'pending' as const, url: 'https://checkout.stripe.com/c/pay/cs_live_a1b2c4' },
    expiresAt: '2026-11-24T09:36:00.000Z',
  },
};

export const exampleOfQuote = {
  ...{ available: true, difference: 1_500, fee: 500, due: 1_500, credit: 0 },
  lines: [
    {
      ...{ ...exampleOfChangeInput.exchanges[0], amount: 5_500, base: 5_500, components: [] },
      ...{ taxes: [{ taxId: null, rate: null, net: 5_500, tax: 0, gross: 5_500 }], returnPolicy: null },
    },
  ],
  refusals: [],
};
