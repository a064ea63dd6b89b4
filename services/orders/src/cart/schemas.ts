import {
  createLineSchema,
  createNullableSchema,
  currency,
  emailSchema,
  id,
  languageTag,
  named,
  oneOf,
  requestId,
  timestamp,
} from '@boxoffice/http';
import { buildIdPattern } from '@boxoffice/runtime';
import { type Static, Type } from 'typebox';
import { code } from '../api/price-schemas.ts';
import { contactNumber, items, Line as LineSchema, Order, ProviderRecord } from '../api/schemas.ts';
import { formatInstant, formatInstantOrNull, selectShopperMembers, toLineView, toOrderView } from '../api/views.ts';
import { Change as ChangeSchema } from '../changes/schemas.ts';
import { toChangeView } from '../changes/views.ts';
import { catalogValues } from '../clients/generated/catalog.ts';
import { PERFORMANCE_CANCELLED } from '../domain/cancellation.ts';
import { isCart, paymentTokens } from '../domain/cart.ts';
import { computePayable } from '../domain/changes/paying.ts';
import { shopReasons } from '../domain/decisions.ts';
import { computeCredit, computeRefunded } from '../domain/order/money.ts';
import { type Change, type Line, type Payment, providers } from '../domain/order/order.ts';
import { isWanted, type ProviderPage } from '../domain/providers.ts';
import type { OrderDocument } from '../store.ts';

const { Array: List, Boolean: Flag, Object: Members, Optional, String: Text } = Type;

const cartId = Text({ pattern: buildIdPattern('ord') });
const guestName = createLineSchema({ maxLength: 100 });
const name = createNullableSchema(guestName);

const Item = named('CartItemRequest', Members({ ...items.items.properties, contactNumber: Optional(contactNumber) }));

const visitor = {
  orderId: cartId,
  pointOfSale: Text({ minLength: 1, maxLength: 253 }),
  address: Text({ minLength: 1, maxLength: 64 }),
  login: Optional(Text({ minLength: 1, maxLength: 64, description: 'the id of the user who is logged in' })),
};

export const Addition = named(
  'CartAddition',
  Members({ ...visitor, requestId, items: List(Item, { minItems: 1, maxItems: 100 }) }),
);

export const CartCodeInput = named('CartCodeInput', Members({ ...visitor, currency, code }));

export const CartBuyer = named(
  'CartBuyer',
  Members({ contactNumber: Optional(Text({ ...contactNumber, description: 'absent: a guest' })) }),
);

export const LineChange = named(
  'CartItemChanges',
  Members({
    requestId,
    tariffId: Optional(id),
    contactNumber: Optional(contactNumber),
    beneficiaryFirstName: Optional(name),
    beneficiaryLastName: Optional(name),
  }),
);

const Guest = named(
  'CheckoutGuest',
  Members({
    firstName: Optional(guestName),
    lastName: guestName,
    email: emailSchema,
    language: Optional(languageTag),
  }),
);

/** Where a buyer can pay, as payments has opened it at a provider. */
const Page = named(
  'ProviderPage',
  Members({
    paymentId: Text({ pattern: buildIdPattern('pay') }),
    ...ProviderRecord.properties,
    url: Text({ minLength: 1, maxLength: 5_000 }),
    expiresAt: Type.Unsafe<string>({ ...timestamp, description: 'until when the buyer can pay there' }),
    until: Type.Unsafe<string>({ ...timestamp, description: "end of the order's grace period" }),
  }),
);

/** Either `contactNumber` or `guest`. */
export const Checkout = named(
  'Checkout',
  Members({
    requestId,
    contactNumber: Optional(contactNumber),
    guest: Optional(Guest),
    paymentMethod: oneOf([...new Set([...catalogValues['Hold.pointOfSale.paymentMethods'], ...providers])]),
    paymentToken: Optional(oneOf(paymentTokens)),
    termsAccepted: Optional(Type.Literal(true)),
    page: Optional(
      Type.Object(Page.properties, { description: 'with the name of its provider as the method, if something is due' }),
    ),
  }),
);

export const AnotherTry = named('AnotherTry', Members({ requestId, page: Page }));

export function toProviderPage({ until, ...page }: Static<typeof Page>): ProviderPage {
  return { ...page, until: Date.parse(until) };
}

/** `notAfter`: when the caller stops waiting; after it nothing is cancelled. */
export const FaultCancellation = named('FaultCancellation', Members({ notAfter: Optional(timestamp) }));
export const ShopCancellation = named(
  'ShopCancellation',
  Members({
    requestId,
    reason: Optional(createNullableSchema(createLineSchema({ maxLength: 500 }))),
    until: Optional(
      Type.Unsafe<string>({
        ...timestamp,
        description: 'the last instant at which it may be cancelled; absent: the start as sold',
      }),
    ),
  }),
);

const texts = Type.Record(Text(), Text());

const SaleDescription = named(
  'SaleDescription',
  Members({
    institution: Optional(Text()),
    seller: Optional(
      Members(
        { name: Text(), address: createNullableSchema(Text()), taxNumber: createNullableSchema(Text()) },
        { description: 'the head of its receipt' },
      ),
    ),
    product: texts,
    seatCategory: texts,
    tariff: Optional(texts),
    venue: Members({ name: Text(), city: createNullableSchema(Text()) }),
    timeZone: Text(),
    productType: Optional(Text({ description: 'of the catalog' })),
    validUntil: Optional({ ...timestamp, description: 'of what is no show, if its validity ends' }),
    entries: Optional(oneOf(['daily', 'unlimited'], { description: 'how often its ticket admits; absent: once' })),
  }),
);

const { currency: _, ...lineMembers } = LineSchema.properties;

