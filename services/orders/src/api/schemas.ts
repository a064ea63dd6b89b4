import {
  createInstantSchema,
  createLineSchema,
  createNullableSchema,
  currency,
  id,
  institutionId,
  listReadOnlyMembers,
  named,
  oneOf,
  timestamp,
} from '@boxoffice/http';
import { Type } from 'typebox';
import { catalogValues } from '../clients/generated/catalog.ts';
import { disputeStates, paymentStates, providerModes, providers, refundStates, states } from '../domain/order/order.ts';
import { codeStates, codes, createMoneySchema, createTaxesSchema, priceMembers, texts } from './price-schemas.ts';
import { ReturnPolicy } from './return-policy-schema.ts';
import { Place, ShownBeneficiary, Ticket } from './ticket-schema.ts';

const { Array: List, Boolean: Flag, Integer, Number: Real, Object: Members, Optional, String: Text } = Type;

const text = (maxLength: number) => createLineSchema({ maxLength });

export const contactNumber = createLineSchema({ maxLength: 64, description: 'the buyer' });
export const externalReference = createLineSchema({
  maxLength: 200,
  description: "the institution's or reseller's own reference of the order",
});

export const pointOfSale = createLineSchema({
  maxLength: 253,
  description: 'service host; its tariffs, limits and hold time apply',
});

export const ticketDelivery = oneOf(catalogValues['Hold.pointOfSale.ticketDelivery'], {
  description: 'electronic: tickets are issued as printed, their codes open the door at once; print: after printing',
});

export const Creation = createNullableSchema(
  named(
    'CreatedBy',
    Members({
      clientId: Optional(Text({ description: 'the client' })),
      userId: Optional(Text({ description: 'the user who was signed in at it, if one was' })),
      pointOfSale: Optional(Text({ description: 'service host: a shopper did it there, and no client' })),
    }),
  ),
);

const personName = Optional(text(100));
const names = { firstName: personName, lastName: personName };

export const method = createLineSchema({ maxLength: 40, description: 'how it is paid: `card`, `cash`, …' });
export const reference = createLineSchema({
  maxLength: 200,
  description: 'returned with the scope orders.sensitive:read only',
});

export const Confirmation = named(
  'OrderConfirmation',
  Members({
    onAccount: Optional(Flag({ description: 'true: without payment' })),
  }),
);

const MAX_ITEMS = 100;

const Item = named(
  'OrderItemInput',
  Members({
    performanceId: id,
    seatCategoryId: id,
    tariffId: id,
    quantity: Optional(Integer({ minimum: 1, maximum: 50, description: 'default 1, or the number of placeIds' })),
    placeIds: Optional(
      List(id, { minItems: 1, maxItems: 50, description: 'these places; absent: the best free ones' }),
    ),
    beneficiaries: Optional(
      List(named('BeneficiaryInput', Members(names, { minProperties: 1 })), {
        maxItems: 50,
        description: 'those who will come, in the order of the places; at most as many',
      }),
    ),
  }),
);

export const items = List(Item, { minItems: 1, maxItems: MAX_ITEMS });

export const NewOrder = named(
  'OrderInput',
  Members({
    contactNumber: Optional(contactNumber),
    pointOfSale: Optional(pointOfSale),
    externalReference: Optional(externalReference),
    ticketDelivery: Optional(ticketDelivery),
    codes: Optional(codes),
    items,
    payment: Optional(
      named(
        'OrderPaymentInput',
        Members(
          { method, amount: createMoneySchema(1), reference: Optional(reference) },
          { description: "captured money, the order's total: the order is sold at once" },
        ),
      ),
    ),
    confirmation: Optional(
      Type.Object(Confirmation.properties, {
        description: 'the order is sold at once, on account or free of charge; not with `payment`',
      }),
    ),
  }),
);

export const NewLines = named('OrderLinesInput', Members({ items }));

/** The delivery until the confirmation, the others in every state. */
export const OrderDetails = named(
  'OrderDetails',
  Members({
    contactNumber: Optional(contactNumber),
    externalReference: Optional(externalReference),
    ticketDelivery,
  }),
);

export const Line = named(
  'OrderLine',
  Members({
    id: Text(),
    productId: Text(),
    performanceId: Text(),
    startDate: timestamp,
    seatCategoryId: Text(),
    tariffId: Text(),
    place: Place,
    ...priceMembers,
    currency,
    beneficiary: createNullableSchema(ShownBeneficiary),
    ticketId: createNullableSchema(Text({ description: 'known from the confirmation on' })),
    replaces: createNullableSchema(Text({ description: 'the former line that it was exchanged for' })),
    returnPolicy: ReturnPolicy,
  }),
);

const FormerLine = named(
  'FormerOrderLine',
  Members({
    ...Line.properties,
    changeId: Text({ description: 'of the change by which it left' }),
    leftAt: timestamp,
  }),
);

export const LineDetails = named(
  'OrderLineDetails',
  Members({ beneficiary: Optional(named('Beneficiary', Members(names, { minProperties: 1 }))) }),
);

