// What payments reports of a provider's payments, refunds and disputes: each report may come twice, and late.

import { createNotFoundFault } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { type RefundReport, recordRefundReport } from '../domain/provider-refunds.ts';
import { type DisputeReport, isWanted, type PaymentReport, recordDispute, recordReport } from '../domain/providers.ts';
import { decideUntilSettled } from '../saga/command.ts';
import { sellIfDue } from '../saga/sell.ts';
import { attempt, type Rule, requireAccepted, type Target } from '../saga/write.ts';
import type { OrderDocument } from '../store.ts';

const record = async (context: OrdersContext, target: Target, rule: Rule): Promise<OrderDocument> => {
  const seenRule: Rule = (order, now) => {
    if (order.unseen) throw createNotFoundFault();
    return rule(order, now);
  };
  return requireAccepted(await decideUntilSettled(context, target, () => attempt(context, target, seenRule)));
};

/**
 * Money is recorded first, then the order is sold that it pays; where it cannot be sold the money is credit, or its sale
 * stays due. `wanted`: the page may stay open. @throws Fault `not_found`, or a refusal of the rules
 */
export async function applyPaymentReport(context: OrdersContext, target: Target, report: PaymentReport) {
  const recorded = await record(context, target, (order, now) => recordReport(order, report, now));
  const order = recorded.saleDue ? await sellIfDue(context, recorded) : recorded;
  const status = order.payments.find(({ id }) => id === report.paymentId)?.status ?? null;
  return { wanted: isWanted(order, report.paymentId, context.now()), state: order.state, status };
}

/** @throws Fault `not_found` */
export async function applyRefundReport(context: OrdersContext, target: Target, report: RefundReport) {
  const { refunds } = await record(context, target, (order, now) => recordRefundReport(order, report, now));
  return { status: refunds.find(({ id }) => id === report.refundId)?.status ?? 'done' };
}

/** @throws Fault `not_found` */
export async function applyDisputeReport(context: OrdersContext, target: Target, report: DisputeReport) {
  const { payments } = await record(context, target, (order, now) => recordDispute(order, report, now));
  return { disputed: payments.find(({ id }) => id === report.paymentId)?.disputed?.state ?? null };
}
