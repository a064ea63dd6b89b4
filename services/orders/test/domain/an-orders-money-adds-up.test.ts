// rule commerce.2: `credit` = max(0, net − owed) | services/orders/src/domain/order/money.ts
// rule commerce.3: Money captured with `changeId` is no credit while that change is pending | services/orders/src/domain/order/money.ts
// rule commerce.2: A refund that fails, later too, takes back what it counted for | services/orders/src/domain/order/money.ts
import assert from 'node:assert/strict';
import { selectHistories } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  addRefund,
  completeGoodwill,
  computeCredit,
  computeDue,
  computeLeft,
  computeLost,
  computeNet,
  computeOwed,
  computePaid,
  computePaymentStatus,
  computeRefunded,
  computeTotal,
  isPaidInFull,
  limitGoodwill,
  putDispute,
  replaceRefund,
} from '../../src/domain/order/money.ts';
import type { Change, Line, Order, Payment, Refund, State } from '../../src/domain/order/order.ts';
import { createChange, createLine, createOpenOrder, NOW } from './samples.ts';

interface Step {
  readonly kind:
    | 'capture'
    | 'refund'
    | 'fail'
    | 'done'
    | 'price'
    | 'confirm'
    | 'cancel'
    | 'expire'
    | 'lose'
    | 'win'
    | 'reopen';
  readonly amount: number;
  readonly index: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(
      ...(['capture', 'capture', 'refund', 'refund', 'refund', 'fail', 'fail', 'done', 'price', 'price'] as const),
      ...(['confirm', 'confirm', 'cancel', 'expire', 'lose', 'win', 'reopen'] as const),
    ),
    amount: fc.integer({ min: 1, max: 30 }),
    index: fc.nat({ max: 5 }),
  }),
  { maxLength: 25 },
);

const sale: Step[] = [
  { kind: 'capture', amount: 20, index: 0 },
  { kind: 'confirm', amount: 1, index: 0 },
];
/** Every second one of an order that was sold: few others get that far. */
const histories = fc.tuple(fc.boolean(), steps).map(([isSold, history]) => [...(isSold ? sale : []), ...history]);

const lineOf = (amount: number): Line => ({ ...createLine(1, amount), ticketId: null, replacements: [] });
const start: Order = { ...createOpenOrder(), lines: [lineOf(20)] };
const record = (prefix: string, order: Order, amount: number) => ({
  id: `${prefix}_${order.payments.length + order.refunds.length}`,
  method: 'card',
  amount,
  currency: 'CHF',
  reference: null,
  createdAt: NOW + order.payments.length + order.refunds.length,
});
const capture = (order: Order, amount: number): Order => {
  const payment: Payment = { ...record('pay', order, amount), status: 'captured', updatedAt: NOW };
  return { ...order, payments: [...order.payments, payment] };
};
const giveBack = (order: Order, amount: number, more: Partial<Refund> = {}): Order =>
  addRefund(order, { ...record('ref', order, amount), status: 'pending', ...more });
/** Of one where so much is left of it. */
const ofPayment = (order: Order, payment: Payment | undefined, amount: number): Partial<Refund> =>
  payment && computeLeft(order, payment) >= amount ? { paymentId: payment.id } : {};
const settle = (order: Order, index: number, status: 'done' | 'failed'): Order => {
  const refund = order.refunds[index % Math.max(1, order.refunds.length)];
  return refund && refund.status !== 'failed' ? replaceRefund(order, { ...refund, status }) : order;
};
const isUnsold = ({ state }: Order) => state === 'open';
const end = (order: Order, state: State): Order => ({ ...order, state });

/** What may happen to an order's money, whoever does it. */
const apply = (order: Order, { kind, amount, index }: Step): Order => {
  const payment = order.payments[index % Math.max(1, order.payments.length)];
  switch (kind) {
    case 'capture':
      return capture(order, amount);
    case 'refund':
      return amount > computeNet(order) ? order : giveBack(order, amount, ofPayment(order, payment, amount));
    case 'fail':
      return settle(order, index, 'failed');
    case 'done':
      return settle(order, index, 'done');
    case 'price':
      return limitGoodwill({ ...order, lines: [lineOf(amount)] });
    case 'confirm':
      return isUnsold(order) ? { ...order, state: 'confirmed', confirmedAt: NOW + 1 } : order;
    case 'cancel':
      return order.state === 'expired' ? order : end(order, 'cancelled');
    case 'expire':
      return isUnsold(order) ? end(order, 'expired') : order;
    default:
      return payment
        ? putDispute(order, payment.id, {
            ...{ amount, reason: 'fraudulent', at: NOW + 2 },
            ...(kind === 'reopen'
              ? { state: 'open' as const, lost: payment.disputed ? computeLost(payment.disputed) : 0 }
              : { state: kind === 'lose' ? ('lost' as const) : ('won' as const) }),
          })
        : order;
  }
};

