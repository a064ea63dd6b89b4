import { PosFault } from '@boxoffice/envelope';
import { type AnyOperation, created, named } from '@boxoffice/http';
import { Type } from 'typebox';
import { addAwaitedOrder } from '../cart/cart.ts';
import { findPendingChange, type Order } from '../clients/orders.ts';
import { type Edition, pendingOrder } from '../description/editions.ts';
import { examples } from '../description/examples.ts';
import { langQuery, pathId } from '../description/schemas.ts';
import type { PosContext } from '../request/context.ts';
import { LINK_HEADER, operation, type Visit } from '../request/visit.ts';
import { deriveId } from '../store.ts';
import { findEmail, isProvider, providerPayment, requireMethod } from './buyer.ts';
import { closeRefusedPage, openPage, readSettledOrder, requireReturnUrl } from './pages.ts';
import { createRefusalFault, requireDone } from './refusals.ts';
import { findOwnOrLinkedOrder, loadTicketLookup, readCurrentOffer, toOrderView } from './views.ts';

const Payment = named('ShopPaymentInput', Type.Object(providerPayment));

/** After the checkout, in milliseconds: later an order holds its places no longer by being paid anew. */
const PAYABLE_MS = 3 * 60 * 60_000;

export function createPaymentRoutes(context: PosContext, edition: Edition): AnyOperation[] {
  if (!edition.isExperimental) return [];
  const { orders, sessions } = context;

  /** The order waits for its payment: it is no cart. */
  const recordPending = async ({ session }: Visit, { id }: Order): Promise<void> => {
    if (session?.cartId !== id) return;
    await sessions.update(session, (current) =>
      current.cartId === id ? { cartId: null, awaiting: addAwaitedOrder(current, id) } : undefined,
    );
  };

  return [
    operation({
      id: 'payOwnOrder',
      method: 'post',
      path: '/orders/{id}/payments',
      access: 'owner',
      summary: 'Lets an own order be paid once more on the page of a payment provider',
      description:
        'While the order waits for its payment, or after its payment failed as long as its places are held, until ' +
        'three hours after the checkout; and while a change of it waits for its payment. The page before it is closed ' +
        'first; one that was paid is `order_not_payable`. ' +
        'With `X-Order-Link` the order of that link, without a session. The shop sends the buyer to `payment.url`.',
      params: { id: pathId },
      query: langQuery,
      body: Payment,
      answers: { 201: edition.Order },
      errors: [
        'payment_method_not_accepted',
        'invalid_return_url',
        'order_not_payable',
        'payment_amount_too_small',
        'payment_unavailable',
        'order_busy',
      ],
      example: {
        params: { id: examples.ids.order },
        body: { paymentMethod: 'stripe' },
        answer: pendingOrder,
      },
      handle: async ({ visitor, params, body: { paymentMethod, returnUrl }, header, idempotencyKey }) => {
        const { institution } = visitor.pointOfSale;
        const found = await findOwnOrLinkedOrder(context, visitor, params.id, header(LINK_HEADER));
        if (!isProvider(paymentMethod)) throw createNoProviderFault(paymentMethod);
        requireMethod(context, visitor, paymentMethod);
        requireReturnUrl(visitor, returnUrl);
        const order = await readSettledOrder(context, institution, found);
        const paid = findPaid(order, context.now());
        if (!paid) throw createRefusalFault('not_payable');
        const page = await openPage(context, visitor, order, {
          provider: paymentMethod,
          amount: paid.amount,
          // Keys belong to a session. A repeat without one is recognised by the payment that it follows.
          requestId: idempotencyKey ?? deriveId('again', paid.last?.id ?? paid.id),
          returnUrl,
          email: await findEmail(context, institution, order),
          replaces: true,
        });
        if (!page) throw createRefusalFault('not_payable');
        const outcome = await orders.pay(institution, order.id, { requestId: page.paymentId, page });
        await closeRefusedPage(context, institution, outcome, page);
        const paying = requireDone(outcome, 'payment');
        await recordPending(visitor, paying);
        const [current, ticketOf] = await Promise.all([
          readCurrentOffer(context, visitor),
          loadTicketLookup(context, institution, [paying]),
        ]);
        const view = toOrderView(paying, current, ticketOf, { visit: visitor, isExperimental: true });
        return created(view, `${visitor.base}/orders/${order.id}`, {
          subjects: order.contactNumber === null ? [] : [order.contactNumber],
        });
      },
    }),
  ];
}

/** The order, or its change that waits for its payment; undefined: nothing can be paid. */
const findPaid = (order: Order, now: number) => {
  const { id, state, due: amount, checkout, payment: last } = order;
  const change = findPendingChange(order);
  if (change) return change.left > 0 ? { id: change.id, amount: change.left, last: change.payment } : undefined;
  // Of an open one orders decides: the last page has failed, whatever else was paid since.
  const isOpen = state === 'payment_pending' || state === 'open';
  return isOpen && amount > 0 && now < Date.parse(checkout?.at ?? '') + PAYABLE_MS ? { id, amount, last } : undefined;
};

const createNoProviderFault = (method: string) =>
  new PosFault('payment_method_not_accepted', `An order is not paid once more by the method ${method}.`);