export const lineReadOnly = listReadOnlyMembers(Line, LineDetails, { ticketId: ['confirmOrder'] });

export const quoted = { performanceId: Text(), seatCategoryId: Text(), tariffId: Text() };

export const OrderQuote = named(
  'OrderQuote',
  Members({
    available: Flag({ description: 'whether the order would be accepted now' }),
    currency: createNullableSchema(currency),
    total: createMoneySchema(0),
    lines: List(
      named(
        'QuotedLine',
        Members({
          item: Integer({ minimum: 0, description: 'the index of the item' }),
          ...quoted,
          ...priceMembers,
          returnPolicy: ReturnPolicy,
        }),
      ),
      {
        description: 'one per place of the items that have a price',
      },
    ),
    fees: List(
      named(
        'QuotedFee',
        Members({
          feeId: Text(),
          name: texts,
          amount: createMoneySchema(0),
          taxes: createTaxesSchema('that it includes'),
        }),
      ),
      { description: 'of the whole order' },
    ),
    taxes: createTaxesSchema('of all lines and fees, without those whose gross is 0'),
    codes: codeStates,
    refusals: List(
      named(
        'OrderRefusal',
        Members({
          item: createNullableSchema(Integer({ description: 'the index of the item; null: the whole order' })),
          status: Text({ description: 'the code that a new order would be refused with' }),
          details: Text({ description: 'for humans; wording may change' }),
        }),
      ),
    ),
  }),
);

const count = createNullableSchema(Integer({ description: 'null until known' }));

const Cancellation = named(
  'Cancellation',
  Members({
    reason: createNullableSchema(Text({ description: 'as the request gave it' })),
    requestedAt: timestamp,
    ticketsCancelled: count,
    controlled: count,
    placesReleased: count,
    settledAt: createNullableSchema(createInstantSchema('when tickets and places had followed')),
  }),
);

const shownReference = createNullableSchema(Text({ description: 'the own reference of institution or reseller' }));

export const Order = named(
  'Order',
  Members({
    id: Text(),
    state: oneOf(states, { description: '`open` holds places until `expiresAt`, `reserved` until `dueAt`' }),
    version: Integer({ description: 'grows with each change; the ETag' }),
    institution: institutionId,
    pointOfSale: createNullableSchema(Text({ description: 'its service host' })),
    createdBy: Creation,
    contactNumber: createNullableSchema(Text({ description: 'the buyer' })),
    externalReference: shownReference,
    number: Text({ description: 'for people: 8 characters, unique in the institution, never changed' }),
    ticketDelivery,
    currency,
    lines: List(Line, { description: 'what is sold, or held' }),
    formerLines: List(FormerLine, { description: 'returned and exchanged ones, oldest first' }),
    change: createNullableSchema(Text({ description: 'the id of the pending change' })),
    fees: List(
      named(
        'OrderFee',
        Members({
          id: Text(),
          kind: oneOf(['order', 'change'], { description: 'whether the order or a change of it has it' }),
          feeId: createNullableSchema(Text()),
          lineId: createNullableSchema(Text()),
          changeId: createNullableSchema(Text()),
          name: texts,
          amount: createMoneySchema(0),
          taxes: createTaxesSchema('that it includes'),
        }),
      ),
      { description: 'of the whole order, once' },
    ),
    taxes: createTaxesSchema('of all lines and fees by tax and rate, without those whose gross is 0'),
    codes: codeStates,
    total: createMoneySchema(0, "lines and fees, in the currency's minor unit"),
    paid: createMoneySchema(0),
    refunded: createMoneySchema(0, 'refunds that have not failed, and lost disputes'),
    due: createMoneySchema(
      0,
      'of the total, without goodwill, what was not paid, or went back since; pending payments pay nothing',
    ),
    credit: createMoneySchema(
      0,
      'what was paid beyond what is owed, and not refunded; of a cancelled or expired order all of it',
    ),
    goodwill: createMoneySchema(0, 'what refunds gave back of a confirmed order that was paid: it is not due again'),
    paymentStatus: oneOf(['unpaid', 'partial', 'paid'], { description: '`paid`: nothing is due' }),
    refundStatus: oneOf(['none', 'partial', 'full'], { description: 'how much of what was paid went back' }),
    expiresAt: createNullableSchema(createInstantSchema('end of the hold of an open order')),
    dueAt: createNullableSchema(createInstantSchema('until when a reserved order must be paid')),
    confirmedAt: createNullableSchema(createInstantSchema('when its places were sold')),
    termsAccepted: Flag({
      description: 'whether the buyer accepted the terms of the point of sale at the checkout',
    }),
    cancellation: createNullableSchema(Cancellation),
    createdAt: timestamp,
    updatedAt: timestamp,
    tickets: Optional(
      createNullableSchema(
        List(Ticket, {
          description: 'with `include=tickets`: of its lines, whole; null while the tickets service does not answer',
        }),
      ),
    ),
  }),
);

