import {
  createInstantSchema,
  createLineSchema,
  createNullableSchema,
  id,
  named,
  oneOf,
  timestamp,
} from '@boxoffice/http';
import { Type } from 'typebox';
import { createMoneySchema, priceMembers } from '../api/price-schemas.ts';
import { ReturnPolicy } from '../api/return-policy-schema.ts';
import { Creation, method, quoted, reference } from '../api/schemas.ts';
import { changeReasons, changeStates } from '../domain/order/change.ts';
import { providers } from '../domain/order/order.ts';

const { Array: List, Boolean: Flag, Integer, Object: Members, Optional, String: Text } = Type;

const MAX_LINES = 50;

const DIFFERENCE = { minimum: -1_000_000_000_000, maximum: 1_000_000_000_000 };

const ReturnInput = named(
  'LineReturnInput',
  Members({ lineId: id, reason: Optional(createLineSchema({ maxLength: 500, description: 'why' })) }),
);

const ExchangeInput = named(
  'LineExchangeInput',
  Members({
    lineId: id,
    performanceId: id,
    seatCategoryId: id,
    tariffId: id,
    placeId: Optional(
      Text({ ...id, description: "the line's own or a free one; absent: its own in the same category, else the best" }),
    ),
  }),
);

const wanted = {
  returns: Optional(List(ReturnInput, { maxItems: MAX_LINES, description: 'lines that are given back' })),
  exchanges: Optional(List(ExchangeInput, { maxItems: MAX_LINES, description: 'lines that others replace' })),
};

const lifted = {
  override: Optional(
    Flag({
      description:
        "true: whatever the policy's limits, and of returns also controlled tickets; ignored without " +
        'orders.sensitive:write',
    }),
  ),
  waiveFees: Optional(Flag({ description: 'true: without fees; ignored without orders.sensitive:write' })),
};

export const ChangeQuoteInput = named('ChangeQuoteInput', Members({ ...wanted, ...lifted }));

export const ChangeInput = named(
  'OrderChangeInput',
  Members({
    ...wanted,
    difference: Integer({ ...DIFFERENCE, description: "the quote's, so that nobody pays what he was not shown" }),
    refund: Optional(
      named(
        'ChangeRefundInput',
        Members(
          {
            method: Optional({ ...method, description: 'how it was given back; this or `provider`' }),
            provider: Optional(oneOf(providers, { description: 'who is to give it back; this or `method`' })),
            reference: Optional(Type.Unsafe<string>({ ...reference, description: 'not with `provider`' })),
          },
          { description: 'of exactly the credit of the change' },
        ),
      ),
    ),
    payment: Optional(
      named(
        'ChangePaymentInput',
        Members(
          {
            method,
            status: oneOf(['captured', 'pending'], { description: '`pending`: its outcome is not known yet' }),
            reference: Optional(reference),
          },
          { description: 'of exactly what the change leaves due' },
        ),
      ),
    ),
    onAccount: Optional(Flag({ description: 'true: what is due stays due of the order' })),
    ...lifted,
  }),
);

const count = createNullableSchema(Integer({ description: 'null until the change is settled' }));

const figures = {
  difference: Integer({ ...DIFFERENCE, description: 'of the total, the fees of the change included' }),
  fee: createMoneySchema(0, 'of all its lines'),
  due: createMoneySchema(0, "by how much it raises the order's; of a pending one as of now"),
  credit: createMoneySchema(0, "by how much it raises the order's; of a pending one as of now"),
};

const fee = createMoneySchema(0, "for leaving, in the currency's minor unit");

export const Change = named(
  'OrderChange',
  Members({
    id: Text(),
    orderId: Text(),
    state: oneOf(changeStates, { description: '`pending`: its new places are held, and something is due' }),
    reason: createNullableSchema(
      oneOf(changeReasons, { description: '`performance_cancelled`: by itself; null: somebody asked for it' }),
    ),
    returns: List(
      named(
        'LineReturn',
        Members({ lineId: Text(), reason: createNullableSchema(Text({ description: 'as given' })), fee }),
      ),
      { description: 'lines that are given back' },
    ),
    exchanges: List(named('LineExchange', Members({ lineId: Text(), newLineId: Text(), fee })), {
      description: 'lines that others replace',
    }),
    ...figures,
    refundId: createNullableSchema(Text({ description: 'the refund that it recorded' })),
    expiresAt: createNullableSchema(createInstantSchema('until when a pending one holds its new places')),
    createdBy: Creation,
    createdAt: timestamp,
    doneAt: createNullableSchema(timestamp),
    settlement: named(
      'ChangeSettlement',
      Members({
        ticketsCancelled: count,
        controlled: createNullableSchema(
          Integer({ description: 'tickets that a gate has let in first: they stay, and so do their places' }),
        ),
        placesReleased: count,
        settledAt: createNullableSchema(createInstantSchema('when old tickets and places had followed')),
      }),
    ),
  }),
);

const NewLine = named(
  'QuotedNewLine',
  Members({
    lineId: Text({ description: 'the line that it would replace' }),
    ...quoted,
    ...priceMembers,
    returnPolicy: ReturnPolicy,
  }),
);

const nullableFigures = {
  difference: createNullableSchema(figures.difference),
  fee: createNullableSchema(figures.fee),
  due: createNullableSchema(figures.due),
  credit: createNullableSchema(figures.credit),
};

export const ChangeQuote = named(
  'ChangeQuote',
  Members({
    available: Flag({ description: 'whether the change would be accepted now' }),
    ...nullableFigures,
    lines: createNullableSchema(
      List(NewLine, { description: 'the new ones; null, as the figures, while references are unknown' }),
    ),
    refusals: List(
      named(
        'ChangeRefusal',
        Members({
          lineId: createNullableSchema(Text({ description: 'null: the whole order' })),
          status: Text({ description: 'the code that the change would be refused with' }),
          details: Text({ description: 'for humans; wording may change' }),
        }),
      ),
      { description: 'why it would be refused' },
    ),
  }),
);
