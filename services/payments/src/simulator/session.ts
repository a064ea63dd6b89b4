// What can become of a session, as the provider documents it: pure, each function a step from one state to the next.

import type { Session, SimulatedDispute, SimulatedPayment, SimulatedRefund } from './store.ts';

export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
  readonly status: number;
  readonly error: Readonly<Record<string, string>> & { readonly type: string };

  constructor(status: number, message: string, members: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.error = { type: 'invalid_request_error', message, ...members };
  }
}

export function getStatus({ status, expiresAt }: Session, now: number): Session['status'] {
  return status === 'open' && now >= expiresAt ? 'expired' : status;
}

export function isPaid({ payment }: Session): boolean {
  return payment?.state === 'succeeded';
}

export function isWaiting({ payment }: Session): boolean {
  return payment?.state === 'processing';
}

/** The ids of all that belongs to a session differ in their beginning alone. */
export function toId(prefix: 'pi' | 'ch' | 'dp' | 're' | 'cs', id: string): string {
  return id.replace(/^[a-z]+/, prefix);
}

export function toSessionId(id: string): string {
  return toId('cs', id).replace(/_r\d+$/, '');
}

const requireOpen = (session: Session, now: number, action: string): void => {
  const status = getStatus(session, now);
  if (status !== 'open')
    throw new ProviderFault(
      400,
      `Only Checkout Sessions with a status in ["open"] can be ${action}. ` +
        `This Checkout Session has a status of \`${status}\`.`,
    );
};

export function expire(session: Session, now: number): Session {
  requireOpen(session, now, 'expired');
  return { ...session, status: 'expired' };
}

type Paid = Partial<Pick<SimulatedPayment, 'amount' | 'currency' | 'refundsBegin'>>;

export function pay(session: Session, now: number, paid: Paid = {}): Session {
  requireOpen(session, now, 'paid');
  const { amount = session.amount, currency = session.currency, refundsBegin = 'succeeded' } = paid;
  const payment: SimulatedPayment = { state: 'succeeded', amount, currency, at: now, refundsBegin };
  return { ...session, status: 'complete', payment };
}

/** Leaves the page open, as each declined card does. */
export function decline(session: Session, now: number): Session {
  requireOpen(session, now, 'paid');
  return session;
}

/** Completes without money: the bank decides later. */
export function wait(session: Session, now: number): Session {
  const paid = pay(session, now);
  return { ...paid, payment: paid.payment && { ...paid.payment, state: 'processing' } };
}

const decide = (session: Session, now: number, state: SimulatedPayment['state']): Session => {
  if (!session.payment || !isWaiting(session)) throw new ProviderFault(400, 'The payment of this page does not wait.');
  return { ...session, payment: { ...session.payment, state, at: now } };
};

export function settle(session: Session, now: number): Session {
  return decide(session, now, 'succeeded');
}

export function fail(session: Session, now: number): Session {
  return decide(session, now, 'failed');
}

const requirePayment = (session: Session): SimulatedPayment => {
  if (!session.payment || !isPaid(session))
    throw new ProviderFault(
      400,
      `This PaymentIntent (${toId('pi', session.id)}) does not have a successful charge to refund.`,
    );
  return session.payment;
};

const counts = ({ status }: SimulatedRefund): boolean => status !== 'failed' && status !== 'canceled';

export function sumRefunds({ refunds }: Session): number {
  return refunds.filter(counts).reduce((sum, { amount }) => sum + amount, 0);
}

export function sumArrivals({ refunds }: Session): number {
  return refunds.filter(({ status }) => status === 'succeeded').reduce((sum, { amount }) => sum + amount, 0);
}

export function isWithdrawing(dispute: SimulatedDispute | null): boolean {
  return dispute?.status === 'needs_response' || dispute?.status === 'lost';
}

type Wanted = Pick<SimulatedRefund, 'metadata'> & { readonly amount: number | undefined };

export function refund(session: Session, { amount, metadata }: Wanted): Session {
  const payment = requirePayment(session);
  const charge = toId('ch', session.id);
  const { dispute } = session;
  const lost = dispute?.status === 'lost' ? dispute.amount : 0;
  if (dispute?.status === 'needs_response' || lost >= payment.amount)
    throw new ProviderFault(400, `Charge ${charge} has been charged back; cannot issue a refund.`, {
      code: 'charge_disputed',
    });
  const left = payment.amount - lost - sumRefunds(session);
  if (left <= 0)
    throw new ProviderFault(400, `Charge ${charge} has already been refunded.`, { code: 'charge_already_refunded' });
  const wanted = amount ?? left;
  if (wanted > left)
    throw new ProviderFault(400, `Refund amount (${wanted}) is greater than unrefunded amount on charge (${left})`, {
      param: 'amount',
    });
  const id = `${toId('re', session.id)}_r${session.refunds.length + 1}`;
  const made = { id, amount: wanted, status: payment.refundsBegin, metadata };
  return { ...session, refunds: [...session.refunds, made] };
}

/** The newest refund that can end so: a pending one succeeds; one that has not failed can still fail, even late. */
export function endRefund(session: Session, to: 'succeeded' | 'failed'): Session {
  const ends = ({ status }: SimulatedRefund): boolean =>
    status === 'pending' || status === 'requires_action' || (to === 'failed' && status === 'succeeded');
  const ended = session.refunds.findLast(ends);
  if (!ended) throw new ProviderFault(400, `This payment has no refund that could end as ${to}.`);
  return { ...session, refunds: session.refunds.map((one) => (one === ended ? { ...one, status: to } : one)) };
}

type Claim = Partial<Pick<SimulatedDispute, 'amount' | 'reason'>> & { readonly isInquiry?: boolean };

/** An inquiry becomes a dispute when the bank takes the money. */
export function dispute(session: Session, now: number, { amount, reason, isInquiry = false }: Claim = {}): Session {
  const payment = requirePayment(session);
  const earlier = session.dispute;
  if (earlier && (isInquiry || earlier.status !== 'warning_needs_response'))
    throw new ProviderFault(400, 'This payment has been disputed already.');
  return {
    ...session,
    dispute: {
      id: toId('dp', session.id),
      amount: amount ?? earlier?.amount ?? payment.amount,
      reason: reason ?? earlier?.reason ?? 'fraudulent',
      status: isInquiry ? 'warning_needs_response' : 'needs_response',
      createdAt: earlier?.createdAt ?? now,
    },
  };
}

export function closeDispute(session: Session, to: 'won' | 'lost'): Session {
  const { dispute: open } = session;
  if (open?.status === 'warning_needs_response')
    return { ...session, dispute: { ...open, status: to === 'won' ? 'warning_closed' : 'lost' } };
  if (open?.status !== 'needs_response') throw new ProviderFault(400, 'This payment has no open dispute.');
  return { ...session, dispute: { ...open, status: to } };
}
