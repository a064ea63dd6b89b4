import assert from 'node:assert/strict';
import { selectHistories } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cancel, recordTicketsCancelled } from '../../src/domain/cancellation.ts';
import {
  confirm,
  confirmPaidOrder,
  giveUpSale,
  recordControl,
  recordReplacement,
} from '../../src/domain/confirmation.ts';
import { accept, isRefused } from '../../src/domain/decisions.ts';
import { removeLine } from '../../src/domain/lines.ts';
import { beginOneCallSale } from '../../src/domain/one-call.ts';
import { computeCredit, computePaymentStatus, isPaidInFull } from '../../src/domain/order/money.ts';
import type { Order } from '../../src/domain/order/order.ts';
import { expire, expireIfDue, isUnpaid } from '../../src/domain/order/state.ts';
import { settlePayment } from '../../src/domain/payments.ts';
import { listStock } from '../../src/domain/price.ts';
import { recordRefundReport } from '../../src/domain/provider-refunds.ts';
import { refund } from '../../src/domain/refunds.ts';
import { type History, histories, rareHistories } from './model/histories.ts';
import { play } from './model/play.ts';
import { type Rules, rules } from './model/rules.ts';
import { isUse } from './model/stock.ts';
import type { TicketsCancelled } from './model/tickets.ts';
import type { Doc, World } from './model/world.ts';

/**
 * Two faults in a row may leave places with the order, which the operator's check finds: a process that held places
 * again after the end of their hold, sold them, and died before it could release them, while another one had given the
 * sale up; or a sale that came upon a hold without a line, and could not release it.
 */
const surplusOf = ({ renewed, stranded, soldLate }: World, id: string, placeIds: readonly string[]): string[] =>
  renewed.has(id) && stranded.has(id) ? [] : placeIds.filter((placeId) => !soldLate.has(`${id} ${placeId}`));

const checkCancellation = ({ cancellation, lines, changes }: Order, outcome: TicketsCancelled | undefined): void => {
  if (!cancellation) return;
  const { ticketsCancelled, controlled, placesReleased, settledAt, hadTickets, override } = cancellation;
  assert.ok(settledAt !== null);
  assert.ok(!override || controlled === 0, 'a cancellation with override leaves a controlled ticket');
  assert.deepEqual([ticketsCancelled, controlled], [outcome?.ticketsCancelled ?? 0, outcome?.controlled ?? 0]);
  // Tickets of lines that left before may be inside, too.
  if (changes?.some(({ state }) => state === 'done')) return;
  if (hadTickets) assert.equal(lines.length, Number(ticketsCancelled) + Number(controlled));
  if (hadTickets) assert.equal(placesReleased, ticketsCancelled);
};

/** What holds for an order once nothing happens any more. */
const checkRest = (world: World, { id, order, due }: Doc): void => {
  const tickets = world.ticketsOf(id);
  const taken = world.stock.ownOf(id).filter(({ state, freeFrom }) => state === 'sold' || freeFrom > world.now());
  const ids = taken.map(({ place }) => place.id).sort();
  assert.equal(order.saleDue ?? null, null);
  assert.equal(order.removedPlaces ?? null, null);
  assert.equal(order.shorteningDue ?? null, null);
  assert.deepEqual([...due], [], 'work is due of an order that has come to rest');
  assert.deepEqual(tickets.open(), [], 'a ticket of a former line opens a door');
  if (order.state === 'confirmed') {
    const wanted = [...listStock(order.lines), ...tickets.keptPlaceIds()];
    const surplus = ids.filter((placeId) => !wanted.includes(placeId));
    assert.deepEqual(surplusOf(world, id, surplus), [], 'places of a confirmed order that are none of its lines');
    assert.equal(tickets.buyer(), order.contactNumber, 'the tickets have another buyer');
    const all = [...order.lines, ...(order.formerLines ?? [])];
    assert.deepEqual(tickets.lastIds().sort(), all.map(({ id: line, ticketId }) => [line, ticketId]).sort());
    if (!order.formerLines)
      assert.equal(order.ticketNotes.filter(({ controlled }) => controlled).length, tickets.controlled());
    return;
  }
  assert.ok(order.state === 'expired' || order.state === 'cancelled');
  checkCancellation(order, tickets.outcome());
  const kept = tickets.outcome()?.keptPlaceIds ?? [];
  assert.ok(
    kept.every((placeId) => ids.includes(placeId)),
    'the place of a controlled ticket is released',
  );
  const surplus = ids.filter((placeId) => !kept.includes(placeId));
  assert.deepEqual(surplusOf(world, id, surplus), [], 'places belong to an order that has ended');
};

/** Plays a history; throws where an invariant does not hold. */
const checkHistory = (played: Rules, history: History): void => {
  const world = play(played, history);
  for (const doc of world.docs.values()) checkRest(world, doc);
  for (const { holder, state } of world.stock.places)
    assert.ok(state !== 'sold' || world.docs.has(holder ?? ''), 'a place is sold without an order');
};

