import {
  type AnyOperation,
  createLineSchema,
  createNullableSchema,
  id,
  named,
  ok,
  oneOf,
  operation,
  timestamp,
} from '@boxoffice/http';
import { Type } from 'typebox';
import * as example from '../api/examples.ts';
import { ProviderRecord } from '../api/schemas.ts';
import type { OrdersContext } from '../context.ts';
import { disputeStates, paymentStates, refundStates, states } from '../domain/order/order.ts';
import { paymentEnds } from '../domain/providers.ts';
import { applyDisputeReport, applyPaymentReport, applyRefundReport } from './provider.ts';

const whole = { method: 'put', access: 'internal' } as const;
const payment = {
  path: '/internal/orders/{orderId}/provider-payments/{paymentId}',
  params: { orderId: id, paymentId: id },
} as const;

const PaymentReport = named(
  'ProviderPaymentReport',
  Type.Object({
    status: oneOf(paymentStates, { description: '`pending` asks whether the page may stay open' }),
    ended: Type.Optional(oneOf(paymentEnds, { description: 'how a failed one ended; default: failed' })),
    ...ProviderRecord.properties,
  }),
);

const RefundReport = named(
  'ProviderRefundReport',
  Type.Object({
    status: oneOf(refundStates),
    reference: createNullableSchema(createLineSchema({ maxLength: 200, description: "the provider's" })),
  }),
);

const DisputeReport = named(
  'DisputeReport',
  Type.Object({
    state: oneOf(disputeStates, { description: 'of the newest' }),
    amount: Type.Integer({ minimum: 0, maximum: 1_000_000_000_000, description: "in the currency's minor unit" }),
    lost: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000_000,
        description: 'what all disputes of the payment have taken for good; default: the amount of a lost one',
      }),
    ),
    reason: createLineSchema({ maxLength: 100, description: "the provider's code" }),
    at: Type.Unsafe<string>({ ...timestamp, description: 'of the report; one that was overtaken changes nothing' }),
  }),
);

/** What payments reports. Idempotent, in whatever sequence the reports come. */
export function createProviderRoutes(context: OrdersContext): AnyOperation[] {
  const params = { orderId: example.ids.order, paymentId: example.ids.payment };
  return [
    operation({
      ...whole,
      ...payment,
      id: 'reportProviderPayment',
      summary: 'Records what a provider says of a payment; captured money in every state of the order',
      body: PaymentReport,
      answers: {
        200: Type.Object({
          wanted: Type.Boolean({ description: 'false: close the page' }),
          state: oneOf(states, { description: 'of the order' }),
          status: createNullableSchema(oneOf(paymentStates, { description: 'null: the order has no such payment' })),
        }),
      },
      example: {
        params,
        body: example.paymentReport,
        answer: { wanted: false, state: 'confirmed', status: 'captured' },
      },
      handle: async ({ caller: { institution }, params: { orderId, paymentId }, body }) =>
        ok(await applyPaymentReport(context, { institution, orderId }, { ...body, paymentId })),
    }),
    operation({
      ...whole,
      id: 'reportProviderRefund',
      path: '/internal/orders/{orderId}/provider-refunds/{refundId}',
      params: { orderId: id, refundId: id },
      summary: 'Records what a provider says of a refund',
      body: RefundReport,
      answers: { 200: Type.Object({ status: oneOf(refundStates) }) },
      example: {
        params: { orderId: example.ids.order, refundId: example.ids.refund },
        body: example.refundReport,
        answer: { status: 'done' },
      },
      handle: async ({ caller: { institution }, params: { orderId, refundId }, body }) =>
        ok(await applyRefundReport(context, { institution, orderId }, { ...body, refundId })),
    }),
    operation({
      ...whole,
      path: `${payment.path}/dispute`,
      params: payment.params,
      id: 'reportDispute',
      summary: 'Records a dispute of a payment, or its end',
      body: DisputeReport,
      answers: { 200: Type.Object({ disputed: createNullableSchema(oneOf(disputeStates)) }) },
      example: { params, body: example.disputeReport, answer: { disputed: 'open' } },
      handle: async ({ caller: { institution }, params: { orderId, paymentId }, body }) =>
        ok(
          await applyDisputeReport(context, { institution, orderId }, { ...body, paymentId, at: Date.parse(body.at) }),
        ),
    }),
  ];
}
