import { describe, expect, test } from '@jest/globals';
import { checkFacts, type Facts } from '../src/invariants/facts.ts';
import { checkRound } from '../src/invariants/index.ts';
import { createCheck, type Invariant } from '../src/invariants/verdict.ts';
import { consistent, evidenceOf, type Spoilable } from './consistent.ts';

const violated = (spoil: (round: Spoilable) => void): Invariant[] => {
  const round = consistent();
  spoil(round);
  const check = createCheck();
  checkRound(evidenceOf(round), check);
  return [...new Set(check.verdict.violations.map(({ invariant }) => invariant))];
};

/** The element with that id. */
const of = <T extends { readonly id: string }>(all: readonly T[], id: string): T => {
  const found = all.find((one) => one.id === id);
  if (!found) throw new Error(`no ${id}`);
  return found;
};
const cancellation = (round: Spoilable, id: string, members: object) => {
  const order = of(round.orders, id);
  Object.assign(order, { cancellation: { ...order.cancellation, ...members } });
};

test('the checks of a correct round find nothing', () => {
  const check = createCheck();
  checkRound(evidenceOf(consistent()), check);
  expect(check.verdict.violations).toEqual([]);
  expect(check.verdict.checked).toBeGreaterThan(60);
});

const instant = '2027-01-01T00:00:00.000Z';

test.each([
  ['a refusal after an attempt without an answer, of an order that was cancelled meanwhile', null, false],
  ['a refusal after a refusal, of an order that was bought and cancelled meanwhile', 400, true],
] as const)('%s', (_what, first, isWrong) => {
  const found = violated(({ orders, checkouts }) => {
    Object.assign(of(orders, 'ord_lost'), { confirmedAt: instant });
    Object.assign(checkouts[1]?.answers[0] ?? {}, { status: first, orderCancelled: null, userLoggedOut: null });
  });
  expect(found.includes('I7')).toBe(isWrong);
});

test.each([
  ['too long', 14_000, [], true],
  ['again after the process that had taken it over was killed, too', 20_000, [10_000], false],
  ['too long after that kill', 25_000, [10_000], true],
  ['too long before that kill', 20_000, [14_000], true],
] as const)('a request that is in progress %s', (_what, busyMs, killed, isWrong) => {
  const round = consistent();
  Object.assign(round.entries[0] ?? {}, { busyMs, busyFrom: 5_000 });
  const endings = { orders: killed.map((after) => 5_000 + after), tickets: [] };
  const check = createCheck();
  checkRound({ ...evidenceOf(round), endings }, check);
  expect(check.verdict.violations.map(({ invariant }) => invariant)).toEqual(isWrong ? ['I6'] : []);
});

/** A place that is held without a line; the holder is an order that was never written, or one of those observed. */
const leaveHeld = ({ places, stock, holds }: Spoilable, placeId: string, holder: string, minutes = 10): void => {
  of(places, placeId).state = 'held';
  const [counts] = stock;
  if (counts) Object.assign(counts, { free: counts.free - 1, held: counts.held + 1 });
  holds.push({ placeId, holder, until: Date.now() + minutes * 60_000 });
};
/** The first request of this kind had no answer at first. */
const interrupt = ({ entries }: Spoilable, action: string, subject: string | null): void => {
  const found = entries.find((one) => one.action === action && one.subject === subject);
  if (!found) throw new Error(`no ${action}`);
  found.unknownTries = 1;
};
/** A sale whose process died before it confirmed the order. */
const sellUnconfirmed = ({ places, stock }: Spoilable): void => {
  of(places, 'p3').state = 'sold';
  const [counts] = stock;
  if (counts) Object.assign(counts, { held: counts.held - 1, sold: counts.sold + 1 });
};

