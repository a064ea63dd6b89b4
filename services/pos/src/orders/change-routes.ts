import { type AnyOperation, created, ok } from '@boxoffice/http';
import type { Static } from 'typebox';
import type { ChangeQuote, Order } from '../clients/orders.ts';
import {
  exampleOfChange,
  exampleOfChangeInput,
  exampleOfQuote,
  OrderChange,
  OrderChangeQuote,
} from '../description/changes.ts';
import type { Edition } from '../description/editions.ts';
import { examples } from '../description/examples.ts';
import { langQuery, pathId } from '../description/schemas.ts';
import type { PosContext } from '../request/context.ts';
import { createNotFoundFault, LINK_HEADER, operation, type Visit } from '../request/visit.ts';
import { createId, deriveId } from '../store.ts';
import { changeOrder, listPerformancesOver, QuotedChange, requireLines, WantedOrderChange } from './changes.ts';
import { describeRefusal, requireDone } from './refusals.ts';
import { findOwnOrLinkedOrder, toChangeView, toComposedView } from './views.ts';

const params = { id: pathId };
const answered = { query: langQuery, access: 'owner' } as const;

const BY_LINK = ' With `X-Order-Link` of the order of that link, without a session.';

export function createChangeRoutes(context: PosContext, edition: Edition): AnyOperation[] {
  if (!edition.isExperimental) return [];
  const { orders } = context;

  return [
    operation({
      ...answered,
      id: 'quoteOwnChange',
      method: 'post',
      path: '/orders/{id}/changes/quotes',
      summary: 'Answers what a change of an own order would cost now, and why it would be refused; nothing is held',
      description:
        'The buyer gives items back (`returns`) or has others in their place (`exchanges`), as `returnPolicy` of the ' +
        `items allows.${BY_LINK}`,
      params,
      body: QuotedChange,
      answers: { 200: OrderChangeQuote },
      example: { params: { id: examples.ids.order }, body: exampleOfChangeInput, answer: exampleOfQuote },
      handle: async ({ visitor, params: { id }, body, header }) => {
        const found = await findOwnOrLinkedOrder(context, visitor, id, header(LINK_HEADER));
        requireLines(body);
        const over = await listPerformancesOver(context, visitor, body);
        const quote = await orders.quoteChange(visitor.pointOfSale.institution, found.id, { ...body, over });
        if (!quote) throw createNotFoundFault();
        return ok(toQuoteView(quote, visitor));
      },
    }),
    operation({
      ...answered,
      id: 'changeOwnOrder',
      method: 'post',
      path: '/orders/{id}/changes',
      summary: 'Returns items of an own order, or exchanges them for others',
      description:
        'Done when it answers where nothing is due, or the payment is captured; else it waits for its payment, and ' +
        'the order stays as it is until then. Where something is due `paymentMethod` is required, as at the ' +
        'checkout: with the name of a payment provider the shop sends the buyer to `payment.url`. What is paid too ' +
        `much is refunded by itself where \`refundCredit\` of the point of sale is on.${BY_LINK}`,
      params,
      body: WantedOrderChange,
      answers: { 201: OrderChange },
      errors: [
        'order_not_changeable',
        'change_in_progress',
        'change_difference_changed',
        'order_places_unavailable',
        'order_not_on_sale',
        'cart_hold_limit',
        'cart_too_many_places',
        'order_busy',
        'invalid_reference',
        'tariff_not_accessible',
        'payment_method_not_accepted',
        'payment_method_not_accessible',
        'payment_declined',
        'invalid_return_url',
        'payment_amount_too_small',
        'payment_unavailable',
      ],
      example: {
        params: { id: examples.ids.order },
        body: { ...exampleOfChangeInput, difference: 1_500, paymentMethod: 'stripe' },
        answer: exampleOfChange,
      },
      handle: async ({ visitor, params: { id }, body, header, idempotencyKey }) => {
        const found = await findOwnOrLinkedOrder(context, visitor, id, header(LINK_HEADER));
        // Keys belong to a session; without one a repeat is recognised by its order and key.
        const key = header('idempotency-key');
        const requestId = idempotencyKey ?? (key ? deriveId('req', key) : createId('req'));
        const { order, changeId } = await changeOrder(context, visitor, found, body, requestId);
        return created(toView(order, changeId), `${visitor.base}/orders/${id}`, toSubjects(order));
      },
    }),
    operation({
      ...answered,
      id: 'endOwnChange',
      method: 'delete',
      path: '/orders/{id}/changes/{changeId}',
      summary: 'Ends a change of an own order that waits for its payment; the order stays as it is',
      description: `What was paid for it all the same is credit of the order.${BY_LINK}`,
      params: { ...params, changeId: pathId },
      answers: { 200: OrderChange },
      errors: ['order_not_changeable', 'order_busy'],
      example: {
        params: { id: examples.ids.order, changeId: exampleOfChange.id },
        answer: { ...exampleOfChange, state: 'lapsed', expiresAt: null, payment: null },
      },
      handle: async ({ visitor, params: { id, changeId }, header }) => {
        const found = await findOwnOrLinkedOrder(context, visitor, id, header(LINK_HEADER));
        const order = requireDone(
          await orders.endChange(visitor.pointOfSale.institution, found.id, changeId),
          'change',
        );
        return ok(toView(order, changeId), toSubjects(order));
      },
    }),
  ];
}

const toView = (order: Order, changeId: string) => {
  const change = order.changes.find(({ id }) => id === changeId);
  if (!change) throw createNotFoundFault();
  return toChangeView(order, change);
};

const toSubjects = ({ contactNumber }: Order) => ({ subjects: contactNumber === null ? [] : [contactNumber] });

const toQuoteView = ({ lines, refusals, ...figures }: ChangeQuote, visit: Visit): Static<typeof OrderChangeQuote> => ({
  ...figures,
  lines: lines?.map((line) => ({ ...line, ...toComposedView(line, visit) })) ?? null,
  refusals: refusals.map(({ lineId, reason }) => {
    const [status, details] = describeRefusal(reason, 'change');
    return { lineId, status, details };
  }),
});