/** Played first. */
const examples = Object.values(rareHistories).map((history): [History] => [history]);

const invariants = (played: Rules) => fc.property(histories, (history) => checkHistory(played, history));

test('random histories of two orders, with crashes, pauses, late and repeated calls and facts, keep every invariant', () => {
  fc.assert(invariants(rules), { ...selectHistories({ numRuns: 800 }), examples });
});

test('random histories reach every state and every special case', () => {
  const seen = new Set<string>();
  for (const history of [...fc.sample(histories, { numRuns: 400, seed: 4 }), ...Object.values(rareHistories)])
    for (const { order } of play(rules, history).docs.values()) {
      seen.add(order.state);
      if (order.cancellation?.hadTickets) seen.add('tickets cancelled');
      if ((order.cancellation?.ticketsVersion ?? 0) > 1) seen.add('cancelled once more');
      for (const { state, settlement } of order.changes ?? [])
        seen.add(settlement.controlled ? 'a former line is inside' : `change ${state}`);
      if (order.cancellation?.controlled) seen.add('controlled tickets stay');
      if (order.state === 'confirmed' && isPaidInFull(order)) seen.add('sold');
      if (order.state === 'expired' && computePaymentStatus(order) === 'paid') seen.add('paid too late');
      if ((order.goodwill ?? 0) > 0) seen.add('goodwill');
      if (order.state === 'confirmed' && computeCredit(order) > 0) seen.add('overpaid');
      if (order.refunds.some(({ status }) => status === 'failed')) seen.add('a refund failed');
      if (order.lines.some(({ replacements }) => replacements.length > 1)) seen.add('replaced twice');
      const discounts = order.lines.flatMap(({ price }) => price?.grant?.terms.id ?? []);
      for (const id of order.state === 'open' ? [] : discounts) seen.add(`${id} ${order.state}`);
      if (discounts.length > 0 && discounts.length < order.lines.length) seen.add('a discount of some lines');
      if (order.state === 'expired' && discounts.length > 0 && isPaidInFull(order)) seen.add('uses gone');
    }
  const special = [
    ...[
      'tickets cancelled',
      'cancelled once more',
      'controlled tickets stay',
      'sold',
      'paid too late',
      'replaced twice',
    ],
    ...['change done', 'change lapsed', 'a former line is inside'],
    ...['goodwill', 'overpaid', 'a refund failed', 'a discount of some lines', 'uses gone'],
    ...['dsc_code', 'dsc_group'].flatMap((id) =>
      ['cancelled', 'confirmed', 'expired'].map((state) => `${id} ${state}`),
    ),
  ];
  expect([...seen].sort()).toEqual(['cancelled', 'confirmed', 'expired', ...special].sort());
});

