import assert from 'node:assert/strict';
import fc from 'fast-check';
import { deliver } from './delivery.ts';
import type { Rules } from './rules.ts';
import { create, goOn, recover, type Steps } from './steps.ts';
import { createWorld, type World } from './world.ts';

const MINUTE = 60_000;
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
  ...['deliver', 'repeat', 'door', 'door', 'other'],
] as const;

/** One thing that happens. `number` chooses (an amount, a payment, a message …), `steps` is how far it gets at once. */
export interface Event {
  readonly kind: string;
  readonly number: number;
  readonly flag: boolean;
  readonly steps: number;
}

export interface History {
  readonly prices: readonly number[];
  readonly places: number;
  /** How far the creation gets before anything else happens. */
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

/** A step that is slow, or dies, while the sweep comes by, perhaps just when the deadline passes. */
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

/** A confirmed order whose tickets are replaced and controlled, and which is cancelled perhaps before it knows. */
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

/** An order that expires, whose places others may take, and for which money comes then. */
const lateMoney: fc.Arbitrary<Event[]> = fc
  .record({ others: fc.array(anything, { maxLength: 3 }), number: fc.nat({ max: 20 }), steps: fc.nat({ max: 4 }) })
  .map(({ others, number, steps }) => [
    { kind: 'deadline', number, flag: true, steps },
    { kind: 'wait', number: 1, flag: true, steps },
    { kind: 'sweep', number, flag: true, steps: 9 },
    ...others.map((other) => ({ ...other, kind: 'other' })),
    { kind: 'captured', number, flag: true, steps },
  ]);

/** Random histories: commands, clock, crashes, slow processes, duplicated and reordered facts. */
export const histories: fc.Arbitrary<History> = fc.record({
  prices: fc.constantFrom([0], [10], [10, 0, 25]),
  places: fc.integer({ min: 1, max: 3 }),
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
      ),
      { minLength: 3, maxLength: 30, size: 'max' },
    )
    .map((parts) => parts.flat()),
});

const waits = [1_000, 8_000, 16_000, 5 * MINUTE, 15 * MINUTE, 20 * MINUTE];

/** Money that was taken, whatever the order says about it afterwards. */
const pay = (world: World, { number, steps: _steps }: Event, status: 'captured' | 'pending'): void => {
  const order = world.order();
  if (!order) return;
  const id = world.nextId('pay');
  const rest = order.lines.reduce((sum, { amount }) => sum + amount, 0) - world.ledger.captured;
  const amount = number < 12 ? Math.max(1, rest) : number - 11;
  const request = world.nextId('req');
  const told = { id, method: 'card', amount, reference: null, status, repeatKey: id, request, graceMs: 15 * MINUTE };
  const { refused } = world.ask(status, (current) => world.rules.addPayment(current, told, world.now()));
  if (amount > rest) assert.ok(refused);
  if (refused) return;
  if (status === 'captured') world.ledger.captured += amount;
  // The same request again finds its payment.
  assert.deepEqual(
    world.write((current) => world.rules.addPayment(current, { ...told, id: 'again' }, world.now())),
    {},
  );
};

const settle = (world: World, { number, flag }: Event): void => {
  const payments = world.order()?.payments ?? [];
  const waiting = payments.filter(({ status }) => status === 'pending');
  const choice = number < 15 && waiting.length > 0 ? waiting : payments;
  const payment = choice[number % Math.max(1, choice.length)];
  if (!payment) return;
  const told = { paymentId: payment.id, status: flag ? 'captured' : 'failed', request: world.nextId('req') } as const;
  const { refused } = world.ask('settlement', (order) => world.rules.settlePayment(order, told, world.now()));
  if (!refused && flag && payment.status === 'pending') world.ledger.captured += payment.amount;
};

const refund = (world: World, { number }: Event): void => {
  const input = { id: world.nextId('ref'), method: 'card', amount: number, reference: null, repeatKey: null };
  const rest = world.ledger.captured - world.ledger.refunded;
  const { refused } = world.ask('refund', (order) => world.rules.refund(order, input, world.now()));
  if (!refused) world.ledger.refunded += number;
  if (world.order()?.state !== 'draft') assert.equal(refused === undefined, number > 0 && number <= rest);
};

