import { Fault } from '@boxoffice/envelope';
import { type AnyOperation, id, ok, oneOf, operation, type Request } from '@boxoffice/http';
import { Type } from 'typebox';
import * as example from '../api/examples.ts';
import { createRefusalFault, RefusedOrder } from '../api/faults.ts';
import { contactNumber } from '../api/schemas.ts';
import type { OrdersContext } from '../context.ts';
import { findShopReason } from '../domain/decisions.ts';
import { states } from '../domain/order/order.ts';
import { isHandled } from '../domain/order/state.ts';
import { deriveId } from '../ids.ts';
import { hasQuantityConflict } from '../orders/items.ts';
import { removeOrderLine } from '../orders/lines.ts';
import { findAny } from '../saga/sell.ts';
import type { Target } from '../saga/write.ts';
import type { OrderDocument } from '../store.ts';
import {
  abandonCart,
  addToCart,
  cancelAfterFault,
  cancelForShopper,
  changeCartLine,
  findByNumber,
  listPerformanceOrders,
  listShopOrders,
} from './cart.ts';
import { checkOutCart, deriveCheckoutRequestId, openAnotherPage } from './checkout.ts';
import { addCartCode, applyBuyerPrices, removeCartCodes } from './prices.ts';
import {
  Addition,
  AnotherTry,
  CartBuyer,
  CartCodeInput,
  Checkout,
  FaultCancellation,
  LineChange,
  Outcome,
  PerformanceOrders,
  ShopCancellation,
  ShopOrder,
  toProviderPage,
  toShopView,
} from './schemas.ts';

const whole = { path: '/internal/shop/orders/{orderId}', params: { orderId: id } } as const;
const write = { method: 'post', access: 'internal', withoutIdempotency: true, answers: { 200: Outcome } } as const;

export function createShopRoutes(context: OrdersContext): AnyOperation[] {
  return [...cartRoutes(context), ...orderRoutes(context)];
}

/** Refusals are data. */
const cartRoutes = (context: OrdersContext): AnyOperation[] => [
  operation({
    ...write,
    id: 'addCartItems',
    path: '/internal/shop/orders/items',
    summary: 'Adds places to a cart, all of them or none; creates the cart if none has the id',
    body: Addition,
    example: { body: example.addition, answer: example.cartDone },
    handle: ({ caller: { institution }, body: { orderId, requestId, ...requested } }) => {
      const target = { institution, orderId };
      const request = deriveId('req', 'items', orderId, requestId);
      const act = async () => {
        if (requested.items.some(hasQuantityConflict)) throw createRefusalFault('invalid_items');
        return addToCart(context, { ...target, ...requested, request });
      };
      return answerOutcome(context, target, act, isDoneBy(request));
    },
  }),
  operation({
    ...lineAction('change'),
    id: 'changeCartItem',
    summary: 'Changes the tariff or the beneficiary of a line of a cart',
    body: LineChange,
    example: { params: example.lineParams, body: example.lineChange, answer: example.cartDone },
    handle: createHandler(context)((target, { params: { orderId, lineId }, body }) => {
      const { requestId, beneficiaryFirstName: firstName, beneficiaryLastName: lastName, ...more } = body;
      const beneficiary = {
        ...(firstName !== undefined && { firstName }),
        ...(lastName !== undefined && { lastName }),
      };
      const line = { lineId, request: deriveId('req', 'change', orderId, lineId, requestId) };
      return changeCartLine(context, target, line, { ...more, beneficiary });
    }),
  }),
  operation({
    ...lineAction('removal'),
    id: 'removeCartItem',
    summary: 'Removes a line from a cart and releases its place',
    example: { params: example.lineParams, answer: example.cartDone },
    handle: createHandler(context)((target, { params: { lineId } }) =>
      removeOrderLine(context, { ...target, appliesTo: 'carts' }, lineId),
    ),
  }),
  operation({
    ...write,
    id: 'addCartCode',
    path: '/internal/shop/orders/codes',
    summary: 'Gives a cart a code of a discount; creates the cart if none has the id',
    body: CartCodeInput,
    errors: ['too_many_requests'],
    example: { body: example.cartCode, answer: example.cartDone },
    handle: ({ caller: { institution }, body: { code, currency, ...visitor } }) => {
      const own = { ...visitor, institution };
      return answerOutcome(context, own, () => addCartCode(context, own, { code, currency }));
    },
  }),
  operation({
    ...write,
    id: 'removeCartCodes',
    path: `${whole.path}/codes/{discountId}/removal`,
    params: { ...whole.params, discountId: id },
    summary: 'Removes the codes of a discount from a cart',
    example: { params: { ...example.params, discountId: example.ids.discount }, answer: example.cartDone },
    handle: createHandler(context)((target, { params: { discountId } }) =>
      removeCartCodes(context, target, discountId),
    ),
  }),
  operation({
    ...action('prices'),
    id: 'priceCart',
    summary: 'Prices a cart as who buys it pays it, unless it is dearer then; an order stays as it is',
    body: CartBuyer,
    example: { params: example.params, body: { contactNumber: 'C7K2M9QX4TB03' }, answer: example.cartDone },
    handle: createHandler(context)((target, { body: { contactNumber = null } }) =>
      applyBuyerPrices(context, target, contactNumber),
    ),
  }),
  operation({
    ...action('giving-up'),
    id: 'giveUpCart',
    summary: 'Abandons a cart and releases its places; idempotent',
    example: { params: example.params, answer: example.cartDone },
    handle: createHandler(context)((target) => abandonCart(context, target)),
  }),
];

