import { describe, expect, test } from '@jest/globals';
import type { ChangeView } from '../src/client/api.ts';
import { checkChangeEvents } from '../src/invariants/events.ts';
import { checkRound } from '../src/invariants/orders.ts';
import { createCheck, type Invariant } from '../src/invariants/verdict.ts';
import { checkMessages } from '../src/round/round.ts';
import { createConsistentEvidence, type Spoilable, toEvidence } from './consistent.ts';

const violated = (spoil: (round: Spoilable) => void): Invariant[] => {
  const round = createConsistentEvidence();
  spoil(round);
  const check = createCheck();
  checkRound(toEvidence(round), check);
  return [...new Set(check.verdict.violations.map(({ invariant }) => invariant))];
};

/** The element with that id. */
const of = <T extends { readonly id: string }>(all: readonly T[], id: string): T => {
  const found = all.find((one) => one.id === id);
  if (!found) throw new Error(`no ${id}`);
  return found;
};

test('the checks of a correct round find nothing', () => {
  const check = createCheck();
  checkRound(toEvidence(createConsistentEvidence()), check);
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
  expect(found.includes('checkouts')).toBe(isWrong);
});

/** The response with which the first visitor bought. */
const bought = (checkouts: Spoilable['checkouts']) => {
  const found = checkouts[0]?.answers[1];
  if (!found) throw new Error('nothing bought');
  return found;
};

/** The index of the first event of a type. */
const at = ({ events }: Spoilable, type: string): number => events.findIndex((event) => event.type === type);

/** What breaks a round, by the invariant that it violates. */
const spoilt: Partial<Record<Invariant, Record<string, (round: Spoilable) => void>>> = {
  events: {
    'a change with two events': (round) =>
      Object.assign(round.events[at(round, 'order.created')] ?? {}, { type: 'order.confirmed' }),
    'a change without an event': (round) => {
      const index = at(round, 'order.confirmed');
      const [gone] = round.events.splice(index, 1);
      round.delivered.splice(round.delivered.indexOf(gone?.id ?? ''), 1);
    },
    'a last event of another state': (round) =>
      Object.assign(round.events[at(round, 'order.settled')] ?? {}, { data: { state: 'confirmed' } }),
    'an event that no delivery brought': ({ delivered }) => void delivered.splice(2, 1),
    'deliveries in another order': ({ delivered }) => void delivered.unshift(...delivered.splice(1, 1)),
  },
  acknowledged: {
    'a removed line that is still there': ({ orders }) =>
      Object.assign(of(orders, 'ord_held').lines[0] ?? {}, { id: 'lin_removed' }),
    'a named contact that is lost': ({ orders }) => Object.assign(of(orders, 'ord_held'), { contactNumber: null }),
    'a replacement that is lost': ({ tickets }) => Object.assign(of(tickets, 'tic_lost'), { status: 'printed' }),
    'an acknowledged order that is gone': ({ orders }) => void orders.splice(1, 1),
    'an acknowledged confirmation that is lost': (round) => {
      Object.assign(of(round.orders, 'ord_sold'), { state: 'open' });
      round.entries.push({ ...(round.entries[5] as Spoilable['entries'][0]), subject: 'ord_sold' });
    },
    'an acknowledged cancellation that is lost': ({ orders }) =>
      Object.assign(of(orders, 'ord_back'), { state: 'confirmed', cancellation: null }),
    'an acknowledged payment that is lost': ({ orders }) => Object.assign(of(orders, 'ord_sold'), { paid: 0 }),
    'a payment taken twice': ({ orders }) => Object.assign(of(orders, 'ord_sold'), { paid: 400 }),
    'a cancellation that nobody asked for': ({ entries }) => {
      for (const one of entries) if (one.action === 'cancel') Object.assign(one, { outcome: 'refused', status: 412 });
    },
    'an acknowledged control that is lost': ({ tickets }) =>
      Object.assign(of(tickets, 'tic_p5'), { controlledAt: null }),
    'an acknowledged print that is lost': ({ tickets }) =>
      Object.assign(of(tickets, 'tic_p1'), { status: 'not_printed' }),
    'an order that is paid in full and stays open': ({ orders }) =>
      Object.assign(of(orders, 'ord_held'), { paid: 100 }),
    'two requests that both cancelled an order': ({ entries }) =>
      void entries.push({ ...(entries[6] as Spoilable['entries'][0]), key: 'another' }),
  },
  keys: {
    'a key with two results': ({ entries }) => Object.assign(entries[4] ?? {}, { repeated: 'first 200, then 412' }),
    'a key that made two orders': ({ orders }) =>
      void orders.push({ ...of(orders, 'ord_back'), id: 'ord_twin', lines: [], cancellation: null, state: 'expired' }),
    'a key that is refused for what it did itself': ({ entries }) =>
      Object.assign(entries[6] ?? {}, { outcome: 'refused', status: 412, unknownTries: 1 }),
    'a request that is in progress to the end': ({ entries }) =>
      Object.assign(entries[0] ?? {}, { code: 'idempotency_in_progress' }),
  },
  checkouts: {
    'an order that was called cancelled and is confirmed': (round) => {
      Object.assign(of(round.orders, 'ord_lost'), { state: 'confirmed', confirmedAt: instant, cancellation: null });
    },
    'an order that was called cancelled a moment too early': ({ checkouts }) =>
      void checkouts[1]?.sightings.unshift('open'),
    'an order that was called cancelled and then bought': ({ checkouts }) =>
      void checkouts[1]?.answers.push({ ...bought(checkouts), orderId: 'ord_lost' }),
    'a purchase that was acknowledged and is cancelled': (round) => {
      const cancelled = { ...of(round.orders, 'ord_back').cancellation };
      Object.assign(of(round.orders, 'ord_shop'), { state: 'cancelled', cancellation: cancelled });
      of(round.tickets, 'tic_p7').status = 'cancelled';
    },
    'a key that bought twice': ({ checkouts }) =>
      void checkouts[0]?.answers.push({ ...bought(checkouts), orderId: 'ord_again' }),
    'a purchase whose key is refused': ({ checkouts }) =>
      Object.assign(bought(checkouts), { status: 400, code: 'cart_empty', orderId: null, state: null }),
    'a purchase without a request': ({ checkouts }) => void checkouts.shift(),
    'a 500 that does not say whether the order is cancelled': ({ checkouts }) =>
      Object.assign(checkouts[0]?.answers[0] ?? {}, { orderCancelled: null }),
    'a 500 that is another status': ({ checkouts }) => Object.assign(checkouts[0]?.answers[0] ?? {}, { status: 502 }),
    'a 500 that logs out and does not say so': ({ checkouts }) =>
      Object.assign(checkouts[0] ?? {}, { inSession: false }),
  },
};

