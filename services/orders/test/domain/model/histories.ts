import fc from 'fast-check';
import type { Uses } from './prices.ts';
import type { Fate } from './steps.ts';

const requests = [
  ...['lines', 'removal', 'extension', 'reservation', 'confirmation', 'captured', 'captured', 'pending', 'settlement'],
  ...['settlement', 'refund', 'report', 'details', 'codes', 'cancellation', 'checkout', 'checkout', 'work'],
  ...['change', 'withdrawal'],
] as const;

/** The requests that change places before they write. */
const stockFirst = [
  'change',
  'codes',
  'reservation',
  'extension',
  'pending',
  'lines',
  'removal',
  'confirmation',
  'checkout',
];
const others = [
  'again',
  'wait',
  'wait',
  'deadline',
  'step',
  'step',
  'step',
  'crash',
  'deliver',
  'deliver',
  'redeliver',
];

/**
 * One event of a history. `number` and `flag` choose (an amount, a payment, a message …). `steps` is how far a process
 * goes at once, `fates` what becomes of its calls.
 */
export interface Event {
  readonly kind: string;
  readonly order: string;
  readonly number: number;
  readonly flag: boolean;
  readonly steps: number;
  readonly fates: readonly Fate[];
  /** The key of the request, the same for a repeat, and which attempt it is. */
  readonly key: number;
  readonly attempt: number;
}

export type Planned = Omit<Event, 'key' | 'attempt'>;

export interface History {
  readonly prices: readonly number[];
  readonly uses?: Uses | undefined;
  /** How each order begins. */
  readonly orders: readonly {
    readonly kind: 'order' | 'cart' | 'sold';
    readonly places: number;
    readonly steps: number;
    readonly hasCode?: boolean;
  }[];
  readonly events: readonly Planned[];
}

/** Enough for any process to end. */
export const ALL = 99;

const fate = fc.constantFrom<Fate>('answered', 'answered', 'answered', 'answered', 'twice', 'unanswered', 'late');
const members = {
  order: fc.constantFrom('ord_1', 'ord_1', 'ord_2'),
  number: fc.nat({ max: 20 }),
  flag: fc.boolean(),
  steps: fc.constantFrom(ALL, ALL, 1, 2, 3, 4, 5),
  fates: fc.array(fate, { maxLength: 8 }),
};

const anything: fc.Arbitrary<Planned> = fc.record({
  ...members,
  kind: fc.constantFrom(...requests, ...others, 'late', 'late', 'door'),
});
const done = (kind: string, event: Planned): Planned => ({ ...event, kind, steps: ALL, fates: [] });

/** A request that stalls after some effects while another one of the same order happens. */
const interleaved: fc.Arbitrary<Planned[]> = fc
  .record({
    slow: fc.record({ ...members, kind: fc.constantFrom(...stockFirst) }),
    quick: fc.array(fc.record({ ...members, kind: fc.constantFrom(...requests, ...stockFirst) }), {
      minLength: 1,
      maxLength: 2,
    }),
    stop: fc.integer({ min: 1, max: 5 }),
    after: anything,
  })
  .map(({ slow, quick, stop, after }) => [
    { ...slow, order: 'ord_1', steps: stop, fates: [] },
    ...quick.map((event) => ({ ...event, order: 'ord_1' })),
    { ...done('step', slow), number: 0 },
    after,
  ]);