test.each<[string, boolean, (round: Spoilable) => void]>([
  [
    'a creation left without an answer may leave its hold',
    false,
    (round) => {
      interrupt(round, 'create', null);
      leaveHeld(round, 'p4', 'ord_never');
    },
  ],
  ['an answered one may not', true, (round) => leaveHeld(round, 'p4', 'ord_never')],
  [
    'one creation leaves one hold',
    true,
    (round) => {
      interrupt(round, 'create', null);
      leaveHeld(round, 'p4', 'ord_never');
      leaveHeld(round, 'p6', 'ord_neither');
    },
  ],
  [
    'it leaves it until its end, and not longer',
    true,
    (round) => {
      interrupt(round, 'create', null);
      leaveHeld(round, 'p4', 'ord_never', 20);
    },
  ],
  [
    'a change of lines left without an answer may leave its hold',
    false,
    (round) => {
      interrupt(round, 'remove', 'ord_held');
      leaveHeld(round, 'p4', 'ord_held');
    },
  ],
  ['an answered one leaves nothing', true, (round) => leaveHeld(round, 'p4', 'ord_held')],
  [
    'the place of a line of an ended order is held no longer',
    true,
    (round) => {
      interrupt(round, 'create', null);
      leaveHeld(round, 'p4', 'ord_back');
    },
  ],
  [
    'a confirmation left without an answer may leave its sale',
    false,
    (round) => {
      round.entries.push({ ...(round.entries[5] as Spoilable['entries'][0]), subject: 'ord_held', outcome: 'unknown' });
      sellUnconfirmed(round);
    },
  ],
  ['an open order without one has no sold place', true, sellUnconfirmed],
])('of dead processes: %s', (_what, isWrong, spoil) => {
  expect(violated(spoil)).toEqual(isWrong ? ['I1'] : []);
});

/** The response with which the first visitor bought. */
const bought = (checkouts: Spoilable['checkouts']) => {
  const found = checkouts[0]?.answers[1];
  if (!found) throw new Error('nothing bought');
  return found;
};

/** The index of the first event of a type. */
const at = ({ events }: Spoilable, type: string): number => events.findIndex((event) => event.type === type);

