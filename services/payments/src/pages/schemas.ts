import { createNullableSchema, currency, id, named, oneOf, requestId, timestamp } from '@boxoffice/http';
import { Type } from 'typebox';
import { modes, providers } from '../domain/keys.ts';

const amount = Type.Integer({ minimum: 1, description: 'in minor units' });

/** A name in paths and among the methods of points of sale. */
const provider = oneOf(providers);

export const NewPage = named(
  'NewPaymentPage',
  Type.Object({
    orderId: id,
    requestId,
    provider,
    pointOfSale: Type.String({ minLength: 1, maxLength: 253, description: 'its service host' }),
    amount,
    currency,
    number: Type.String({ minLength: 1, maxLength: 64, description: 'of the order, as the buyer knows it' }),
    email: Type.Optional(Type.String({ maxLength: 254, description: 'sent to the provider, and not stored' })),
    language: Type.Optional(Type.String({ maxLength: 35, description: 'of the page' })),
    returnUrl: Type.String({
      format: 'uri',
      maxLength: 2_000,
      description: 'where the buyer comes back to, unchanged',
    }),
    replaces: Type.Optional(
      Type.Literal(true, { description: 'another try: pages of the order that are open are closed first' }),
    ),
  }),
);

export const Page = named(
  'PaymentPage',
  Type.Object({
    paymentId: id,
    provider,
    mode: oneOf(modes, { description: 'of the keys' }),
    reference: Type.String({ description: 'the page’s id at the provider' }),
    url: Type.String({ format: 'uri', description: 'where the buyer pays' }),
    amount,
    currency,
    expiresAt: Type.Unsafe<string>({ ...timestamp, description: 'until when the buyer can pay' }),
    until: Type.Unsafe<string>({ ...timestamp, description: 'the end of the order’s grace period' }),
  }),
);

export const OpenedPage = named(
  'OpenedPaymentPage',
  Type.Object({
    outcome: oneOf(['opened', 'unavailable', 'amount_too_small', 'payable_no_more'], {
      description:
        '`unavailable`: the provider is away, paused or refuses, or cannot express the amount. `payable_no_more`: the ' +
        'page of this request, or one that it replaces, is over or has another amount',
    }),
    page: createNullableSchema(Page),
  }),
);

const state = oneOf(['pending', 'captured', 'failed', 'expired'], {
  description: '`failed`: it will not be paid any more; `expired`: it has ended unpaid, or was closed',
});

export const ClosedPage = named('ClosedPaymentPage', Type.Object({ state }));

export const LookedAtOrder = named(
  'LookedAtPayments',
  Type.Object({
    payments: Type.Array(
      named(
        'LookedAtPayment',
        Type.Object({
          paymentId: id,
          state,
          url: createNullableSchema(Type.String({ description: 'where the buyer pays, while he can' })),
          expiresAt: Type.Unsafe<string>({ ...timestamp, description: 'until when the buyer can pay' }),
        }),
      ),
      { description: 'the newest first' },
    ),
  }),
);

export const exampleNewPage = {
  orderId: 'ord_0kz6w2b7r9c4d1e5f3g',
  requestId: 'req_0kz6w2b7r9c4d1e5f3g',
  provider: 'stripe' as const,
  pointOfSale: 'tickets.opera.example',
  amount: 4_500,
  currency: 'CHF',
  number: 'K7XQ2P9A',
  email: 'ada@example.org',
  language: 'de',
  returnUrl: 'https://tickets.opera.example/thanks',
};

export const examplePage = {
  paymentId: 'pay_0kz6w2b7r9c4d1e5f3g',
  provider: 'stripe' as const,
  mode: 'test' as const,
  reference: 'cs_test_a1b2c3',
  url: 'https://checkout.stripe.com/c/pay/cs_test_a1b2c3',
  amount: 4_500,
  currency: 'CHF',
  expiresAt: '2027-02-01T12:30:30.000Z',
  until: '2027-02-01T12:32:00.000Z',
};