const planted: Readonly<Record<string, Partial<Rules>>> = {
  'a sale of places that another order has': { isSellable: ({ state }) => state !== 'free' },
  'a confirmation of an order in any state': {
    confirmPaid: (order, sale, now) => (order.state === 'confirmed' ? accept(order) : confirm(order, sale, now)),
  },
  'an order of one call that is seen before its sale': {
    beginOneCallSale: (order, sale, now) => {
      const decision = beginOneCallSale(order, sale, now);
      if (isRefused(decision)) return decision;
      return accept({ ...decision.next, unseen: null, heldPlaces: order.lines.length, listedAt: now, modifiedAt: now });
    },
  },
  'an order of one call that is cancelled before its sale': {
    cancel: (order, how, now) => cancel({ ...order, unseen: null }, how, now),
  },
  'an order of one call that stays hidden when its places are gone': {
    giveUpSale: (order, due, now) => giveUpSale({ ...order, unseen: null }, due, now),
  },
  'an order of one call that is confirmed although it stays hidden': {
    confirmPaid: (order, sale, now) => {
      const decision = confirmPaidOrder(order, sale, now);
      return isRefused(decision) || !order.unseen
        ? decision
        : { ...decision, next: { ...decision.next, listedAt: null } };
    },
  },
  'a write that does not see what was written since the order was read': { current: (_stored, read) => read },
  'a release of what the order has taken again since': { isReleasable: () => true },
  'a shortened hold that ends an extension since': { isShortenable: () => true },
  'a release of a refused request that takes what another one has': { isOfRequest: () => true },
  'a use of a discount that is claimed at the checkout, not with the places': { useUntil: () => 0 },
  'a use of a discount that is lost by an expiry': {
    useUntil: () => Number.MAX_SAFE_INTEGER,
    isEnded: (place) => !isUse(place),
  },
  'a use of a discount that stays with a cancelled order': { isEnded: (place) => !isUse(place) },
  'a use of a discount that is given back twice': {
    isOwn: (place, order) => place.holder === order || isUse(place),
  },
  'a repeated request to which the uses that it has claimed are gone': { isFreeForItself: () => false },
  'a repeated request that pays again': { paymentId: (key, attempt) => `pay_${key}_${attempt}` },
  'a write after an effect that was for other lines or another hold': { fits: () => true },
  'a late sale that releases the places of controlled tickets': {
    keptBySale: ({ state, lines }) => (state === 'confirmed' ? lines.map(({ place }) => place.id) : []),
  },
  'a sale that keeps what the order has no line for': { releasesSurplus: false },
  'a confirmation after the sale was given up': {
    confirmPaid: (order, sale, now) =>
      order.state === 'expired' ? confirm(order, sale, now) : confirmPaidOrder(order, sale, now),
  },
  'an expiry that ignores the payment': { expire: (order, now) => expireIfDue(order, now) },
  'a failed sale whose payment is lost': {
    giveUpSale: (order, due, now) => giveUpSale({ ...order, payments: order.payments.slice(0, -1) }, due, now),
  },
  'a confirmation although places are gone': {
    giveUpSale: (order, due, now) =>
      confirmPaidOrder(order, { soldPlaceIds: order.lines.map(({ place }) => place.id), due }, now),
  },
  'a removed line that leaves a paid order unsold': {
    removeLine: (order, which, now) => {
      const decision = removeLine(order, which, now);
      return isRefused(decision) ? decision : { ...decision, next: { ...decision.next, saleDue: null } };
    },
  },
  'a capture after the cancellation that is not recorded': {
    settlePayment: (order, report, now) => {
      const decision = settlePayment(order, report, now);
      return isRefused(decision) || !decision.answer ? decision : { ...decision, next: order };
    },
  },
  'an order that waits for a payment although none is pending': {
    settlePayment: (order, report, now) => {
      const decision = settlePayment(order, report, now);
      if (isRefused(decision) || report.status !== 'captured' || decision.next.state === order.state) return decision;
      const { state, cameFrom, deadline } = order;
      return { ...decision, next: { ...decision.next, state, cameFrom, deadline } };
    },
  },
  'a cancellation that is settled by its tickets alone': {
    recordTicketsCancelled: (order, fact, now) => {
      const { next, facts } = recordTicketsCancelled(order, fact, now);
      const cancellation = next.cancellation && { ...next.cancellation, settledAt: now };
      return { next: { ...next, cancellation }, facts };
    },
  },
  'a refund of an order that is paid, and is due again': {
    refund: (order, input, now) => {
      const decision = refund(order, input, now);
      if (isRefused(decision) || decision.next === order) return decision;
      const { goodwill } = order;
      return { ...decision, next: { ...decision.next, ...(goodwill === undefined ? { goodwill: 0 } : { goodwill }) } };
    },
  },
  'a refund that fails and still counts as goodwill': {
    recordRefundReport: (order, report, now) => {
      const decision = recordRefundReport(order, report, now);
      if (isRefused(decision) || order.goodwill === undefined) return decision;
      return { ...decision, next: { ...decision.next, goodwill: order.goodwill } };
    },
  },
  'a refund that fails and leaves a paid order unsold': {
    recordRefundReport: (order, report, now) => {
      const decision = recordRefundReport(order, report, now);
      return isRefused(decision) || decision.next === order
        ? decision
        : { ...decision, next: { ...decision.next, saleDue: order.saleDue ?? null } };
    },
  },
  'an exchange that sells its new place before a write names it': { sellsBeforeWrite: true },
  'a change that releases all that its order has had': { releasesByHolder: true },
  'a returned ticket that is forgotten, and issued again': { forgetsTickets: true },
  'due work that is cleared before its effect': { endsBeforeEffect: true },
  'promised work that is given up after a failed attempt': { isLeft: (at, hasFailed) => (hasFailed ? null : at) },
  'a call that ends what a later change has made due': { endedIssue: (own, now) => now ?? own },
  'an expiry because it was due, although the order has been sold or has ended since': {
    expire: (order, now) =>
      isUnpaid(order) ? expire(order, now) : expireIfDue({ ...order, state: 'open', deadline: now }, now),
  },
  'controls that are recorded in order of arrival': {
    recordControl: (order, note) => recordControl(order, { ...note, version: Number.MAX_SAFE_INTEGER }),
  },
  'replacements that are recorded in sequence only': {
    recordReplacement: (order, fact, now) =>
      order.lines.some(({ ticketId }) => ticketId === fact.replaces)
        ? recordReplacement(order, fact, now)
        : { next: order, facts: [] },
  },
};

test.each(Object.keys(planted))('planted bug: %s is found', (name) => {
  const bug = { numRuns: 3_000, seed: 5, endOnFailure: true, examples };
  const { failed, counterexample } = fc.check(invariants({ ...rules, ...planted[name] }), bug);
  expect(failed).toBe(true);
  // By the bug alone: without it, the same history keeps every invariant.
  for (const history of counterexample ?? []) checkHistory(rules, history);
});