const spoilt: readonly [Invariant, string, (round: Spoilable) => void][] = [
  [
    'I11',
    'a gap in the events',
    ({ events }) => {
      for (const event of events.slice(3)) event.sequence += 1;
    },
  ],
  [
    'I11',
    'a change with two events',
    (round) => Object.assign(round.events[at(round, 'order.created')] ?? {}, { type: 'order.confirmed' }),
  ],
  [
    'I11',
    'a last event of another state',
    (round) => Object.assign(round.events[at(round, 'order.settled')] ?? {}, { data: { state: 'confirmed' } }),
  ],
  [
    'I11',
    'an older version after a newer one',
    (round) => Object.assign(round.events[at(round, 'ticket.controlled')]?.resource ?? {}, { version: 1 }),
  ],
  ['I11', 'an event that no delivery brought', ({ delivered }) => void delivered.splice(2, 1)],
  ['I11', 'deliveries in another order', ({ delivered }) => void delivered.unshift(...delivered.splice(1, 1))],
  ['I1', 'counts that do not add up', ({ stock }) => Object.assign(stock[0] ?? {}, { free: 4 })],
  [
    'I1',
    'a place sold twice',
    ({ orders }) => {
      const [first] = of(orders, 'ord_sold').lines;
      if (first) of(orders, 'ord_held').lines.push({ ...first, id: 'lin_again' });
    },
  ],
  ['I1', 'a held place without an order', ({ orders }) => Object.assign(of(orders, 'ord_held'), { state: 'expired' })],
  [
    'I1',
    'a sold place that is free',
    ({ places, stock }) => {
      of(places, 'p1').state = 'free';
      Object.assign(stock[0] ?? {}, { sold: 3, free: 4 });
    },
  ],
  [
    'I1',
    'a place that does not exist',
    ({ places, stock }) => {
      places.splice(0, 1);
      Object.assign(stock[0] ?? {}, { sold: 3, capacity: 7 });
    },
  ],
  [
    'I2',
    'a removed line that is still there',
    ({ orders }) => Object.assign(of(orders, 'ord_held').lines[0] ?? {}, { id: 'lin_removed' }),
  ],
  [
    'I2',
    'a named contact that is lost',
    ({ orders }) => Object.assign(of(orders, 'ord_held'), { contactNumber: null }),
  ],
  ['I2', 'a replacement that is lost', ({ tickets }) => Object.assign(of(tickets, 'tic_p2'), { replaces: null })],
  ['I2', 'an acknowledged order that is gone', ({ orders }) => void orders.splice(1, 1)],
  [
    'I2',
    'an acknowledged confirmation that is lost',
    (round) => {
      Object.assign(of(round.orders, 'ord_sold'), { state: 'open' });
      round.entries.push({ ...(round.entries[5] as Spoilable['entries'][0]), subject: 'ord_sold' });
    },
  ],
  [
    'I2',
    'an acknowledged cancellation that is lost',
    ({ orders }) => Object.assign(of(orders, 'ord_back'), { state: 'confirmed', cancellation: null }),
  ],
  ['I2', 'an acknowledged payment that is lost', ({ orders }) => Object.assign(of(orders, 'ord_sold'), { paid: 0 })],
  ['I2', 'a payment taken twice', ({ orders }) => Object.assign(of(orders, 'ord_sold'), { paid: 400 })],
  [
    'I2',
    'a cancellation that nobody asked for',
    ({ entries }) => {
      for (const one of entries) if (one.action === 'cancel') Object.assign(one, { outcome: 'refused', status: 412 });
    },
  ],
  [
    'I2',
    'an acknowledged control that is lost',
    ({ tickets }) => Object.assign(of(tickets, 'tic_p5'), { controlledAt: null }),
  ],
  [
    'I2',
    'an acknowledged print that is lost',
    ({ tickets }) => Object.assign(of(tickets, 'tic_p1'), { status: 'not_printed' }),
  ],
  [
    'I2',
    'an order that is paid in full and stays open',
    ({ orders }) => Object.assign(of(orders, 'ord_held'), { paid: 100 }),
  ],
  ['I3', 'a cancellation that never settles', (round) => cancellation(round, 'ord_back', { settledAt: null })],
  ['I3', 'places released twice', (round) => cancellation(round, 'ord_back', { placesReleased: 2 })],
  ['I3', 'a ticket counted twice', (round) => cancellation(round, 'ord_kept', { ticketsCancelled: 2 })],
  ['I3', 'a controlled ticket that is not counted', (round) => cancellation(round, 'ord_kept', { controlled: 0 })],
  [
    'I3',
    'two requests that both cancelled an order',
    ({ entries }) => void entries.push({ ...(entries[6] as Spoilable['entries'][0]), key: 'another' }),
  ],
  ['I4', 'a confirmed order without a ticket', ({ tickets }) => void tickets.splice(0, 1)],
  [
    'I4',
    'two live tickets of one line',
    ({ tickets }) => void tickets.push({ ...of(tickets, 'tic_p2'), id: 'tic_ghost' }),
  ],
  [
    'I4',
    'a ticket of nobody’s order',
    ({ tickets }) => void tickets.push({ ...of(tickets, 'tic_p4'), orderId: 'ord_ghost' }),
  ],
  [
    'I4',
    'a live ticket of a cancelled order',
    ({ tickets }) => Object.assign(of(tickets, 'tic_p4'), { status: 'printed' }),
  ],
  [
    'I6',
    'a key with two results',
    ({ entries }) => Object.assign(entries[4] ?? {}, { repeated: 'first 200, then 412' }),
  ],
  [
    'I6',
    'a key that made two orders',
    ({ orders }) =>
      void orders.push({ ...of(orders, 'ord_back'), id: 'ord_twin', lines: [], cancellation: null, state: 'expired' }),
  ],
  [
    'I6',
    'a key that is refused for what it did itself',
    ({ entries }) => Object.assign(entries[6] ?? {}, { outcome: 'refused', status: 412, unknownTries: 1 }),
  ],
  [
    'I7',
    'an order that was called cancelled and is confirmed',
    (round) => {
      Object.assign(of(round.orders, 'ord_lost'), { state: 'confirmed', confirmedAt: instant, cancellation: null });
    },
  ],
  [
    'I7',
    'a live ticket of an order that was called cancelled',
    ({ tickets }) =>
      void tickets.push({ ...of(tickets, 'tic_p7'), id: 'tic_p8', orderId: 'ord_lost', lineId: 'lin_p8' }),
  ],
  [
    'I7',
    'an order that was called cancelled a moment too early',
    ({ checkouts }) => void checkouts[1]?.sightings.unshift('open'),
  ],
  [
    'I7',
    'an order that was called cancelled and then bought',
    ({ checkouts }) => void checkouts[1]?.answers.push({ ...bought(checkouts), orderId: 'ord_lost' }),
  ],
  [
    'I7',
    'a purchase that was acknowledged and is cancelled',
    (round) => {
      const cancelled = { ...of(round.orders, 'ord_back').cancellation };
      Object.assign(of(round.orders, 'ord_shop'), { state: 'cancelled', cancellation: cancelled });
      of(round.tickets, 'tic_p7').status = 'cancelled';
    },
  ],
  [
    'I7',
    'a purchase that was acknowledged and has no ticket',
    ({ tickets }) => void tickets.splice(tickets.indexOf(of(tickets, 'tic_p7')), 1),
  ],
  [
    'I7',
    'a key that bought twice',
    ({ checkouts }) => void checkouts[0]?.answers.push({ ...bought(checkouts), orderId: 'ord_again' }),
  ],
  [
    'I7',
    'a purchase whose key is refused',
    ({ checkouts }) =>
      Object.assign(bought(checkouts), { status: 400, code: 'cart_empty', orderId: null, state: null }),
  ],
  ['I7', 'a purchase without a request', ({ checkouts }) => void checkouts.shift()],
  [
    'I7',
    'a 500 that does not say whether the order is cancelled',
    ({ checkouts }) => Object.assign(checkouts[0]?.answers[0] ?? {}, { orderCancelled: null }),
  ],
  [
    'I7',
    'a 500 that is another status',
    ({ checkouts }) => Object.assign(checkouts[0]?.answers[0] ?? {}, { status: 502 }),
  ],
  [
    'I7',
    'a 500 that logs out and does not say so',
    ({ checkouts }) => Object.assign(checkouts[0] ?? {}, { inSession: false }),
  ],
];

