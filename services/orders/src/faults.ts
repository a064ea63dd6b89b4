import { type Code, Fault } from '@boxoffice/envelope';
import type { Reason, Refusal } from './domain/decision.ts';

const codes: Readonly<Record<Reason, Code>> = {
  busy: 'conflict',
  past_due: 'precondition_failed',
  lost_mark: 'conflict',
  not_due: 'conflict',
  wrong_state: 'precondition_failed',
  empty: 'precondition_failed',
  unpaid: 'precondition_failed',
  not_sold: 'precondition_failed',
  places_gone: 'precondition_failed',
  ticket_controlled: 'precondition_failed',
  payment_final: 'precondition_failed',
  late_and_unpaid: 'precondition_failed',
  paid_after_cancellation: 'precondition_failed',
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

/** A refusal by the rules, with its reason for who answers reasons instead of codes. */
export class RefusedByRule extends Fault {
  readonly reason: Reason;

  constructor(reason: Reason, ...fault: ConstructorParameters<typeof Fault>) {
    super(...fault);
    this.reason = reason;
  }
}

const NOT_FOUND = 'There is no resource with this id.';

/** The same for what belongs to others and what never existed. */
export const notFound = (): Fault => new Fault('not_found', NOT_FOUND);

/** The fault of a refusal by the rules. */
export const faultOf = ({ reason, details }: Refusal): Fault => {
  const code = codes[reason];
  if (code === 'not_found') return new RefusedByRule(reason, code, NOT_FOUND);
  return new RefusedByRule(reason, code, details, code === 'conflict' ? { 'Retry-After': '1' } : {});
};

/** A peer did not answer in time: whether it acted is not known. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Fault && error.code === 'service_unavailable';