/** A sale that stalls, or whose calls get no answer, until the hold is over and others take the places. */
const staleSale: fc.Arbitrary<Planned[]> = fc
  .record({
    slow: fc.record({ ...members, kind: fc.constantFrom('captured', 'captured', 'confirmation') }),
    stop: fc.integer({ min: 1, max: 3 }),
    answers: fc.array(fc.constantFrom<Fate>('answered', 'answered', 'unanswered', 'late'), {
      minLength: 2,
      maxLength: 6,
    }),
    again: fc.boolean(),
    others: fc.constantFrom<readonly string[]>(['lines'], ['lines', 'lines'], []),
    last: fc.constantFrom('refund', 'cancellation', 'captured', 'work'),
  })
  .map(({ slow, stop, answers, again, others: kinds, last }) => [
    { ...done('extension', slow), order: 'ord_2', number: 15 },
    { ...slow, order: 'ord_1', number: slow.number % 12, steps: stop },
    ...(again ? [{ ...done('again', slow), number: 0 }] : []),
    { ...done('deadline', slow), order: 'ord_1' },
    { ...done('wait', slow), number: 0 },
    ...kinds.map((kind) => ({ ...done(kind, slow), order: 'ord_2', number: 0, flag: true })),
    { ...done('work', slow), order: 'ord_1', fates: answers },
    { ...done('step', slow), number: 0 },
    { ...done(last, slow), order: 'ord_1', number: 1 },
  ]);

/** An order that ends unpaid, whose places others may take, and which is paid afterwards. */
const lateMoney: fc.Arbitrary<Planned[]> = fc
  .record({ event: anything, others: fc.array(anything, { maxLength: 3 }), refund: fc.boolean() })
  .map(({ event, others: more, refund }) => [
    { ...done('extension', event), order: 'ord_2', number: 15 },
    { ...done('deadline', event), order: 'ord_1' },
    done('wait', { ...event, number: 0 }),
    { ...done('work', event), order: 'ord_1' },
    ...more.map((other) => ({ ...other, kind: 'lines', order: 'ord_2', number: 2 })),
    { ...event, order: 'ord_1', kind: 'captured', number: event.number % 12 },
    ...more.map((other) => ({ ...other, kind: other.flag ? 'step' : 'deliver' })),
    { ...event, order: 'ord_1', kind: refund ? 'refund' : 'work', number: 1 },
  ]);

/** Part payments, repeated, that cover the order once lines are removed. */
const paidByRemoval: fc.Arbitrary<Planned[]> = fc
  .record({ event: anything, parts: fc.integer({ min: 1, max: 3 }) })
  .map(({ event, parts }) => [
    { ...done('captured', event), number: 12 },
    { ...done('again', event), number: 0 },
    ...Array.from({ length: parts }, () => ({ ...done('captured', event), number: 20 })),
    { ...event, kind: 'removal' },
    { ...event, kind: 'removal' },
  ]);

/** Lines that are added and removed, or refused, whose releases reach the catalog late or twice. */
const releasedLate: fc.Arbitrary<Planned[]> = fc
  .record({
    event: anything,
    kinds: fc.array(fc.constantFrom('lines', 'lines', 'removal', 'again'), { minLength: 2, maxLength: 4 }),
    number: fc.nat({ max: 2 }),
    refused: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    fates: fc.array(fc.array(fate, { minLength: 3, maxLength: 8 }), { minLength: 4, maxLength: 4 }),
  })
  .map(({ event, kinds, number, refused, fates }) => [
    ...kinds.map((kind, index) => ({
      ...done(kind, event),
      number: number + (kind === 'lines' && refused[index] ? 15 : 0),
      fates: fates[index] ?? [],
    })),
    done('late', event),
  ]);

/** A reservation that ends sooner than the hold, whose call reaches the catalog late or twice, after an extension. */
const shortenedLate: fc.Arbitrary<Planned[]> = fc
  .record({
    event: anything,
    number: fc.integer({ min: 1, max: 9 }),
    fates: fc.array(fate, { minLength: 2, maxLength: 6 }),
    between: anything,
  })
  .map(({ event, number, fates, between }) => [
    { ...done('reservation', event), number, fates: ['answered', 'answered', 'answered', ...fates] },
    { ...between, order: event.order },
    { ...done('extension', event), number: 15 },
    { ...done('late', event), number: 0 },
    done('step', event),
  ]);