describe('the checks of a round find', () => {
  test.each(spoilt)('%s: %s', (invariant, _, spoil) => {
    expect(violated(spoil)).toContain(invariant);
  });
});

describe('the checks of the facts find', () => {
  const message = {
    id: 'e',
    type: 'order.cancelled',
    key: 'ord_p',
    version: 1,
    institution: '',
    occurredAt: '',
    data: {},
  };
  const letter = { id: 'q:e', queue: 'q', reason: 'unreadable', message };
  const wrong = (facts: Partial<Facts>): Invariant[] => {
    const check = createCheck();
    checkFacts({ pending: [], deadLetters: [], planted: [], ...facts }, check);
    return check.verdict.violations.map(({ invariant }) => invariant);
  };

  test('nothing when the injected poison is a dead letter', () => {
    expect(wrong({ deadLetters: [letter], planted: ['q ord_p'] })).toEqual([]);
  });
  test('nothing when injected bytes that are no message are a dead letter, known by their id', () => {
    const bytes = { ...letter, message: { ...message, type: 'unreadable', id: 'e-bytes', key: '' } };
    expect(wrong({ deadLetters: [bytes], planted: ['q e-bytes'] })).toEqual([]);
    expect(wrong({ deadLetters: [bytes], planted: ['q e-others'] })).toEqual(['I5', 'I5']);
  });
  test('an outbox that does not drain', () => expect(wrong({ pending: [message] })).toEqual(['I4']));
  test('a dead letter that was not injected', () => expect(wrong({ deadLetters: [letter] })).toEqual(['I5']));
  test('injected poison that is not a dead letter', () => expect(wrong({ planted: ['q ord_p'] })).toEqual(['I5']));
});
