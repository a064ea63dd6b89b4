// rule commerce.5: `due` of a change counts the order's credit, `difference` does not | services/orders/src/domain/changes/change.ts
import assert from 'node:assert/strict';
import { selectHistories } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toChangeView } from '../../src/changes/views.ts';
import { cancel } from '../../src/domain/cancellation.ts';
import {
  beginChange,
  computeFigures,
  doChange,
  findPendingChange,
  lapseChange,
} from '../../src/domain/changes/change.ts';
import { computePayable, markCovered } from '../../src/domain/changes/paying.ts';
import { isRefused } from '../../src/domain/decisions.ts';
import {
  computeCredit,
  computeDue,
  computeEarmarked,
  computeLeft,
  computeNet,
  computeOwed,
  computePaymentStatus,
} from '../../src/domain/order/money.ts';
import type { Change, Line, Order } from '../../src/domain/order/order.ts';
import { addPayment, settlePayment } from '../../src/domain/payments.ts';
import { listStock } from '../../src/domain/price.ts';
import { refund } from '../../src/domain/refunds.ts';
import { buildPayment, createChange, createLine, createOpenOrder, NOW } from './samples.ts';

const kinds = ['pay', 'overpay', 'refund', 'begin', 'begin', 'payChange', 'obey', 'obey', 'await', 'settle'] as const;
const ends = ['lapse', 'withdraw', 'cancel'] as const;
type Step = {
  readonly kind: (typeof kinds)[number] | (typeof ends)[number];
  readonly amount: number;
  readonly index: number;
};
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds, ...kinds, ...ends),
  amount: fc.integer({ min: 1, max: 40 }),
  index: fc.nat({ max: 5 }),
});

const lineOf = (number: number, amount: number): Line => {
  const line = createLine(number, amount);
  return { ...line, ticketId: `tic_${number}`, replacements: [] };
};
const sold: Order = {
  ...{ ...createOpenOrder(), state: 'confirmed', confirmedAt: NOW, heldPlaces: 0, expiresAt: null, deadline: null },
  lines: [lineOf(1, 20), lineOf(2, 10)],
};
/** Refused is as if it had not been asked for. */
const take = (order: Order, decision: ReturnType<typeof addPayment<Order>>): Order =>
  isRefused(decision) ? order : finish(decision.next);
/** Places are always there. */
const finish = (order: Order): Order => {
  const change = findPendingChange(order);
  if (change?.coveredAt == null) return order;
  const done = doChange(order, change.id, { soldPlaceIds: listStock(change.newLines) }, NOW);
  assert.ok(!isRefused(done), 'a change that is paid for cannot be done');
  return done.next;
};
const pay = (order: Order, amount: number, more: object = {}) =>
  take(order, addPayment(order, { ...buildPayment(`pay_${order.payments.length}`, amount), ...more }, NOW));

const payBack = (order: Order, amount: number): Order =>
  take(order, refund(order, { id: `ref_${order.refunds.length}`, method: 'card', amount }, NOW));

/** What the answers tell: the pending change is paid by what is due of it beyond what was captured for it. */
const obey = (order: Order): Order => {
  const change = findPendingChange(order);
  if (!change) return order;
  const captured = order.payments.filter(({ changeId }) => changeId === change.id);
  const { due } = toChangeView(order, change);
  const { newLines: lines, fees } = change;
  const raised = computeFigures(
    order,
    [...change.returns, ...change.exchanges].map(({ lineId }) => lineId),
    { lines, fees },
  );
  const left = due - captured.reduce((sum, payment) => sum + computeLeft(order, payment), 0);
  // With nothing left to pay its due work does it.
  const next = left > 0 ? pay(order, left, { changeId: change.id }) : finish(markCovered(order, change.id, NOW));
  const done = next.changes?.find(({ id }) => id === change.id);
  assert.equal(done?.state, 'done', 'a change that is paid as its due says is not done');
  assert.equal(done.due, raised.due, 'its due is not what it raised');
  return next;
};