const figures = (order: Order) => ({
  paid: computePaid(order),
  refunded: computeRefunded(order),
  goodwill: order.goodwill ?? 0,
  credit: computeCredit(order),
  due: computeDue(order),
  status: computePaymentStatus(order),
});

const check = (before: Order, step: Step, order: Order): void => {
  const { paid, refunded, goodwill, credit, due, status } = figures(order);
  const [then, total] = [figures(before), computeTotal(order)];
  const back = order.refunds
    .filter((refund) => refund.status !== 'failed')
    .reduce((sum, { amount }) => sum + amount, 0);
  const lost = order.payments.reduce((sum, { disputed }) => sum + (disputed?.refunded ?? 0), 0);
  assert.equal(refunded, back + lost);
  assert.equal(computeNet(order), paid - refunded, 'net is captures without refunds');
  assert.ok(goodwill >= 0 && goodwill <= total, 'more goodwill than the total');
  const isEnded = order.state === 'cancelled' || order.state === 'expired';
  assert.ok(isEnded || credit === 0 || due === 0, 'credit, and something is due');
  if (isEnded) assert.equal(credit, Math.max(0, paid - refunded), 'of an ended order all that is there is credit');
  else assert.equal(credit - due, paid - refunded - computeOwed(order));
  assert.equal(status === 'paid', due === 0, 'the status goes by what is due');
  for (const payment of order.payments) {
    assert.ok(computeLeft(order, payment) >= 0);
    const { disputed, ...undisputed } = payment;
    const counted = disputed ? Math.min(computeLost(disputed), computeLeft(order, undisputed)) : 0;
    assert.equal(disputed?.refunded ?? 0, counted, 'a lost dispute counts its own amount, at most what is left');
  }
  if (step.kind === 'capture') assert.ok(due <= then.due && credit >= then.credit);
  if (step.kind === 'refund' && order.state === 'confirmed' && then.due === 0)
    assert.equal(due, 0, 'a refund raises a debt where nothing was due');
  if (step.kind === 'done') assert.deepEqual(figures(order), then);
  if (step.kind === 'price' && !isEnded) {
    const isLower = total <= computeTotal(before);
    assert.ok(isLower ? due <= then.due && credit >= then.credit : due >= then.due && credit <= then.credit);
    assert.ok(goodwill <= then.goodwill, 'a change of the total raises the goodwill');
    assert.deepEqual(order.refunds, before.refunds, 'the refunds keep their figures');
  }
  // What fails at once counts for nothing, as if it had never been.
  const amount = Math.min(7, computeNet(order));
  if (amount > 0)
    assert.deepEqual(figures(settle(giveBack(order, amount), order.refunds.length, 'failed')), figures(order));
};

test('over random histories net is captures without refunds, credit and due are never both positive, goodwill is at most the total, and what fails takes back what it counted for', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(histories, (history) => {
      history.reduce((before, step) => {
        const order = apply(before, step);
        check(before, step, order);
        if ((order.goodwillLost ?? 0) > 0) seen.add('goodwill is lowered');
        if (order.payments.some(({ disputed }) => disputed?.goodwill)) seen.add('a lost dispute is goodwill');
        if (order.state === 'confirmed' && computeCredit(order) > 0) seen.add('overpaid');
        if (order.state === 'confirmed' && computeDue(order) > 0 && order.refunds.length > 0) seen.add('due again');
        return order;
      }, start);
    }),
    selectHistories({ numRuns: 2_000 }),
  );
  expect([...seen].sort()).toEqual(['a lost dispute is goodwill', 'due again', 'goodwill is lowered', 'overpaid']);
});