const payments = ['addPayment', 'settlePayment'];
const refunds = ['refundOrder'];
const prices = ['addLines', 'removeLine'];
const lines = ['addLines', 'updateLine', 'removeLine'];

export const readOnly = listReadOnlyMembers(Order, OrderDetails, {
  state: ['reserveOrder', ...payments, 'confirmOrder', 'cancelOrder'],
  lines,
  total: prices,
  paid: payments,
  refunded: refunds,
  due: [...prices, ...payments, ...refunds],
  credit: [...prices, ...payments, ...refunds, 'cancelOrder'],
  goodwill: refunds,
  paymentStatus: payments,
  refundStatus: refunds,
  expiresAt: ['extendOrder', 'reserveOrder'],
  dueAt: ['extendOrder', 'reserveOrder'],
  confirmedAt: ['confirmOrder', ...payments],
  formerLines: ['changeOrder'],
  change: ['changeOrder', 'endOrderChange'],
  cancellation: ['cancelOrder'],
});

const ownCurrency = Optional(Text({ ...currency, description: "if given, the order's" }));

/** What a provider's payment has, and what payments names it by. */
export const ProviderRecord = Members({
  provider: oneOf(providers),
  mode: oneOf(providerModes),
  reference: Type.Unsafe<string>({ ...reference, description: "the provider's session" }),
  amount: createMoneySchema(1),
  currency,
});

export const NewPayment = named(
  'PaymentInput',
  Members({
    method,
    amount: createMoneySchema(1),
    currency: ownCurrency,
    reference: Optional(reference),
    status: oneOf(['captured', 'pending'], { description: '`pending`: its outcome is not known yet' }),
    changeId: Optional(
      Text({ ...id, description: 'of a change of the order, whose due it pays; not that of the order' }),
    ),
    overpaid: Optional(
      Flag({
        description:
          'true: captured money beyond what is due, of an order in whatever state; needs orders.sensitive:write',
      }),
    ),
  }),
);

export const PaymentChange = named(
  'PaymentChanges',
  Members({
    status: oneOf(paymentStates, {
      description: '`pending` is accepted for a pending payment only, and changes nothing',
    }),
  }),
);

const shownProvider = createNullableSchema(
  Text({ description: 'by whom it is made, such as `stripe`; null: it was recorded, whatever its method says' }),
);

export const Payment = named(
  'Payment',
  Members({
    id: Text(),
    orderId: Text(),
    method,
    provider: shownProvider,
    mode: Optional(oneOf(providerModes, { description: "of a provider's payment: of the keys that took it" })),
    disputed: Optional(
      createNullableSchema(
        oneOf(disputeStates, { description: "of a provider's payment: its dispute; null: there is none" }),
      ),
    ),
    amount: createMoneySchema(0),
    currency,
    reference: Optional(createNullableSchema(reference)),
    status: oneOf(paymentStates, { description: 'only `captured` pays' }),
    changeId: createNullableSchema(
      Text({ description: 'of the change of the order that it pays; null: it pays the order' }),
    ),
    createdBy: Creation,
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

export const ListedPayment = named(
  'ListedPayment',
  Members({ ...Payment.properties, externalReference: shownReference }),
);

export const paymentReadOnly = listReadOnlyMembers(Payment, PaymentChange);

export const NewRefund = named(
  'RefundInput',
  Members({
    amount: createMoneySchema(1),
    currency: ownCurrency,
    method: Optional({ ...method, description: 'how it was given back; this or `provider`' }),
    provider: Optional(oneOf(providers, { description: 'who is to give it back; this or `method`' })),
    paymentId: Optional(
      Text({ ...id, description: "the provider's payment; absent: the newest one that covers the amount" }),
    ),
    reference: Optional(Type.Unsafe<string>({ ...reference, description: 'not with `provider`, which gives its own' })),
  }),
);

export const Refund = named(
  'Refund',
  Members({
    id: Text(),
    orderId: Text(),
    amount: createMoneySchema(0),
    currency,
    method,
    provider: shownProvider,
    paymentId: Optional(Text({ description: "of a provider's refund: the payment that it gives back" })),
    reference: Optional(createNullableSchema(reference)),
    state: oneOf(refundStates, {
      description: '`pending`: the provider has not answered; `failed`, later too: the money is still there',
    }),
    goodwill: createMoneySchema(0, 'of the amount what is not due again and was no credit; of a failed one 0'),
    createdBy: Creation,
    createdAt: timestamp,
  }),
);

export const ListedRefund = named('ListedRefund', Members({ ...Refund.properties, externalReference: shownReference }));

export const Extension = named(
  'OrderExtension',
  Members({
    minutes: Real({ exclusiveMinimum: 0, maximum: 60, description: 'from now; fractions allowed' }),
  }),
);

export const Reservation = named(
  'OrderReservation',
  Members({ dueAt: createInstantSchema('until when it must be paid') }),
);

export const CancellationRequest = named(
  'OrderCancellationRequest',
  Members({
    reason: Optional(text(500)),
    override: Optional(Flag({ description: 'true: also with controlled tickets; needs orders.sensitive:write' })),
  }),
);
