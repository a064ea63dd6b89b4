// The books of both sides, and what must hold between them once everything has come to rest.

import type { SimulatedSession } from '@boxoffice/payments';
import { type House, PRICE } from './house.ts';
import type { Shopper } from './shopper.ts';

interface OrderView {
  readonly state: string;
  readonly paid: number;
  readonly refunded: number;
  readonly credit: number;
  readonly due: number;
}

const REFUND_STATES = {
  pending: 'pending',
  requires_action: 'pending',
  succeeded: 'done',
  failed: 'failed',
  canceled: 'failed',
} as const;

const DISPUTE_STATES = {
  warning_needs_response: undefined,
  warning_closed: undefined,
  needs_response: 'open',
  won: 'won',
  lost: 'lost',
} as const;

const sum = (amounts: readonly number[]): number => amounts.reduce((total, one) => total + one, 0);

const counting = ({ refunds }: SimulatedSession) =>
  refunds.filter(({ status }) => REFUND_STATES[status] !== 'failed').map(({ amount }) => amount);

/** What the provider has of a payment for the house: without what was refunded, or taken back by a lost dispute. */
const toNet = (session: SimulatedSession): number => {
  const left = (session.payment?.amount ?? 0) - sum(counting(session));
  return session.dispute?.status === 'lost' ? Math.max(0, left - session.dispute.amount) : left;
};

/** Sentences, one for each thing that is wrong. */
export async function compareBooks(house: House, { orderId, sessions: ids }: Shopper): Promise<readonly string[]> {
  const order = await house.orderOf(orderId);
  if (!order) return [];
  const faults: string[] = [];
  const expect = (holds: boolean, what: string): void => {
    if (!holds) faults.push(what);
  };
  const sessions = await Promise.all(ids.map((id) => house.sessionOf(id)));
  const paid = sessions.filter(({ payment }) => payment?.state === 'succeeded');
  const isRight = ({ payment }: SimulatedSession) => payment?.amount === PRICE && payment.currency === 'chf';
  const right = paid.filter(isRight);

  for (const session of sessions) {
    const recorded = order.payments.find(({ reference }) => reference === session.id);
    if (right.includes(session)) {
      expect(recorded?.status === 'captured', `${session.id} is paid, and its payment ${recorded?.status}`);
      const disputed = session.dispute ? DISPUTE_STATES[session.dispute.status] : undefined;
      expect(recorded?.disputed?.state === disputed, `${session.id}: its dispute is ${disputed} at the provider`);
    } else expect(recorded?.status !== 'captured', `${session.id} is not paid, and its payment captured`);
    if (!paid.includes(session))
      expect(recorded?.status !== 'pending', `the payment of ${session.id} is pending still`);
    if (paid.includes(session) && !right.includes(session))
      expect(
        sum(counting(session)) === session.payment?.amount || session.refunds.some(({ status }) => status === 'failed'),
        `${session.id} has wrong money that did not go back`,
      );
    const named = session.refunds.map(({ metadata }) => metadata.boxoffice_refund);
    expect(new Set(named).size === named.length, `${session.id}: a refund was made twice`);
  }

  for (const session of right)
    for (const { amount, status, metadata } of session.refunds) {
      const refund = order.refunds.find(({ id }) => id === metadata.boxoffice_refund);
      expect(refund?.amount === amount, `a refund of ${amount} is none of the order`);
      expect((refund?.status ?? 'done') === REFUND_STATES[status], `a refund is ${status}, and here ${refund?.status}`);
    }
  const made = new Set(right.flatMap(({ refunds }) => refunds.map(({ metadata }) => metadata.boxoffice_refund)));
  for (const { id, provider, status } of order.refunds.filter((one) => one.provider != null))
    if (!made.has(id)) expect(status === 'failed', `the refund ${id} by ${provider} is ${status}, and was never made`);

  const { data: view } = await house.call<OrderView | null>('orders', 'GET', `/internal/shop/orders/${orderId}`, {
    operation: 'getShopOrder',
    service: 'pos',
  });
  const { data: listed } = await house.call<{ readonly items: readonly { readonly status: string }[] } | null>(
    'tickets',
    'GET',
    `/svc/v3/tickets?orderId=${orderId}`,
    { operation: 'listTickets' },
  );
  const live = (listed?.items ?? []).filter(({ status }) => status !== 'cancelled').length;
  const isConfirmed = order.state === 'confirmed';
  expect(live === (isConfirmed ? order.lines.length : 0), `an order that is ${order.state} has ${live} tickets`);
  if (!view) {
    expect(right.length === 0, 'a cart was paid');
    return faults;
  }

  const desk = sum(
    order.payments
      .filter(({ provider, status }) => provider === undefined && status === 'captured')
      .map(({ amount }) => amount),
  );
  const net = sum(right.map(toNet)) + desk;
  expect(view.paid === sum(right.map(({ payment }) => payment?.amount ?? 0)) + desk, `paid is ${view.paid}`);
  expect(view.paid - view.refunded === net, `net is ${view.paid - view.refunded} here and ${net} there`);
  if (isConfirmed) expect(view.due === 0, `a confirmed order owes ${view.due}`);
  else expect(view.credit === net, `an order that is ${order.state} has ${net}, and a credit of ${view.credit}`);
  const isUsual =
    desk === 0 &&
    order.cancellation?.reason !== 'ill singer' &&
    !order.refunds.some(({ status }) => status === 'failed') &&
    !right.some(({ dispute }) => dispute !== null);
  if (isUsual) expect(view.credit === 0, `a credit of ${view.credit} was not refunded by itself`);
  return faults;
}