/** `isDone`: two attempts met, and the slower one failed harmlessly. @throws Fault for every other error */
export async function answerOutcome(
  context: Pick<OrdersContext, 'orders' | 'now'>,
  { institution, orderId }: Target,
  act: () => Promise<OrderDocument>,
  isDone: (order: OrderDocument) => boolean = () => false,
) {
  const answerDone = (order: OrderDocument) =>
    ok({ outcome: 'done' as const, reason: null, details: null, order: toShopView(order, context.now()) });
  try {
    return answerDone(await act());
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const order = await context.orders.of(institution).get(orderId);
    if (order && isDone(order) && (error.code === 'conflict' || error.code === 'service_unavailable'))
      return answerDone(order);
    const reason = error instanceof RefusedOrder ? findShopReason(error.reason) : null;
    if (!reason) throw error;
    const shown = order ? toShopView(order, context.now()) : null;
    return ok({ outcome: 'refused' as const, reason, details: error.details, order: shown });
  }
}

const isDoneBy = (request: string) => (order: OrderDocument) => isHandled(order, request);

const lineAction = (name: string) =>
  ({ ...write, path: `${whole.path}/lines/{lineId}/${name}`, params: { orderId: id, lineId: id } }) as const;

const createHandler =
  (context: OrdersContext) =>
  <Params extends { readonly orderId: string }, Body>(
    act: (target: Target, request: Request<Params, unknown, Body>) => Promise<OrderDocument>,
  ) =>
  (request: Request<Params, unknown, Body>) => {
    const target = { institution: request.caller.institution, orderId: request.params.orderId };
    return answerOutcome(context, target, () => act(target, request));
  };

const action = (name: string) => ({ ...write, path: `${whole.path}/${name}`, params: whole.params }) as const;