/** A confirmed order whose tickets are replaced and controlled, perhaps cancelled before those facts arrive. */
const atTheDoor: fc.Arbitrary<Planned[]> = fc
  .record({ event: anything, doors: fc.array(anything, { minLength: 1, maxLength: 4 }), stop: fc.nat({ max: 4 }) })
  .map(({ event, doors, stop }) => [
    ...(stop > 0 ? [{ ...done('captured', event), number: 0, steps: stop }] : []),
    { ...done('confirmation', event), flag: true },
    ...doors.map((door) => ({ ...done('door', door), order: event.order, flag: door.number % 3 > 0 })),
    ...doors.map((door) => done('deliver', door)),
    { ...done('cancellation', event), flag: event.number % 4 === 0 },
    done('step', event),
  ]);

/** Lines of a confirmed order that are returned and exchanged, whose tickets are used, or whose order is cancelled. */
const changed: fc.Arbitrary<Planned[]> = fc
  .record({
    event: anything,
    changes: fc.array(fc.record({ change: anything, between: anything }), { minLength: 1, maxLength: 3 }),
    last: fc.constantFrom('cancellation', 'withdrawal', 'work', 'details'),
  })
  .map(({ event, changes, last }) => [
    { ...done('captured', event), order: 'ord_1', number: 0 },
    ...changes.flatMap(({ change, between }) => [
      { ...change, order: 'ord_1', kind: 'change' },
      { ...between, ...(between.flag && { order: 'ord_1', kind: 'door', flag: between.number % 3 === 0 }) },
    ]),
    { ...done(last, event), order: 'ord_1' },
    { ...done('step', event), number: 0 },
  ]);

/** Money that goes back by a provider, of an order in whatever state, and does not arrive, perhaps later. */
const failingRefunds: fc.Arbitrary<Planned[]> = fc
  .record({
    event: anything,
    before: fc.constantFrom('captured', 'confirmation', 'deadline', 'cancellation'),
    between: anything,
    reports: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
  })
  .map(({ event, before, between, reports }) => [
    { ...done('captured', event), number: before === 'captured' ? 0 : 13 + (event.number % 8) },
    { ...done(before, event), number: 0, flag: true },
    { ...done('refund', event), number: 1 + (event.number % 9), flag: true },
    { ...between, order: event.order },
    ...reports.map((flag) => ({ ...done('report', event), flag })),
  ]);

/** A payment whose outcome comes after the order was cancelled. */
const paidAfterCancellation: fc.Arbitrary<Planned[]> = anything.map((event) => [
  done('pending', event),
  { ...event, kind: 'cancellation' },
  { ...done('settlement', event), flag: true },
]);

/** A cart that is bought, and whose payment fails, perhaps several times. */
const failingPayments: fc.Arbitrary<Planned[]> = fc
  .array(fc.record({ event: anything, failed: fc.boolean() }), { minLength: 1, maxLength: 3 })
  .map((tries) =>
    tries.flatMap(({ event, failed }) => [
      { ...event, kind: 'checkout' },
      { ...done('settlement', event), flag: !failed },
    ]),
  );

/** Random histories of two orders: requests, clock, crashes, slow processes, late and repeated calls and facts. */
export const histories: fc.Arbitrary<History> = fc.record({
  prices: fc.constantFrom([0], [10], [10, 0, 25]),
  uses: fc.option(fc.record({ dsc_group: fc.integer({ min: 1, max: 3 }), cod_1: fc.integer({ min: 1, max: 2 }) }), {
    nil: undefined,
  }),
  orders: fc.array(
    fc.record({
      kind: fc.constantFrom('order', 'order', 'cart', 'sold'),
      places: fc.integer({ min: 1, max: 3 }),
      steps: fc.constantFrom(ALL, ALL, ALL, ALL, 1, 2, 3, 4),
      hasCode: fc.boolean(),
    }),
    { minLength: 2, maxLength: 2 },
  ),
  events: fc
    .array(
      fc.oneof(
        { weight: 6, arbitrary: anything.map((event) => [event]) },
        { weight: 3, arbitrary: interleaved },
        { weight: 2, arbitrary: staleSale },
        { weight: 2, arbitrary: releasedLate },
        { weight: 1, arbitrary: shortenedLate },
        { weight: 1, arbitrary: atTheDoor },
        { weight: 2, arbitrary: changed },
        { weight: 2, arbitrary: lateMoney },
        { weight: 1, arbitrary: paidByRemoval },
        { weight: 1, arbitrary: paidAfterCancellation },
        { weight: 1, arbitrary: failingPayments },
        { weight: 2, arbitrary: failingRefunds },
      ),
      { minLength: 1, maxLength: 8, size: 'max' },
    )
    .map((parts) => parts.flat()),
});

