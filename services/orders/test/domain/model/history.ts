import assert from 'node:assert/strict';
import { accept } from '../../../src/domain/order/decision.ts';
import { NOBODY } from '../../../src/domain/order/pending-step.ts';
import { deliver } from './delivery.ts';
import type { Event, History } from './events.ts';
import type { Rules } from './rules.ts';
import { createWorld, type World } from './scenario.ts';
import { create, goOn, isLeft, recover, type Steps } from './steps.ts';

const MINUTE = 60_000;

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
  const selling = world.order()?.begun?.step === 'confirm';
  if (world.order()?.state !== 'draft' && !selling) assert.equal(refused === undefined, number > 0 && number <= rest);
};

const methods = ['external', 'external', 'on_account', 'simulated'] as const;

/** A shopper buys; whoever buys what was bought already, and may still be paid, is refused. */
const buy = (world: World, { number, flag }: Event): void => {
  const before = world.order();
  if (!before) return;
  const id = world.nextId('pay');
  const method = methods[number % methods.length] ?? 'external';
  const names = { requestId: `r-${id}`, request: world.nextId('req'), paymentId: id };
  const token = flag ? ('ok' as const) : ('pending' as const);
  const contact = { contactNumber: `C${number % 2}`, criteria: ['account'], graceMs: 15 * MINUTE };
  const { refused } = world.ask('checkout', (order) =>
    world.rules.beginCheckout(order, { ...names, ...contact, method, token }, world.now()),
  );
  const after = world.order();
  if (refused || !after) return;
  const made = after.payments.slice(before.payments.length);
  assert.ok(
    before.payments.every(({ status }) => status === 'failed'),
    'it is bought while it may be paid already',
  );
  assert.ok(made.length <= 1 && after.listedAt !== null);
  world.ledger.captured += made.reduce((sum, { status, amount }) => sum + (status === 'captured' ? amount : 0), 0);
};

/** Asks the tickets service first; the answer may be old when the order is cancelled. */
function* cancelling(world: World, { number, flag }: Event): Steps {
  const controlled = number % 3 === 0 ? null : world.tickets.controlled();
  if (number % 2 === 0) yield;
  const how = { reason: 'x', override: flag, controlled };
  // The catalog did not answer whoever wanted to finish the step.
  world.write((order) =>
    order.begun && order.state !== 'draft' && isLeft(order.begun, world.now())
      ? accept({ ...order, begun: { ...order.begun, owner: NOBODY } })
      : accept(order),
  );
  world.ask('cancellation', (order) => world.rules.cancel(order, how, world.now()));
}

/** What an institution does with orders; it sees no carts. */
const ofInstitutions: ReadonlySet<string> = new Set([
  ...['extension', 'reservation', 'confirmation', 'captured', 'pending', 'settlement', 'refund', 'details'],
]);

const act = (world: World, event: Event): Steps | undefined => {
  if (world.order()?.listedAt === null && world.order()?.state !== 'draft' && ofInstitutions.has(event.kind)) return;
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
  if (kind === 'checkout') buy(world, event);
  if (kind === 'cancellation') return cancelling(world, event);
  return before === world.mark() ? undefined : goOn(world, world.mark());
};

/** Plays a history and then lets everything come to rest; throws where an invariant does not hold. */
export const play = (rules: Rules, { prices, places, cart, created, events }: History): World => {
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
  run(create(world, places, cart), created);
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