test('the goodwill of refunds that were recorded without it is what it would have been, and is not counted twice', () => {
  const ofRefunds = steps.map((history) =>
    history.filter(({ kind }) => ['capture', 'confirm', 'refund', 'cancel'].includes(kind)),
  );
  // As they counted when the money was there already.
  const inOrder = (history: readonly Step[]) => [
    ...history.filter(({ kind }) => kind === 'capture'),
    ...history.filter(({ kind }) => kind !== 'capture'),
  ];
  fc.assert(
    fc.property(ofRefunds, (history) => {
      let order = start;
      for (const step of inOrder(history)) {
        const next = apply(order, step);
        const now = NOW + 100 + next.payments.length + next.refunds.length;
        order = step.kind === 'confirm' && next !== order ? { ...next, confirmedAt: now - 100 } : next;
        if (step.kind === 'cancel' && order.cancellation === null)
          order = { ...order, cancellation: { ...cancellation, requestedAt: now - 100 } };
      }
      const { goodwill = 0, ...known } = order;
      const old: Order = { ...known, refunds: order.refunds.map(({ goodwill: _, ...refund }) => refund) };
      const completed = completeGoodwill(old);
      assert.equal(completed.goodwill ?? 0, goodwill);
      assert.deepEqual(completed.refunds, order.refunds);
      assert.equal(completed.state, order.state);
      assert.equal(completeGoodwill(completed), completed);
    }),
    selectHistories({ numRuns: 1_000 }),
  );
});

const cancellation = {
  ...{ reason: null, hadTickets: false, ticketsCancelled: 0, controlled: 0, placesReleased: 0, settledAt: NOW },
  ...{ ticketsVersion: 0, placesVersion: 0 },
};