const begin = (places: number, kind: 'order' | 'sold' = 'order', steps = ALL) => ({ kind, places, steps });
const event: Planned = { kind: 'late', order: 'ord_1', number: 0, flag: true, steps: ALL, fates: [] };
const ofOther = { ...event, order: 'ord_2' };

/** What random histories hardly ever come upon. */
export const rareHistories: Readonly<Record<string, History>> = {
  'a confirmation stalls before its sale, while the place of a line is released, and taken again by a late hold': {
    prices: [10],
    orders: [begin(2), begin(1)],
    events: [
      { ...event, kind: 'confirmation', steps: 1 },
      { ...event, kind: 'lines', fates: ['answered', 'late'] },
      { ...event, kind: 'removal' },
      { ...event, kind: 'late' },
      { ...event, kind: 'step' },
    ],
  },
  'a confirmation stalls before it ends its call of tickets, while another buyer is written, and not told': {
    prices: [10],
    orders: [begin(1), begin(1)],
    events: [
      { ...event, kind: 'confirmation', steps: 5 },
      { ...event, kind: 'details', number: 1, steps: 2 },
      { ...event, kind: 'crash', number: 1 },
      { ...event, kind: 'step' },
    ],
  },
  'a process dies between the hold of a new place and the write of its change': {
    prices: [10],
    orders: [begin(2), begin(1)],
    events: [
      { ...event, kind: 'confirmation' },
      { ...event, kind: 'change', number: 1, steps: 3 },
      { ...event, kind: 'crash' },
    ],
  },
  'the tickets of an order are issued once more after one of its lines was returned': {
    prices: [10],
    orders: [begin(2), begin(1)],
    events: [
      { ...event, kind: 'confirmation', fates: ['answered', 'answered', 'answered', 'answered', 'twice'] },
      { ...event, kind: 'change' },
      { ...event, kind: 'late' },
    ],
  },
  'an order of one call is not sold before others have its places': {
    prices: [10],
    uses: { dsc_group: 1, cod_1: 1 },
    orders: [begin(2, 'sold', 4), begin(1)],
    events: [
      { ...ofOther, kind: 'extension', number: 15 },
      { ...event, kind: 'deadline' },
      { ...event, kind: 'wait' },
      { ...ofOther, kind: 'lines' },
      { ...event, kind: 'work', fates: ['answered', 'answered'] },
      { ...event, kind: 'step' },
    ],
  },
  'of two late sales one finds no place, the other sells it, and then the first one gives the sale up': {
    prices: [10],
    orders: [begin(1), begin(1)],
    events: [
      { ...ofOther, kind: 'extension', number: 15 },
      { ...event, kind: 'captured', steps: 2 },
      { ...event, kind: 'crash' },
      { ...event, kind: 'deadline' },
      { ...event, kind: 'wait' },
      { ...ofOther, kind: 'lines', number: 2 },
      { ...ofOther, kind: 'lines' },
      { ...event, kind: 'work', steps: 2 },
      { ...ofOther, kind: 'removal', number: 1 },
      // The claim of the first ends meanwhile.
      { ...event, kind: 'wait', number: 2 },
      { ...event, kind: 'work', steps: 3 },
      { ...event, kind: 'step' },
      { ...event, kind: 'deliver' },
      { ...ofOther, kind: 'lines' },
      { ...ofOther, kind: 'confirmation' },
      { ...event, kind: 'step' },
    ],
  },
  'a use of a discount is left and taken again by changes that overtake one another, before a line is removed': {
    prices: [10],
    uses: { dsc_group: 1, cod_1: 1 },
    orders: [begin(3), begin(1)],
    events: [
      { ...event, kind: 'removal', flag: false, fates: ['answered', 'answered', 'answered', 'answered', 'late'] },
      { ...event, kind: 'lines', flag: false, fates: ['answered', 'late'] },
      { ...event, kind: 'lines', flag: false },
      { ...event, kind: 'late', flag: false },
      { ...event, kind: 'codes', flag: false, steps: 1 },
      { ...event, kind: 'lines', flag: false },
      { ...event, kind: 'step', flag: false },
      { ...event, kind: 'removal', number: 10, flag: false },
      { ...event, kind: 'codes', flag: false, steps: 1 },
      { ...event, kind: 'lines', flag: false },
      { ...event, kind: 'step', flag: false },
      { ...event, kind: 'lines', flag: false },
    ],
  },
  'a late payment finds its place free, and the use of its code with another order': {
    prices: [10],
    uses: { dsc_group: 1, cod_1: 1 },
    orders: [{ ...begin(1), hasCode: true }, begin(1)],
    events: [
      { ...ofOther, kind: 'extension', number: 15 },
      { ...event, kind: 'deadline' },
      { ...event, kind: 'wait' },
      { ...event, kind: 'work' },
      { ...ofOther, kind: 'codes' },
      { ...event, kind: 'captured' },
    ],
  },
  'the use of a removed line, which another order has since, is released again': {
    prices: [10],
    uses: { dsc_group: 1, cod_1: 1 },
    orders: [{ ...begin(1), hasCode: true }, begin(1)],
    events: [
      { ...event, kind: 'removal', fates: ['answered', 'answered', 'answered', 'answered', 'twice'] },
      { ...ofOther, kind: 'codes' },
      { ...event, kind: 'late' },
    ],
  },
  'the release of a removed line has no answer, neither in its request nor as work that is due': {
    prices: [10],
    orders: [begin(2), begin(1)],
    events: [
      { ...event, kind: 'removal', fates: ['answered', 'answered', 'late'] },
      { ...event, kind: 'wait' },
      { ...event, kind: 'work', fates: ['answered', 'answered', 'answered', 'late'] },
    ],
  },
  'a process dies before the release of a removed line, which it has claimed as due': {
    prices: [10],
    orders: [begin(2), begin(1)],
    events: [
      { ...event, kind: 'removal', fates: ['answered', 'answered', 'late'] },
      { ...event, kind: 'wait' },
      { ...event, kind: 'work', steps: 3 },
      { ...event, kind: 'crash' },
    ],
  },
  'a refund of a part payment fails once the rest has been paid': {
    prices: [10],
    orders: [begin(1), begin(1)],
    events: [
      { ...event, kind: 'captured', number: 16 },
      { ...event, kind: 'refund', number: 2 },
      { ...event, kind: 'captured', number: 16 },
      { ...event, kind: 'report' },
    ],
  },
  'a sale finds no place for an order that may still be paid, and at its deadline there is one again': {
    prices: [10],
    orders: [begin(1), begin(1)],
    events: [
      { ...ofOther, kind: 'extension', number: 15 },
      // The catalog does not learn that the places are held longer.
      { ...event, kind: 'pending', fates: Array.from({ length: 8 }, () => 'late' as const) },
      { ...event, kind: 'deadline' },
      { ...ofOther, kind: 'lines', number: 2 },
      { ...ofOther, kind: 'lines' },
      { ...event, kind: 'settlement' },
      { ...ofOther, kind: 'removal', number: 1 },
    ],
  },
  'one call stalls before its sale until its hold is over and another order has all places': {
    prices: [10],
    orders: [begin(3, 'sold', 3), begin(2)],
    events: [
      { ...ofOther, kind: 'extension', number: 15 },
      { ...event, kind: 'crash' },
      { ...event, kind: 'deadline' },
      { ...event, kind: 'wait' },
      { ...ofOther, kind: 'lines', number: 2 },
      { ...event, kind: 'work' },
    ],
  },
};
