import fc from 'fast-check';

const kinds = [
  ...['lines', 'removal', 'extension', 'reservation', 'confirmation', 'captured', 'captured', 'pending', 'settlement'],
  ...[
    'settlement',
    'refund',
    'details',
    'cancellation',
    'sweep',
    'wait',
    'wait',
    'deadline',
    'step',
    'step',
    'crash',
    'deliver',
  ],
  ...['deliver', 'repeat', 'door', 'door', 'other', 'checkout', 'checkout'],
] as const;

/**
 * One event of a history. `number` chooses (an amount, a payment, a message …), `steps` is how far it proceeds at
 * once.
 */
export interface Event {
  readonly kind: string;
  readonly number: number;
  readonly flag: boolean;
  readonly steps: number;
}

export interface History {
  readonly prices: readonly number[];
  readonly places: number;
  /** The order begins as a cart. */
  readonly cart: boolean;
  /** How far the creation proceeds before the first event. */
  readonly created: number;
  readonly events: readonly Event[];
}

const anything: fc.Arbitrary<Event> = fc.record({
  kind: fc.constantFrom(...kinds),
  number: fc.nat({ max: 20 }),
  flag: fc.boolean(),
  steps: fc.constantFrom(9, 9, 9, 9, 0, 1, 2, 3),
});

const remote = ['lines', 'removal', 'extension', 'reservation', 'confirmation', 'confirmation', 'captured', 'pending'];

/** A step that is slow or dies while the sweep runs, perhaps just when the deadline passes. */
const slowStep: fc.Arbitrary<Event[]> = fc
  .record({
    kind: fc.constantFrom(...remote),
    number: fc.nat({ max: 11 }),
    steps: fc.nat({ max: 2 }),
    soon: fc.boolean(),
    wait: fc.constantFrom(1, 2),
    swept: fc.constantFrom(0, 1, 9),
  })
  .map(({ kind, number, steps, soon, wait, swept }) => [
    ...(soon ? [{ kind: 'deadline', number, flag: true, steps }] : []),
    { kind, number, flag: true, steps },
    { kind: 'wait', number: wait, flag: true, steps },
    { kind: 'sweep', number, flag: true, steps: swept },
    { kind: 'step', number, flag: true, steps: 2 },
  ]);

/** A confirmed order whose tickets are replaced and controlled, perhaps cancelled before those events arrive. */
const atTheDoor: fc.Arbitrary<Event[]> = fc
  .record({
    doors: fc.array(anything, { minLength: 1, maxLength: 4 }),
    number: fc.nat({ max: 5 }),
    override: fc.boolean(),
  })
  .map(({ doors, number, override }) => [
    { kind: 'confirmation', number, flag: true, steps: 9 },
    ...doors.map((door) => ({ ...door, kind: 'door' })),
    { kind: 'cancellation', number, flag: override, steps: 9 },
  ]);

/** An order that expires, whose places others may take, and which is paid afterwards. */
const lateMoney: fc.Arbitrary<Event[]> = fc
  .record({ others: fc.array(anything, { maxLength: 3 }), number: fc.nat({ max: 20 }), steps: fc.nat({ max: 4 }) })
  .map(({ others, number, steps }) => [
    { kind: 'deadline', number, flag: true, steps },
    { kind: 'wait', number: 1, flag: true, steps },
    { kind: 'sweep', number, flag: true, steps: 9 },
    ...others.map((other) => ({ ...other, kind: 'other' })),
    { kind: 'captured', number, flag: true, steps },
  ]);

/** Part payments that cover the order once lines are removed, perhaps by a process that dies. */
const paidByRemoval: fc.Arbitrary<Event[]> = fc
  .record({ parts: fc.integer({ min: 1, max: 3 }), number: fc.nat({ max: 5 }), steps: fc.nat({ max: 4 }) })
  .map(({ parts, number, steps }) => [
    ...Array.from({ length: parts }, () => ({ kind: 'captured', number: 20, flag: true, steps: 9 })),
    { kind: 'removal', number, flag: true, steps },
    { kind: 'removal', number, flag: true, steps },
  ]);

/** A cart that is bought, and whose payment fails, perhaps several times. */
const failingPayments: fc.Arbitrary<Event[]> = fc
  .array(fc.record({ event: anything, failed: fc.boolean(), wait: fc.nat({ max: 3 }) }), { minLength: 1, maxLength: 4 })
  .map((tries) =>
    tries.flatMap(({ event, failed, wait }) => [
      { ...event, kind: 'checkout' },
      { ...event, kind: 'wait', number: wait },
      { ...event, kind: 'settlement', flag: !failed, steps: 9 },
    ]),
  );

/** Random histories: commands, clock, crashes, slow processes, duplicated and reordered facts. */
export const histories: fc.Arbitrary<History> = fc.record({
  prices: fc.constantFrom([0], [10], [10, 0, 25]),
  places: fc.integer({ min: 1, max: 3 }),
  cart: fc.boolean(),
  created: fc.constantFrom(9, 9, 9, 9, 9, 9, 9, 0, 1, 2),
  events: fc
    .array(
      fc.oneof(
        {
          weight: 6,
          arbitrary: anything.map((event) => [event]),
        },
        { weight: 1, arbitrary: slowStep },
        { weight: 1, arbitrary: atTheDoor },
        { weight: 1, arbitrary: lateMoney },
        { weight: 1, arbitrary: paidByRemoval },
        { weight: 1, arbitrary: failingPayments },
      ),
      { minLength: 3, maxLength: 30, size: 'max' },
    )
    .map((parts) => parts.flat()),
});
