import { createNullableSchema, id, named, oneOf, requestId } from '@boxoffice/http';
import { Type } from 'typebox';
import { Checkout, Outcome } from '../cart/schemas.ts';
import { shopReasons } from '../domain/decisions.ts';
import { ChangeInput, ChangeQuote } from './schemas.ts';

const { Array: List, Object: Members, Optional, String: Text } = Type;

const { returns, exchanges, difference } = ChangeInput.properties;

const over = Optional(List(id, { description: 'performances that the point of sale sells no more: they are over' }));

export const ShopChangeQuoteInput = named('ShopChangeQuoteInput', Members({ returns, exchanges, over }));

export const ShopChangeQuote = named(
  'ShopChangeQuote',
  Members({
    ...ChangeQuote.properties,
    refusals: List(
      Members({
        lineId: createNullableSchema(Text()),
        reason: oneOf(shopReasons),
        details: Text({ description: 'English' }),
      }),
    ),
  }),
);

const { paymentMethod, paymentToken, page } = Checkout.properties;

/** Something that is due needs a method. */
export const ShopChangeInput = named(
  'ShopChangeInput',
  Members({
    ...{ requestId, returns, exchanges, over, difference },
    ...{ paymentMethod: Optional(paymentMethod), paymentToken, page },
  }),
);

export const ShopChangeOutcome = named(
  'ShopChangeOutcome',
  Members({
    ...Outcome.properties,
    changeId: Text({ description: 'the id of the change that the request makes; the same for a repeat' }),
  }),
);
