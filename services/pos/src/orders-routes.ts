import { PosFault } from '@boxoffice/envelope';
import { type AnyOperation, created, emailSchema, ok, oneOf } from '@boxoffice/http';
import { Type } from 'typebox';
import { checkOut } from './checkout.ts';
import type { Order as AnyOrder } from './clients/orders.ts';
import type { Desk } from './desk.ts';
import { examples } from './examples.ts';
import { isId, newId } from './ids.ts';
import { operation } from './operation.ts';
import { orderView, tariffNames, ticketsOf } from './order-views.ts';
import { mapById, partHeaders, partOf, partQuery } from './pagination.ts';
import { doneOr } from './refusals.ts';
import { contactNumber, langQuery, mapOf, Order } from './schemas.ts';
import type { SessionDocument } from './store.ts';
import type { Visit } from './visit.ts';

const name = Type.String({ maxLength: 100, pattern: '\\S' });

const Purchase = Type.Object({
  contactNumber: Type.Optional(contactNumber),
  contact: Type.Optional(Type.Object({ firstName: name, lastName: name, email: emailSchema })),
  paymentMethod: oneOf(['on_account', 'external', 'simulated']),
  paymentToken: Type.Optional(
    oneOf(['ok', 'declined', 'pending'], { description: 'for `simulated`: what becomes of the payment' }),
  ),
});

const params = { id: Type.String() };
const example = { params: { id: examples.ids.order }, answer: examples.order };

type InSession = Visit & { readonly session: SessionDocument };

const inSession = (visit: Visit): InSession => {
  if (!visit.session) throw new PosFault('session_required', 'The header X-auth-token is absent.');
  return visit as InSession;
};

/** Whether the visitor may see it: made by the login's contact, or in this session. */
const isOwn = ({ contactNumber: own, orderIds }: SessionDocument, { id, listed, contactNumber }: AnyOrder): boolean =>
  listed && ((own !== null && own === contactNumber) || orderIds.includes(id));

/** Orders: made of the cart, shown and cancelled. */
export const ordersRoutes = (desk: Desk): AnyOperation[] => {
  const { orders } = desk;

  const own = async ({ session }: InSession, orderId: string): Promise<AnyOrder> => {
    const order = isId(orderId) ? await orders.get(session.institution, orderId) : undefined;
    if (!order || !isOwn(session, order)) throw new PosFault('not_found', 'There is no such resource.');
    return order;
  };

  const shown = async (visit: Visit, found: readonly AnyOrder[]) => {
    const [nameOf, ticketOf] = await Promise.all([
      tariffNames(desk, visit),
      ticketsOf(desk, visit.pointOfSale.institution, found),
    ]);
    return found.map((order) => orderView(order, nameOf, ticketOf));
  };

  const one = async (visit: Visit, order: AnyOrder) =>
    orderView(order, await tariffNames(desk, visit), await ticketsOf(desk, visit.pointOfSale.institution, [order]));

  return [
    operation({
      id: 'checkOut',
      method: 'post',
      path: '/orders',
      access: 'session',
      summary: 'Buys the shopping cart',
      description:
        'Who is logged in gives `contactNumber`, a guest `contact`. A repeat with the same Idempotency-Key never buys twice. On a refusal the cart stays as it was.',
      query: langQuery,
      body: Purchase,
      answers: { 201: Order },
      errors: [
        'cart_empty',
        'cart_expired',
        'cart_not_on_sale',
        'order_busy',
        'contact_required',
        'payment_method_not_accepted',
        'payment_declined',
        'invalid_reference',
        'login_required',
        'contact_not_accessible',
        'tariff_not_accessible',
        'payment_method_not_accessible',
      ],
      example: {
        body: { contactNumber: examples.contactNumber, paymentMethod: 'simulated', paymentToken: 'ok' },
        answer: examples.order,
      },
      handle: async ({ visitor, body, idempotencyKey }) => {
        const order = await checkOut(desk, inSession(visitor), body, idempotencyKey);
        const nameOf = await tariffNames(desk, visitor);
        // It is bought, whether or not the tickets can be read at the moment.
        const ticketOf = await ticketsOf(desk, visitor.pointOfSale.institution, [order]).catch((error: unknown) => {
          desk.log.warn('an order is answered without its barcodes', { error });
          return () => undefined;
        });
        return created(orderView(order, nameOf, ticketOf), `${visitor.base}/orders/${order.id}`, {
          subjects: order.contactNumber === null ? [] : [order.contactNumber],
        });
      },
    }),
    operation({
      id: 'listOwnOrders',
      method: 'get',
      path: '/orders',
      access: 'session',
      summary: "Lists own orders: those of the login's contact, and those made in this session",
      query: { ...partQuery, ...langQuery },
      answers: { 200: mapOf(Order) },
      answerHeaders: ['X-Total-Amount', 'Link'],
      example: { query: { limit: 20 }, answer: { [examples.ids.order]: examples.order } },
      handle: async ({ visitor, query }) => {
        const { session } = inSession(visitor);
        const part = partOf(query);
        const whose = session.contactNumber === null ? {} : { contactNumber: session.contactNumber };
        const nothing = session.contactNumber === null && session.orderIds.length === 0;
        const { items, total } = nothing
          ? { items: [], total: 0 }
          : await orders.list(session.institution, { ...whose, ids: session.orderIds, ...part });
        return ok(mapById(await shown(visitor, items)), { headers: partHeaders(visitor, part, total) });
      },
    }),
    operation({
      id: 'getOwnOrder',
      method: 'get',
      path: '/orders/{id}',
      access: 'session',
      summary: 'Gives an own order; the items of a confirmed one have their tickets’ barcodes',
      params,
      query: langQuery,
      answers: { 200: Order },
      example,
      handle: async ({ visitor, params }) => ok(await one(visitor, await own(inSession(visitor), params.id))),
    }),
    operation({
      id: 'cancelOwnOrder',
      method: 'post',
      path: '/orders/{id}/cancellation',
      access: 'session',
      summary: 'Cancels an own order',
      description:
        'Any live one without a controlled ticket, until its first performance starts. Refunds are the institution’s affair.',
      params,
      query: langQuery,
      answers: { 200: Order },
      errors: ['order_not_cancellable', 'order_busy'],
      example: { ...example, answer: { ...examples.order, state: 'cancelled' } },
      handle: async ({ visitor, params, idempotencyKey }) => {
        const { id } = await own(inSession(visitor), params.id);
        const outcome = await orders.cancel(visitor.pointOfSale.institution, id, idempotencyKey ?? newId('req'));
        if (outcome.reason === 'cart_gone') throw new PosFault('order_not_cancellable', 'The order is not live.');
        const order = doneOr(outcome);
        return ok(await one(visitor, order), {
          subjects: order.contactNumber === null ? [] : [order.contactNumber],
        });
      },
    }),
  ];
};