/** The line is returned, or exchanged for one of another price. */
const begin = (order: Order, { amount, index }: Step): Order => {
  const line = order.lines[index % Math.max(1, order.lines.length)];
  if (!line || order.state !== 'confirmed' || findPendingChange(order)) return order;
  const id = `chg_${order.changes?.length ?? 0}`;
  const wanted = lineOf(10 + (order.changes?.length ?? 0), index === 0 ? amount : line.amount + amount);
  const newLines = index === 1 ? [] : [{ ...wanted, replaces: line.id }];
  const figures = computeFigures(order, [line.id], { lines: newLines, fees: [] });
  const leaves = { lineId: line.id, reason: null, fee: 0 };
  const change: Change = {
    ...{ ...createChange(id), ...figures, newLines, coveredAt: figures.due === 0 ? NOW : null },
    returns: newLines.length > 0 ? [] : [leaves],
    exchanges: newLines.map((one) => ({ lineId: line.id, newLineId: one.id, fee: 0 })),
  };
  return take(order, beginChange(order, { change }, NOW));
};

const apply = (order: Order, one: Step): Order => {
  const { kind, amount, index } = one;
  const change = order.changes?.at(-1);
  const own = change && Math.min(amount, computePayable(order, change));
  const pending = order.payments.find(({ status }) => status === 'pending');
  switch (kind) {
    case 'pay':
      return pay(order, Math.min(amount, computeDue(order)));
    case 'overpay':
      return pay(order, amount, { overpaid: true });
    case 'refund':
      return payBack(order, index > 2 ? computeCredit(order) : amount);
    case 'obey':
      return obey(order);
    case 'begin':
      return begin(order, one);
    case 'payChange':
      return change && own
        ? pay(order, index > 3 ? computePayable(order, change) : own, { changeId: change.id })
        : order;
    case 'await':
      return change && own ? pay(order, own, { changeId: change.id, status: 'pending' }) : order;
    case 'settle': {
      const status = index === 0 ? 'failed' : 'captured';
      return pending ? take(order, settlePayment(order, { paymentId: pending.id, status }, NOW)) : order;
    }
    case 'lapse':
    case 'withdraw':
      return lapseChange(order, kind === 'lapse' ? {} : { withdrawn: true }, NOW);
    case 'cancel':
      return index > 0 ? order : take(order, cancel(order, { reason: null, override: false, controlled: 0 }, NOW));
  }
};

const check = (order: Order): void => {
  const [credit, due] = [computeCredit(order), computeDue(order)];
  // What is due of a cancelled order nobody pays.
  assert.ok(order.state === 'cancelled' || credit === 0 || due === 0, 'credit, and something is due');
  assert.equal(computePaymentStatus(order) === 'paid', due === 0, 'the payment status does not go by what is due');
  const free = computeNet(order) - computeEarmarked(order);
  if (order.state === 'confirmed') assert.equal(credit - due, free - computeOwed(order));
};

test('over random histories of payments, refunds, changes and late captures credit and due are never both positive, and both are 0 once everybody did what the answers told him', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.boolean(), fc.boolean(), fc.array(step, { maxLength: 30 }), (isPaid, isObeyed, history) => {
      const before = history.reduce(
        (order, one) => {
          const next = apply(order, one);
          check(next);
          const late = next.changes?.find(
            ({ id, state }) =>
              state === 'done' && order.changes?.some((known) => known.id === id && known.state === 'lapsed'),
          );
          if (late) seen.add('a late capture does a change');
          if (computeEarmarked(next) > 0) seen.add('a change is paid in part');
          if (next.changes?.some(({ state, due }) => state === 'done' && due > 0)) seen.add('a change is paid');
          return next;
        },
        isPaid ? pay(sold, 30) : sold,
      );
      const ended = isObeyed ? obey(before) : lapseChange(before, {}, NOW);
      const [due, credit] = [computeDue(ended), computeCredit(ended)];
      const paid = due > 0 && ended.state === 'confirmed' ? pay(ended, due) : ended;
      const atRest = credit > 0 ? payBack(paid, credit) : paid;
      check(atRest);
      assert.equal(computeCredit(atRest), 0);
      if (atRest.state === 'confirmed') assert.equal(computeDue(atRest), 0);
    }),
    selectHistories({ numRuns: 1_000 }),
  );
  expect([...seen].sort()).toEqual(['a change is paid', 'a change is paid in part', 'a late capture does a change']);
}, 120_000);