describe('the figures of an order', () => {
  const confirmed: Order = { ...capture(start, 20), state: 'confirmed', confirmedAt: NOW };

  test.each<[string, Order, Partial<ReturnType<typeof figures>>]>([
    ['an unsold order owes its total', start, { due: 20, credit: 0, status: 'unpaid' }],
    [
      'a paid one that was given money back owes nothing',
      giveBack(confirmed, 5),
      { goodwill: 5, due: 0, status: 'paid' },
    ],
    ['what is beyond the credit is goodwill', giveBack(capture(confirmed, 3), 5), { goodwill: 2, credit: 0, due: 0 }],
    ['credit that is given back is none', giveBack(capture(confirmed, 3), 2), { goodwill: 0, credit: 1, due: 0 }],
    [
      'on account, money that was given back is due again',
      giveBack({ ...capture(start, 8), state: 'confirmed', confirmedAt: NOW }, 5),
      { goodwill: 0, due: 17, status: 'partial' },
    ],
    ['all that a cancelled order has is credit', end(confirmed, 'cancelled'), { credit: 20, due: 0, status: 'paid' }],
    [
      'of a cancelled order what went back since is not due',
      giveBack(end(confirmed, 'cancelled'), 20, { createdAt: NOW + 1 }),
      { goodwill: 0, credit: 0, due: 0, refunded: 20 },
    ],
    [
      'an expired one is paid by its total',
      end(capture(start, 8), 'expired'),
      { credit: 8, due: 12, status: 'partial' },
    ],
    ['a lost dispute counts as refunded', lose(confirmed, 12), { refunded: 12, goodwill: 12, due: 0, credit: 0 }],
    ['at most what is left', lose(giveBack(confirmed, 15, { paymentId: 'pay_0' }), 12), { refunded: 20, goodwill: 20 }],
    ['of an unsold order it is due again', lose(capture(start, 8), 8), { refunded: 8, due: 20, goodwill: 0 }],
    ['one that is won after all gives it back', win(lose(confirmed, 12)), { refunded: 0, goodwill: 0, due: 0 }],
    [
      'a lost dispute counts anew once a refund fails',
      settle(lose(giveBack(confirmed, 20, { paymentId: 'pay_0' }), 12), 0, 'failed'),
      { refunded: 12, goodwill: 12, due: 0, credit: 0 },
    ],
    [
      'also of a cancelled order: what is left is credit',
      settle(lose(giveBack(end(confirmed, 'cancelled'), 15, { paymentId: 'pay_0' }), 12), 0, 'failed'),
      { refunded: 12, goodwill: 0, credit: 8 },
    ],
    ['a second dispute takes nothing back', reopen(lose(confirmed, 12), 12), { refunded: 12, goodwill: 12, due: 0 }],
    [
      'a second one that is lost counts beside the first',
      lose(reopen(lose(confirmed, 12), 12), 5, 17),
      { refunded: 17 },
    ],
    ['both at most what is left', lose(lose(confirmed, 12), 12, 24), { refunded: 20, goodwill: 20 }],
    [
      'what a dispute has counted for stays, whatever the order costs now',
      reopen(limitGoodwill({ ...lose(confirmed, 12), lines: [lineOf(8)] }), 12),
      { refunded: 12, goodwill: 8, credit: 8 },
    ],
    ['money for a pending change is no credit', forChange(confirmed, 7), { paid: 27, credit: 0, due: 0 }],
    ['and pays for nothing else', forChange({ ...confirmed, payments: [] }, 7), { paid: 7, due: 20, status: 'unpaid' }],
    ['of one that lapsed it is credit', forChange(confirmed, 7, 'lapsed'), { credit: 7, due: 0 }],
    ['of one that is done it counts', forChange({ ...confirmed, payments: [] }, 7, 'done'), { due: 13 }],
    [
      'what went back is not kept for it',
      giveBack(giveBack(forChange(confirmed, 7), 4, { paymentId: 'pay_1' }), 22),
      { refunded: 26, goodwill: 19, credit: 0, due: 0 },
    ],
    ['and goes back before anything is goodwill', giveBack(forChange(confirmed, 7), 5), { goodwill: 0, credit: 0 }],
    [
      'so that it is no credit once more when the change ends',
      { ...giveBack(forChange(confirmed, 7), 5), changes: [] },
      { goodwill: 0, credit: 2, due: 0 },
    ],
    [
      'of one that lapsed it goes back after other credit, and does not do it late',
      { ...giveBack(forChange(capture(confirmed, 3), 7, 'lapsed'), 8), changes: forChange(confirmed, 7).changes ?? [] },
      { goodwill: 0, credit: 0, due: 0 },
    ],
  ])('%s', (_, order, expected) => {
    expect(figures(order)).toMatchObject(expected);
  });

  test('a lower total lowers the goodwill for good, and a refund that fails then takes back no more than is left', () => {
    const given = giveBack(confirmed, 15);
    const lowered = limitGoodwill({ ...given, lines: [lineOf(10)] });
    expect([lowered.goodwill, lowered.goodwillLost, lowered.refunds[0]?.goodwill]).toEqual([10, 5, 15]);
    const raised = limitGoodwill({ ...lowered, lines: [lineOf(20)] });
    expect(figures(raised)).toMatchObject({ goodwill: 10, due: 5 });
    expect(figures(settle(raised, 0, 'failed'))).toMatchObject({ goodwill: 0, due: 0, credit: 0, refunded: 0 });
  });

  test('with lines and captured money, and nothing due, it is to be confirmed; free of charge, or with its money back, it is not', () => {
    expect(isPaidInFull(capture(start, 20))).toBe(true);
    expect(isPaidInFull(capture({ ...start, lines: [] }, 20))).toBe(false);
    expect(isPaidInFull({ ...start, lines: [lineOf(0)] })).toBe(false);
    expect(isPaidInFull({ ...giveBack(capture(start, 5), 5), lines: [lineOf(0)] })).toBe(false);
  });
});

function forChange(order: Order, amount: number, state: Change['state'] = 'pending'): Order {
  const paid = capture(order, amount);
  const payments = paid.payments.map((payment, index) =>
    index === order.payments.length ? { ...payment, changeId: 'chg_1' } : payment,
  );
  return { ...paid, payments, changes: [createChange('chg_1', state)] };
}

function lose(order: Order, amount: number, lost = amount): Order {
  return putDispute(order, 'pay_0', { state: 'lost', amount, lost, reason: 'fraudulent', at: NOW });
}

/** A second dispute is open. */
function reopen(order: Order, lost: number): Order {
  return putDispute(order, 'pay_0', { state: 'open', amount: 5, lost, reason: 'duplicate', at: NOW + 1 });
}

function win(order: Order): Order {
  return putDispute(order, 'pay_0', { state: 'won', amount: 12, reason: 'fraudulent', at: NOW + 1 });
}
