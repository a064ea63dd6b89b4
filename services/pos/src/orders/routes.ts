import { PosFault } from '@boxoffice/envelope';
import { type AnyOperation, created, ok } from '@boxoffice/http';
import type { Order as AnyOrder } from '../clients/orders.ts';
import type { Edition } from '../description/editions.ts';
import { examples } from '../description/examples.ts';
import { createMapSchema, langQuery, pathId } from '../description/schemas.ts';
import { readCurrentProducts } from '../products/offers.ts';
import type { PosContext } from '../request/context.ts';
import { buildPartHeaders, mapById, partQuery, toPart } from '../request/pagination.ts';
import { LINK_HEADER, operation, requireSession, type Visit } from '../request/visit.ts';
import { createId } from '../store.ts';
import { ExperimentalPurchase, Purchase } from './buyer.ts';
import { checkOut } from './checkout.ts';
import { readSettledOrder } from './pages.ts';
import { requireDone } from './refusals.ts';
import { findOwnOrder, findOwnOrLinkedOrder, loadTicketLookup, readCurrentOffer, toOrderView } from './views.ts';

const params = { id: pathId };

/** An order that is not the visitor's own is 404. */
export function createOrdersRoutes(context: PosContext, edition: Edition): AnyOperation[] {
  const { orders, purchases } = context;
  const { Order, isExperimental } = edition;
  const example = { params: { id: examples.ids.order }, answer: edition.examples.order };

  const loadView = async (
    visit: Visit,
    found: readonly AnyOrder[],
    findTickets = () => loadTicketLookup(context, visit.pointOfSale.institution, found),
  ) => {
    const [current, ticketOf] = await Promise.all([readCurrentOffer(context, visit), findTickets()]);
    return (order: AnyOrder) => toOrderView(order, current, ticketOf, { visit, isExperimental });
  };

  /** Best effort: without tickets no barcode is shown. */
  const ticketsIfAnswered = async ({ pointOfSale: { institution } }: Visit, order: AnyOrder) =>
    (await context.bestEffortTickets(() => loadTicketLookup(context, institution, [order]))) ?? (() => undefined);

  /** The start of the first performance as it is dated now. Epoch milliseconds. */
  const computeStart = async (visit: Visit, order: AnyOrder): Promise<number> => {
    const [products, ticketOf] = await Promise.all([
      readCurrentProducts(context, visit.pointOfSale.institution),
      ticketsIfAnswered(visit, order),
    ]);
    const current = new Map(products.flatMap(({ performances }) => performances).map((one) => [one.id, one.startDate]));
    const starts = order.lines.map(({ performanceId, ticketId, startDate }) => {
      // Tickets know of moves of performances whose product is published no more.
      const ticket = ticketId === null ? undefined : ticketOf(ticketId);
      return Date.parse(current.get(performanceId) ?? ticket?.startDate ?? startDate);
    });
    return Math.min(...starts);
  };

  const one = async (visit: Visit, order: AnyOrder) => (await loadView(visit, [order]))(order);

  return [
    operation({
      id: 'checkOut',
      method: 'post',
      path: '/orders',
      access: 'session',
      summary: 'Buys the shopping cart',
      description:
        'A logged-in user sends `contactNumber`, a guest `contact`. A repeat with the same Idempotency-Key never ' +
        'buys twice; without a key, a repeat after a 500 returns the outcome of the first request. A refusal leaves ' +
        'the cart unchanged. An order whose payment failed can be bought again while its places are held. The answer ' +
        'comes within 15 seconds.' +
        (isExperimental
          ? ' With the name of a payment provider as the method the order waits for its payment: the shop sends the ' +
            'buyer to `payment.url`. The cart stays where the provider opens no page; what costs nothing is confirmed.'
          : ''),
      query: langQuery,
      body: isExperimental ? ExperimentalPurchase : Purchase,
      answers: { 201: Order },
      errors: [
        'cart_empty',
        'cart_expired',
        'cart_not_on_sale',
        'order_busy',
        'contact_required',
        'payment_method_not_accepted',
        ...(isExperimental ? providerErrors : []),
        ...(isExperimental ? (['terms_required'] as const) : []),
        'payment_declined',
        'invalid_reference',
        'login_required',
        'contact_not_accessible',
        'tariff_not_accessible',
        'payment_method_not_accessible',
      ],
      example: {
        body: { contactNumber: examples.contactNumber, paymentMethod: 'simulated', paymentToken: 'ok' },
        answer: edition.examples.order,
      },
      handle: async ({ visitor, body, idempotencyKey }) => {
        const order = await checkOut(context, visitor, body, idempotencyKey, edition);
        const view = await loadView(visitor, [order], () => ticketsIfAnswered(visitor, order));
        return created(view(order), `${visitor.base}/orders/${order.id}`, {
          subjects: order.contactNumber === null ? [] : [order.contactNumber],
        });
      },
    }),
    operation({
      id: 'listOwnOrders',
      method: 'get',
      path: '/orders',
      access: 'session',
      summary: "Lists own orders: those of the user's contact, those that the user bought, and those of this session",
      description: 'By their ids.',
      query: { ...partQuery, ...langQuery },
      answers: { 200: createMapSchema(Order) },
      answerHeaders: ['X-Total-Amount', 'Link'],
      example: { query: { limit: 20 }, answer: { [examples.ids.order]: edition.examples.order } },
      handle: async ({ visitor, query }) => {
        const session = requireSession(visitor);
        const part = toPart(query);
        const { institution, contactNumber, orderIds } = session;
        const ids = [...new Set([...orderIds, ...(await purchases.of(session))])];
        const hasNone = contactNumber === null && ids.length === 0;
        const { items, total } = hasNone
          ? { items: [], total: 0 }
          : await orders.list(institution, { contactNumber: contactNumber ?? undefined, ids, ...part });
        return ok(mapById(items.map(await loadView(visitor, items))), {
          headers: buildPartHeaders(visitor, part, total),
        });
      },
    }),
    operation({
      id: 'getOwnOrder',
      method: 'get',
      path: '/orders/{id}',
      access: 'session',
      summary: 'Returns an own order; items of a confirmed one contain the barcodes of their tickets',
      description:
        'An order of somebody else is 404.' +
        (isExperimental
          ? ' A pending payment on the page of a provider is asked for there first, at most once in five seconds, for ' +
            'which the answer waits up to three: ask so when the buyer comes back.'
          : ''),
      params,
      query: langQuery,
      answers: { 200: Order },
      example,
      handle: async ({ visitor, params }) => {
        const found = await findOwnOrder(context, visitor, params.id);
        const { institution } = visitor.pointOfSale;
        return ok(await one(visitor, isExperimental ? await readSettledOrder(context, institution, found) : found));
      },
    }),
    operation({
      id: 'cancelOwnOrder',
      method: 'post',
      path: '/orders/{id}/cancellation',
      access: isExperimental ? 'owner' : 'session',
      summary: 'Cancels an own order',
      description:
        'Any live order without a controlled ticket, until `shopperCancellationMinutes` of the point of sale before ' +
        'its first performance starts, as it is dated now. ' +
        (isExperimental
          ? 'Items of a confirmed order with a `returnPolicy` are returned instead, with their fee. What was paid is `credit`, which is refunded by itself where `refundCredit` of the point of sale is on; ' +
            'otherwise the institution decides about refunds. With `X-Order-Link` the order of that link, without a session.'
          : 'The institution decides about refunds.'),
      params,
      query: langQuery,
      answers: { 200: Order },
      errors: ['order_not_cancellable', 'order_busy'],
      example: { ...example, answer: { ...edition.examples.order, state: 'cancelled' } },
      handle: async ({ visitor, params, header, idempotencyKey }) => {
        const { institution, shopperCancellationMinutes } = visitor.pointOfSale;
        const token = isExperimental ? header(LINK_HEADER) : undefined;
        const found = await findOwnOrLinkedOrder(context, visitor, params.id, token);
        if (shopperCancellationMinutes === null) throw neverCancelled();
        const until = await computeStart(visitor, found);
        if (until === Number.POSITIVE_INFINITY) throw nothingToCancel();
        const outcome = await orders.cancel(institution, found.id, {
          // Keys belong to a session: a repeat by a link is the same request.
          requestId: idempotencyKey ?? (token === undefined ? createId('req') : `link_${found.id}`),
          until: new Date(until - shopperCancellationMinutes * 60_000).toISOString(),
        });
        const order = requireDone(outcome, 'order');
        return ok(await one(visitor, order), {
          subjects: order.contactNumber === null ? [] : [order.contactNumber],
        });
      },
    }),
  ];
}

const providerErrors = [
  'invalid_return_url',
  'payment_amount_too_small',
  'payment_unavailable',
  'order_not_payable',
] as const;

const nothingToCancel = () => new PosFault('order_not_cancellable', 'The order has no items any more.');

const neverCancelled = () =>
  new PosFault('order_not_cancellable', 'Orders of this point of sale are cancelled by the institution only.');