/** Asks the tickets service first; the answer may be old when the order is cancelled. */
function* cancelling(world: World, { number, flag }: Event): Steps {
  const controlled = number % 3 === 0 ? null : world.tickets.controlled();
  if (number % 2 === 0) yield;
  const how = { reason: 'x', override: flag, controlled };
  world.ask('cancellation', (order) => world.rules.cancel(order, how, world.now()));
}

const act = (world: World, event: Event): Steps | undefined => {
  const { rules, now } = world;
  const { kind, number, flag } = event;
  const before = world.mark();
  const request = world.nextId('req');
  const lineId = world.order()?.lines[number % 3]?.id ?? 'lin_none';
  if (kind === 'lines')
    world.ask(kind, (order) => rules.beginLines(order, { request, quantity: 1 + (number % 3) }, now()));
  if (kind === 'removal') world.ask(kind, (order) => rules.removeLine(order, { request, lineId }, now()));
  if (kind === 'extension')
    world.ask(kind, (order) => rules.beginExtension(order, { request, minutes: number * 4 }, now()));
  if (kind === 'reservation')
    world.ask(kind, (order) =>
      rules.beginReservation(order, { request, dueAt: now() + (number - 2) * 5 * MINUTE }, now()),
    );
  if (kind === 'confirmation')
    world.ask(kind, (order) => rules.beginConfirm(order, { request, onAccount: flag }, now()));
  if (kind === 'captured' || kind === 'pending') pay(world, event, kind);
  if (kind === 'settlement') settle(world, event);
  if (kind === 'refund') refund(world, event);
  if (kind === 'details')
    world.ask(kind, (order) => rules.changeDetails(order, { contactNumber: `C${number % 2}` }, now()));
  if (kind === 'cancellation') return cancelling(world, event);
  return before === world.mark() ? undefined : goOn(world, world.mark());
};

/** Plays a history and then lets everything come to rest; throws where an invariant does not hold. */
export const play = (rules: Rules, { prices, places, created, events }: History): World => {
  const world = createWorld(rules, prices, places);
  const processes: Steps[] = [];
  const run = (steps: Steps | undefined, count: number): void => {
    let left = count;
    while (steps && left >= 0) {
      if (steps.next().done) return;
      world.check();
      left -= 1;
    }
    if (steps) processes.push(steps);
  };
  const sweep = (): Steps => {
    const before = world.order();
    const { refused } = world.write((order) => rules.expire(order, world.now()));
    const isDue = before?.begun === null && before.deadline !== null && before.deadline <= world.now();
    assert.equal(refused === undefined, isDue);
    return recover(world);
  };
  run(create(world, places), created);
  for (const event of events) {
    const { kind, number, flag, steps } = event;
    const chosen = number % Math.max(1, kind === 'crash' || kind === 'step' ? processes.length : world.messages.length);
    if (kind === 'wait') world.advance(waits[number % waits.length] ?? 0);
    else if (kind === 'deadline') world.advance(Math.max(0, (world.order()?.deadline ?? 0) - 2_000 - world.now()));
    else if (kind === 'step') run(processes.splice(chosen, 1)[0], steps % 3);
    else if (kind === 'crash') processes.splice(chosen, 1);
    else if (kind === 'deliver') deliver(world, world.messages.splice(chosen, 1)[0]);
    else if (kind === 'repeat') deliver(world, world.messages[chosen]);
    else if (kind === 'other') world.stock.other(number, world.now());
    else if (kind === 'door') {
      const fact = world.tickets.touch(number, flag);
      if (fact) world.messages.push({ to: 'orders', fact });
    } else run(kind === 'sweep' ? sweep() : act(world, event), steps);
    world.check();
  }
  const busy = () => processes.length + world.messages.length > 0 || (world.mark() ?? null) !== null;
  for (let round = 0; round === 0 || (busy() && round < 30); round += 1) {
    for (const steps of processes.splice(0)) run(steps, 9);
    world.advance(16_000);
    run(sweep(), 99);
    // Last in, first out, and each twice.
    for (let message = world.messages.pop(); message; message = world.messages.pop()) {
      deliver(world, message);
      deliver(world, message);
      world.check();
    }
  }
  return world;
};
