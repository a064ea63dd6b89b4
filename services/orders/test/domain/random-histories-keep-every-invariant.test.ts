import assert from 'node:assert/strict';
import { historiesOf } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cancel } from '../../src/domain/cancellation.ts';
import { beginCheckout } from '../../src/domain/checkout.ts';
import { confirm, failConfirm } from '../../src/domain/confirmation.ts';
import { accept, isRefused, refuse } from '../../src/domain/order/decision.ts';
import { expiredUnsold } from '../../src/domain/order/expiry.ts';
import { paymentStatus } from '../../src/domain/order/money.ts';
import { addPayment, settlePayment } from '../../src/domain/payments.ts';
import { takeOver } from '../../src/domain/recovery.ts';
import { recordTicketsCancelled } from '../../src/domain/settlement.ts';
import { recordControl, recordReplacement } from '../../src/domain/tickets.ts';
import { type History, histories } from './model/events.ts';
import { play } from './model/history.ts';
import { type Rules, rules } from './model/rules.ts';
import type { Scenario } from './model/scenario.ts';

/** Invariants once every step has ended and every event is delivered. */
const checkRest = ({ order, stock, tickets, now, messages }: Scenario): void => {
  const current = order();
  const sold = stock.own().flatMap((place) => (place.sold ? [place.place.id] : []));
  assert.equal(messages.length, 0);
  assert.equal(current?.pendingStep ?? null, null);
  if (current?.state === 'confirmed') {
    assert.deepEqual(sold.sort(), current.lines.map(({ place }) => place.id).sort());
    assert.deepEqual(tickets.validIds().sort(), current.lines.map(({ id, ticketId }) => [id, ticketId]).sort());
    assert.equal(current.ticketNotes.filter(({ controlled }) => controlled).length, tickets.controlled());
  } else if (current?.cancellation) {
    const { ticketsCancelled, controlled, placesReleased, settledAt, hadTickets } = current.cancellation;
    assert.ok(settledAt !== null && settledAt <= now());
    const outcome = tickets.outcome() ?? { ticketsCancelled: 0, controlled: 0 };
    assert.deepEqual([ticketsCancelled, controlled], [outcome.ticketsCancelled, outcome.controlled]);
    assert.equal(sold.length, controlled);
    if (hadTickets) assert.equal(current.lines.length, outcome.ticketsCancelled + outcome.controlled);
    if (hadTickets) assert.equal(placesReleased, ticketsCancelled);
  } else assert.deepEqual(sold, []);
};

const invariants = (played: Rules) =>
  fc.property(histories, (history: History) => {
    checkRest(play(played, history));
  });

test('random histories of commands, crashes, pauses, duplicated and reordered events keep every invariant', () => {
  fc.assert(invariants(rules), historiesOf({ numRuns: 1_000 }));
});

test('random histories reach every state and every special case', () => {
  const seen = new Set<string>();
  for (const history of fc.sample(histories, { numRuns: 400, seed: 4 })) {
    const order = play(rules, history).order();
    seen.add(order ? order.state : 'deleted');
    if (order?.cancellation?.hadTickets) seen.add('tickets cancelled');
    if (order?.cancellation?.controlled) seen.add('controlled tickets stay');
    if (order?.state === 'confirmed' && order.payments.some(({ status }) => status === 'captured')) seen.add('sold');
    if (order?.state === 'expired' && paymentStatus(order) === 'paid') seen.add('paid too late');
    if (order?.lines.some(({ replacements }) => replacements.length > 1)) seen.add('replaced twice');
    const tries = order?.checkout && order.payments[0]?.status === 'failed' ? order.payments.length : 0;
    if (order?.state === 'confirmed' && tries > 1) seen.add('sold at a further attempt');
  }
  const visible = ['open', 'reserved', 'payment_pending', 'confirmed', 'expired', 'cancelled', 'deleted'];
  const special = ['tickets cancelled', 'controlled tickets stay', 'sold', 'paid too late', 'replaced twice'];
  special.push('sold at a further attempt');
  expect([...seen].sort()).toEqual([...visible, ...special].sort());
});

const broken: Readonly<Record<string, Partial<Rules>>> = {
  'an expiry that does not wait for the pending sale': { expire: (order, now) => expiredUnsold(order, now) },
  'a removed line that leaves the order unsold': {
    released: (order, { request }) =>
      order.pendingStep?.request === request ? accept({ ...order, pendingStep: null }) : refuse('step_lost'),
  },
  'a failed sale whose payment is lost': {
    failConfirm: (order, pending, now) =>
      failConfirm({ ...order, payments: order.payments.slice(0, -1) }, pending, now),
  },
  'a confirmation although places are gone': {
    failConfirm: (order, { request }, now) =>
      confirm(order, { request, soldPlaceIds: order.lines.map(({ place }) => place.id) }, now),
  },
  'a checkout of an order that may still be paid': {
    beginCheckout: (order, input, now) => beginCheckout({ ...order, listedAt: null }, input, now),
  },
  'a repeated request that pays twice': {
    addPayment: (order, input, now) =>
      addPayment(order, { ...input, id: `${input.id}-${now}-${order.payments.length}` }, now),
  },
  'a capture after the cancellation that is not recorded': {
    settlePayment: (order, settlement, now) => {
      const decision = settlePayment(order, settlement, now);
      return isRefused(decision) || !decision.answer ? decision : { ...decision, next: order };
    },
  },
  'an order that waits for a payment although none is pending': {
    settlePayment: (order, settlement, now) => {
      const decision = settlePayment(order, settlement, now);
      if (isRefused(decision) || settlement.status !== 'captured' || decision.next.state === order.state)
        return decision;
      const { state, cameFrom, deadline } = order;
      return { ...decision, next: { ...decision.next, state, cameFrom, deadline } };
    },
  },
  'a cancellation that does not wait for the pending sale': {
    cancel: (order, how, now) =>
      order.pendingStep?.step === 'confirm'
        ? cancel({ ...order, pendingStep: null }, how, now)
        : cancel(order, how, now),
  },
  'a cancellation that is settled by its tickets alone': {
    recordTicketsCancelled: (order, fact, now) => {
      const { next, facts } = recordTicketsCancelled(order, fact, now);
      const cancellation = next.cancellation && { ...next.cancellation, settledAt: now };
      return { next: { ...next, cancellation }, facts };
    },
  },
  'controls that are recorded in order of arrival': {
    recordControl: (order, { ticketId }) => recordControl(order, { ticketId, version: Number.MAX_SAFE_INTEGER }),
  },
  'replacements that are recorded in sequence only': {
    recordReplacement: (order, fact, now) =>
      order.lines.some(({ ticketId }) => ticketId === fact.replaces)
        ? recordReplacement(order, fact, now)
        : { next: order, facts: [] },
  },
  'an aborted step that its first process completes': {
    takeOver: (order, lease, now) => {
      const decision = takeOver(order, lease, now);
      return isRefused(decision) || !order.pendingStep
        ? decision
        : { ...decision, next: { ...order, pendingStep: { ...order.pendingStep, since: now } } };
    },
  },
};

test.each(Object.keys(broken))('negative control: %s is found', (name) => {
  const { failed } = fc.check(invariants({ ...rules, ...broken[name] }), {
    numRuns: 5_000,
    seed: 4,
    endOnFailure: true,
  });
  expect(failed).toBe(true);
});