const orderRoutes = (context: OrdersContext): AnyOperation[] => [
  operation({
    ...action('checkout'),
    id: 'checkoutCart',
    summary: 'Checks out a cart: the order is confirmed or waits for its payment; a repeat returns the same order',
    body: Checkout,
    example: { params: example.params, body: example.checkout, answer: example.orderDone },
    handle: async ({ caller: { institution }, params: { orderId }, body }) => {
      if ((body.contactNumber === undefined) === (body.guest === undefined))
        throw new Fault('validation_error', '$: give either contactNumber or guest.');
      const target = { institution, orderId };
      const isBought = isDoneBy(deriveCheckoutRequestId(orderId, body.requestId));
      const isDone = (order: OrderDocument) => order.saleDue == null && isBought(order);
      return answerOutcome(context, target, () => checkOutCart(context, target, body), isDone);
    },
  }),
  operation({
    ...action('payments'),
    id: 'addShopPayment',
    summary: "Lets an order that waits for its payment, or whose payment failed, be paid on another provider's page",
    body: AnotherTry,
    example: { params: example.params, body: example.anotherTry, answer: example.pendingDone },
    handle: createHandler(context)((target, { body: { page } }) =>
      openAnotherPage(context, target, toProviderPage(page)),
    ),
  }),
  operation({
    ...action('cancellation'),
    id: 'cancelShopOrder',
    summary: "Cancels a shopper's order durably, as long as the point of sale allows",
    body: ShopCancellation,
    example: { params: example.params, body: { requestId: 'c-1' }, answer: example.orderDone },
    handle: createHandler(context)((target, { body: { requestId, reason = null, until } }) => {
      const how = { reason, until: until === undefined ? undefined : Date.parse(until) };
      return cancelForShopper(context, target, requestId, how);
    }),
  }),
  operation({
    ...action('fault-cancellation'),
    id: 'cancelAfterFault',
    summary: 'Cancels the cart or order after an unforeseen error at the checkout; returns whether that is durable',
    body: FaultCancellation,
    answers: {
      200: Type.Object({ cancelled: Type.Boolean(), state: Type.Union([oneOf(states), Type.Null()]) }),
    },
    example: {
      params: example.params,
      body: { notAfter: '2026-11-21T19:30:05.000Z' },
      answer: { cancelled: true, state: 'cancelled' },
    },
    handle: async ({ caller: { institution }, params: { orderId }, body: { notAfter } }) => {
      const latest = notAfter === undefined ? Number.POSITIVE_INFINITY : Date.parse(notAfter);
      return ok(await cancelAfterFault(context, { institution, orderId }, latest));
    },
  }),
  operation({
    ...whole,
    id: 'getShopOrder',
    method: 'get',
    access: 'internal',
    summary: 'Reads an order or a cart',
    answers: { 200: ShopOrder },
    example: { params: example.params, answer: example.cart },
    handle: async ({ caller: { institution }, params: { orderId } }) =>
      ok(toShopView(await findAny(context, { institution, orderId }), context.now())),
  }),
  operation({
    id: 'findShopOrder',
    method: 'get',
    path: '/internal/shop/order-numbers/{number}',
    access: 'internal',
    summary: 'Reads the order with a number, whatever its case; never a cart',
    params: { number: Type.String({ minLength: 1, maxLength: 64 }) },
    answers: { 200: ShopOrder },
    example: { params: { number: example.order.number }, answer: example.order },
    handle: async ({ caller: { institution }, params: { number } }) =>
      ok(toShopView(await findByNumber(context, institution, number), context.now())),
  }),
  operation({
    id: 'listShopOrders',
    method: 'get',
    path: '/internal/shop/orders',
    access: 'internal',
    summary: 'Lists the orders of a contact and those in `ids`, without carts, by start of their first performance',
    query: {
      contactNumber: Type.Optional(contactNumber),
      ids: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_,-]{0,16000}$' })),
      offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 20 })),
    },
    answers: { 200: Type.Object({ items: Type.Array(ShopOrder), total: Type.Integer() }) },
    example: { query: { contactNumber: 'C7K2M9QX4TB03' }, answer: { items: [example.order], total: 1 } },
    handle: async ({ caller: { institution }, query }) => {
      const { offset = 0, limit = 20, ids = '' } = query;
      const named = ids.split(',').filter((one) => one !== '');
      const selection = { contactNumber: query.contactNumber, ids: named, offset, limit };
      const { items, total } = await listShopOrders(context, institution, selection);
      return ok({ items: items.map((order) => toShopView(order, context.now())), total });
    },
  }),
  operation({
    id: 'listPerformanceOrders',
    method: 'get',
    path: '/internal/shop/performances/{performanceId}/orders',
    access: 'internal',
    summary: 'Lists the sold orders of shoppers that have a place of a performance, in pages',
    params: { performanceId: id },
    query: { after: Type.Optional(Type.String({ pattern: '^(first|further)( [A-Za-z0-9_.-]{1,200})?$' })) },
    answers: { 200: PerformanceOrders },
    example: { params: { performanceId: example.performanceId }, answer: example.performanceOrders },
    handle: async ({ caller: { institution }, params, query }) =>
      ok(await listPerformanceOrders(context, institution, params.performanceId, query.after)),
  }),
];