describe.each(Object.entries(spoilt))('the checks of a round find: %s', (invariant, violations) => {
  test.each(Object.entries(violations))('%s', (_, spoil) => {
    expect(violated(spoil)).toContain(invariant);
  });
});

describe('the checks of the events of a change find', () => {
  const [pending, lapsed, done, settled] = [
    ...['change_pending', 'change_lapsed', 'lines_changed', 'change_settled'].map((name) => `order.${name}`),
  ] as [string, string, string, string];
  const isWrong = (state: ChangeView['state'], types: readonly string[], settledAt: string | null = null) => {
    const settlement = { ticketsCancelled: 1, controlled: 0, settledAt };
    const figures = { due: 0, credit: 0, expiresAt: null };
    const change: ChangeView = { id: 'chg_1', state, reason: null, returns: [], exchanges: [], ...figures, settlement };
    const events = types.map((type, index) => {
      const data = { changeId: index === 5 ? 'chg_2' : 'chg_1' };
      return { id: `evt_${index}`, type, resource: { id: 'ord_1', version: index }, data };
    });
    const check = createCheck();
    checkChangeEvents([change], events, check);
    return check.verdict.violations.length > 0;
  };

  test.each<[string, ChangeView['state'], readonly string[], string | null]>([
    ['one that is done and said to be so twice', 'done', [done, done], null],
    ['one that is done and not said to be so', 'done', [pending], null],
    ['one that was settled before it was done', 'done', [settled, done], instant],
    ['one whose settlement is not said', 'done', [done], instant],
    ['one whose settlement is said too early', 'done', [done, settled], null],
    ['one that lapsed in silence', 'lapsed', [pending], null],
    ['one that is done and pending afterwards', 'done', [done, pending], null],
    ['one that is pending, and was done', 'pending', [done], null],
  ])('%s', (_, state, types, settledAt) => expect(isWrong(state, types, settledAt)).toBe(true));

  test('nothing in what may happen', () => {
    expect(isWrong('pending', [pending])).toBe(false);
    expect(isWrong('lapsed', [pending, lapsed])).toBe(false);
    expect(isWrong('done', [pending, 'payment.recorded', lapsed, done, settled], instant)).toBe(false);
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
  type Facts = { pending: (typeof message)[]; deadLetters: (typeof letter)[]; planted: string[] };
  const wrong = ({ pending = [], deadLetters = [], planted = [] }: Partial<Facts>): Invariant[] => {
    const check = createCheck();
    checkMessages(pending, deadLetters, planted, check);
    return check.verdict.violations.map(({ invariant }) => invariant);
  };

  test('nothing when the injected poison is a dead letter', () => {
    expect(wrong({ deadLetters: [letter], planted: ['q ord_p'] })).toEqual([]);
  });
  test('nothing when injected bytes that are no message are a dead letter, known by their id', () => {
    const bytes = { ...letter, message: { ...message, type: 'unreadable', id: 'e-bytes', key: '' } };
    expect(wrong({ deadLetters: [bytes], planted: ['q e-bytes'] })).toEqual([]);
    expect(wrong({ deadLetters: [bytes], planted: ['q e-others'] })).toEqual(['messages', 'messages']);
  });
  test('an outbox that does not drain', () => expect(wrong({ pending: [message] })).toEqual(['messages']));
  test('a dead letter that was not injected', () => expect(wrong({ deadLetters: [letter] })).toEqual(['messages']));
  test('injected poison that is not a dead letter', () =>
    expect(wrong({ planted: ['q ord_p'] })).toEqual(['messages']));
});
