import { type Code, Fault } from '@boxoffice/envelope';
import type { Reason, Refusal } from './domain/order/decision.ts';
import type { State } from './domain/order/order.ts';
import { addressOfPayment } from './ids.ts';

/** Maps each reason of the rules to the code of the answer; `wrong_state` has a code per state, in `states`. */
const codes: Readonly<Record<Reason, Code>> = {
  busy: 'conflict',
  past_due: 'order_expired',
  step_lost: 'conflict',
  not_due: 'conflict',
  wrong_state: 'precondition_failed',
  empty: 'order_empty',
  unpaid: 'order_unpaid',
  not_sold: 'precondition_failed',
  places_gone: 'precondition_failed',
  ticket_controlled: 'order_ticket_controlled',
  payment_final: 'payment_final',
  late_and_unpaid: 'payment_recorded',
  paid_after_cancellation: 'payment_recorded',
  paid_and_refunded: 'payment_recorded',
  unknown_line: 'not_found',
  unknown_payment: 'not_found',
  exceeds_due: 'payment_exceeds_due',
  exceeds_paid: 'refund_exceeds_paid',
  invalid_amount: 'validation_error',
  currency_mismatch: 'semantically_invalid',
  due_in_past: 'semantically_invalid',
  invalid_minutes: 'semantically_invalid',
  checked_out: 'precondition_failed',
  tariff_not_accessible: 'precondition_failed',
  account_required: 'precondition_failed',
  payment_declined: 'precondition_failed',
  performance_begun: 'precondition_failed',
};

const states: Readonly<Partial<Record<State, Code>>> = {
  payment_pending: 'order_payment_pending',
  confirmed: 'order_confirmed',
  expired: 'order_expired',
  cancelled: 'order_cancelled',
};

/** The code and `Location` of an answer about money that is recorded although its order is not confirmed. */
export const paymentRecorded = ({ orderId, paymentId }: NonNullable<Refusal['recorded']>) => ({
  code: 'payment_recorded' as const,
  headers: { Location: addressOfPayment(orderId, paymentId) },
});

const codeOf = ({ reason, state }: Refusal): Code =>
  (reason === 'wrong_state' && state && states[state]) || codes[reason];

/** A refusal by the rules as a Fault; keeps the reason for interfaces that answer reasons instead of codes. */
export class RefusedByRule extends Fault {
  readonly reason: Reason;

  constructor(reason: Reason, ...fault: ConstructorParameters<typeof Fault>) {
    super(...fault);
    this.reason = reason;
  }
}

const NOT_FOUND = 'There is no resource with this id.';

/** The same answer for a resource of another institution and for one that never existed. */
export const notFound = (): Fault => new Fault('not_found', NOT_FOUND);

/** Turns a refusal by the rules into a Fault. */
export const faultOf = (refusal: Refusal): Fault => {
  const { reason, details, recorded } = refusal;
  if (recorded) {
    const { code, headers } = paymentRecorded(recorded);
    return new RefusedByRule(reason, code, details, headers);
  }
  const code = codeOf(refusal);
  if (code === 'not_found') return new RefusedByRule(reason, code, NOT_FOUND);
  return new RefusedByRule(reason, code, details, code === 'conflict' ? { 'Retry-After': '1' } : {});
};

/** Whether a call of another service was not answered in time: then it may have had its effect or not. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Fault && error.code === 'service_unavailable';