const ShopLine = named(
  'ShopOrderLine',
  Members({ ...lineMembers, criterion: createNullableSchema(Text()), about: Optional(SaleDescription) }),
);

const money = Type.Integer({ minimum: 0, description: "in the currency's minor unit" });

const ShopPayment = named(
  'ShopPayment',
  Members(
    {
      id: Text(),
      method: Text(),
      provider: createNullableSchema(Text({ description: 'null: the payment is by no provider' })),
      state: oneOf(['pending', 'captured', 'failed', 'expired']),
      url: createNullableSchema(Text({ description: "the provider's page, while it can be paid there" })),
      expiresAt: createNullableSchema({ ...timestamp, description: 'of the page' }),
    },
    {
      description:
        "a provider's captured one, else its last pending one, on which alone the buyer can act, else another",
    },
  ),
);

const { orderId: _o, refundId: _r, createdBy: _c, settlement: _s, ...changeMembers } = ChangeSchema.properties;

const ShopChange = named(
  'ShopOrderChange',
  Members({ ...changeMembers, left: money, payment: createNullableSchema(ShopPayment) }),
);

export const ShopOrder = named(
  'ShopOrder',
  Members({
    ...selectShopperMembers(Order.properties),
    listed: Flag({ description: 'false: the order is a cart' }),
    payable: Flag({ description: 'listed, but a cart again: its payment failed, its places are still held' }),
    lines: List(ShopLine),
    formerLines: List(
      named('ShopFormerLine', Members({ ...ShopLine.properties, changeId: Text(), leftAt: timestamp })),
    ),
    changes: List(ShopChange),
    deadline: createNullableSchema(timestamp),
    checkout: createNullableSchema(Members({ requestId: Text(), paymentMethod: Text(), at: timestamp })),
    cancelledAt: createNullableSchema(timestamp),
    paid: money,
    refunded: money,
    credit: money,
    failedRefunds: List(Text(), { description: 'their ids' }),
    payment: createNullableSchema(ShopPayment),
    performanceCancelled: Optional(Flag({ description: 'true: it was cancelled with a performance' })),
  }),
);

export const Outcome = named(
  'ShopOutcome',
  Members({
    outcome: oneOf(['done', 'refused']),
    reason: createNullableSchema(oneOf(shopReasons)),
    details: createNullableSchema(Text()),
    order: createNullableSchema(ShopOrder),
  }),
);

/** `now`: epoch milliseconds. */
export function toShopView(order: OrderDocument, now: number): Static<typeof ShopOrder> {
  const { paid } = toOrderView(order);
  return {
    ...selectShopperMembers(toOrderView(order)),
    paid,
    refunded: computeRefunded(order),
    credit: computeCredit(order),
    failedRefunds: order.refunds.flatMap(({ id, status }) => (status === 'failed' ? [id] : [])),
    payment: toShopPayment(order, now),
    listed: order.listedAt !== null,
    payable: order.listedAt !== null && isCart(order),
    lines: order.lines.map((line) => toShopLine(line, order)),
    formerLines: (order.formerLines ?? []).map((line) => ({
      ...toShopLine(line, order),
      ...{ changeId: line.changeId, leftAt: formatInstant(line.leftAt) },
    })),
    changes: (order.changes ?? []).map((change) => toShopChange(order, change, now)),
    deadline: formatInstantOrNull(order.deadline),
    checkout: order.checkout ? { ...order.checkout, at: formatInstant(order.checkout.at) } : null,
    cancelledAt: formatInstantOrNull(order.cancellation?.requestedAt),
    ...(order.cancellation?.reason === PERFORMANCE_CANCELLED ? { performanceCancelled: true } : {}),
  };
}

const toShopLine = (line: Line, order: OrderDocument) => {
  const { currency, ...shownLine } = toLineView(line, order);
  return { ...shownLine, criterion: line.criterion, ...(line.about === undefined ? {} : { about: line.about }) };
};

const toShopChange = (order: OrderDocument, change: Change, now: number): Static<typeof ShopChange> => {
  const { orderId, refundId, createdBy, settlement, ...shown } = toChangeView(order, change);
  const left = change.state === 'pending' ? computePayable(order, change) : 0;
  return { ...shown, left, payment: toShopPayment(order, now, change.id) };
};

/** Of the order itself, or of a change. */
const toShopPayment = (order: OrderDocument, now: number, changeId?: string): Static<typeof ShopPayment> | null => {
  const payment = selectShopPayment(order.payments.filter((one) => one.changeId === changeId));
  if (!payment) return null;
  const { id, method, provider = null, status, page, ended } = payment;
  const isPayable = page !== undefined && isWanted(order, id, now) && Date.parse(page.expiresAt) > now;
  const state = status === 'failed' && ended === 'expired' ? ended : status;
  const url = isPayable ? page.url : null;
  return { id, method, provider, state, url, expiresAt: page?.expiresAt ?? null };
};

/** The buyer can act on a provider's page alone: what staff record beside it hides none. */
const selectShopPayment = (payments: readonly Payment[]) => {
  const own = payments.filter(({ provider }) => provider !== undefined);
  const findLast = (among: typeof payments, wanted: 'captured' | 'pending') =>
    among.findLast(({ status }) => status === wanted);
  return (
    findLast(own, 'captured') ??
    findLast(own, 'pending') ??
    findLast(payments, 'pending') ??
    findLast(payments, 'captured') ??
    own.at(-1) ??
    payments.at(-1)
  );
};

export const PerformanceOrders = named(
  'PerformanceOrders',
  Members({
    orders: List(Members({ id: Text(), pointOfSale: Text(), contactNumber: createNullableSchema(contactNumber) })),
    next: createNullableSchema(Text({ description: 'the `after` of the next page; null: this is the last' })),
  }),
);
