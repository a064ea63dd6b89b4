// What payments reports of a provider's payments, refunds and disputes: each report may come twice, and late.

import { createNotFoundFault } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { isRefused } from '../domain/decisions.ts';
import { type RefundReport, recordRefundReport } from '../domain/provider-refunds.ts';
import { type DisputeReport, isWanted, type PaymentReport, recordDispute, recordReport } from '../domain/providers.ts';
import { finishIfPaid } from '../saga/change.ts';
import { decideUntilSettled } from '../saga/command.ts';
import { sellIfDue } from '../saga/sell.ts';
import { attempt, type Rule, requireAccepted, type Target } from '../saga/write.ts';
import type { OrderDocument } from '../store.ts';

/** Money is recorded first, then the order is sold; where it cannot be the money is credit, or it stays due. */
const record = async (context: OrdersContext, target: Target, rule: Rule): Promise<OrderDocument> => {
  const seenRule: Rule = (order, now) => {
    if (order.unseen) throw createNotFoundFault();
    return rule(order, now);
  };
  const outcome = await decideUntilSettled(context, target, () => attempt(context, target, seenRule));
  const recorded = requireAccepted(outcome);
  return recorded.saleDue ? sellIfDue(context, recorded) : recorded;
};

/** `wanted`: the page may stay open. @throws Fault `not_found`, or a refusal of the rules */
export async function applyPaymentReport(context: OrdersContext, target: Target, report: PaymentReport) {
  const recorded = await record(context, target, (current, now) => recordReport(current, report, now));
  const { status = null, changeId } = recorded.payments.find(({ id }) => id === report.paymentId) ?? {};
  const isOfChange = changeId !== undefined && status === 'captured';
  const order = isOfChange ? await finishIfPaid(context, recorded, changeId) : recorded;
  return { wanted: isWanted(order, report.paymentId, context.now()), state: order.state, status };
}

/** One by itself that has failed is not repeated: its money is credit, which is logged. @throws Fault `not_found` */
export async function applyRefundReport(context: OrdersContext, target: Target, report: RefundReport) {
  let isNews = false;
  const { refunds } = await record(context, target, (order, now) => {
    const decision = recordRefundReport(order, report, now);
    isNews = !isRefused(decision) && decision.next !== order;
    return decision;
  });
  const { status = 'done', automatic } = refunds.find(({ id }) => id === report.refundId) ?? {};
  if (automatic && isNews && status === 'failed')
    context.log.warn('a refund by itself has failed: its money stays credit', {
      institution: target.institution,
      id: target.orderId,
    });
  return { status };
}

/** @throws Fault `not_found` */
export async function applyDisputeReport(context: OrdersContext, target: Target, report: DisputeReport) {
  const { payments } = await record(context, target, (order, now) => recordDispute(order, report, now));
  return { disputed: payments.find(({ id }) => id === report.paymentId)?.disputed?.state ?? null };
}
