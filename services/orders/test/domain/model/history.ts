import assert from 'node:assert/strict';
import { accept } from '../../../src/domain/order/decision.ts';
import { NO_OWNER } from '../../../src/domain/order/pending-step.ts';
import { deliver } from './delivery.ts';
import type { Event, History } from './events.ts';
import { payingOf } from './invariants.ts';
import type { Rules } from './rules.ts';
import { createScenario, type Scenario } from './scenario.ts';
import { continueStep, create, isLeft, recover, type Steps } from './steps.ts';

const MINUTE = 60_000;

const waits = [1_000, 8_000, 16_000, 5 * MINUTE, 15 * MINUTE, 20 * MINUTE];

/** Captured money, whatever the order's answer afterwards. */
const pay = (scenario: Scenario, { number, steps: _steps }: Event, status: 'captured' | 'pending'): void => {
  const order = scenario.order();
  if (!order) return;
  const id = scenario.nextId('pay');
  const rest = order.lines.reduce((sum, { amount }) => sum + amount, 0) - payingOf(scenario.ledger, order);
  const amount = number < 12 ? Math.max(1, rest) : number - 11;
  const request = scenario.nextId('req');
  const change = { id, method: 'card', amount, reference: null, status, request, graceMs: 15 * MINUTE };
  const { refused } = scenario.command(status, (current) => scenario.rules.addPayment(current, change, scenario.now()));
  if (amount > rest) assert.ok(refused);
  if (refused) return;
  if (status === 'captured') scenario.ledger.captured += amount;
  // The same request again finds its payment.
  assert.deepEqual(
    scenario.write((current) => scenario.rules.addPayment(current, change, scenario.now())),
    {},
  );
};

const settle = (scenario: Scenario, { number, flag }: Event): void => {
  const payments = scenario.order()?.payments ?? [];
  const waiting = payments.filter(({ status }) => status === 'pending');
  const choice = number < 15 && waiting.length > 0 ? waiting : payments;
  const payment = choice[number % Math.max(1, choice.length)];
  if (!payment) return;
  const change = {
    paymentId: payment.id,
    status: flag ? 'captured' : 'failed',
    request: scenario.nextId('req'),
  } as const;
  const { refused } = scenario.command('settlement', (order) =>
    scenario.rules.settlePayment(order, change, scenario.now()),
  );
  if (!refused && flag && payment.status === 'pending') scenario.ledger.captured += payment.amount;
};

const refund = (scenario: Scenario, { number }: Event): void => {
  const input = { id: scenario.nextId('ref'), method: 'card', amount: number, reference: null };
  const rest = scenario.ledger.captured - scenario.ledger.refunded;
  const { refused } = scenario.command('refund', (order) => scenario.rules.refund(order, input, scenario.now()));
  if (!refused) {
    scenario.ledger.refunded += number;
    scenario.ledger.refunds.push({ at: scenario.now(), amount: number });
  }
  const selling = scenario.order()?.pendingStep?.step === 'confirm';
  if (scenario.order()?.state !== 'draft' && !selling)
    assert.equal(refused === undefined, number > 0 && number <= rest);
};

const methods = ['external', 'external', 'on_account', 'simulated'] as const;

/** A checkout; it is refused if the order was bought and may still be paid. */
const buy = (scenario: Scenario, { number, flag }: Event): void => {
  const before = scenario.order();
  if (!before) return;
  const id = scenario.nextId('pay');
  const method = methods[number % methods.length] ?? 'external';
  const names = { requestId: `r-${id}`, request: scenario.nextId('req'), paymentId: id };
  const token = flag ? ('ok' as const) : ('pending' as const);
  const contact = { contactNumber: `C${number % 2}`, criteria: ['account'], graceMs: 15 * MINUTE };
  const { refused } = scenario.command('checkout', (order) =>
    scenario.rules.beginCheckout(order, { ...names, ...contact, method, token }, scenario.now()),
  );
  const after = scenario.order();
  if (refused || !after) return;
  const made = after.payments.slice(before.payments.length);
  assert.ok(
    before.payments.every(({ status }) => status === 'failed'),
    'bought although it may be paid already',
  );
  assert.ok(made.length <= 1 && after.listedAt !== null);
  scenario.ledger.captured += made.reduce((sum, { status, amount }) => sum + (status === 'captured' ? amount : 0), 0);
};

/** The tickets service is called first; its answer may be outdated when the order is cancelled. */
function* cancelling(scenario: Scenario, { number, flag }: Event): Steps {
  const controlled = number % 3 === 0 ? null : scenario.tickets.controlled();
  if (number % 2 === 0) yield;
  const how = { reason: 'x', override: flag, controlled };
  // The catalog did not answer the process that ended the step.
  scenario.write((order) =>
    order.pendingStep && order.state !== 'draft' && isLeft(order.pendingStep, scenario.now())
      ? accept({ ...order, pendingStep: { ...order.pendingStep, owner: NO_OWNER } })
      : accept(order),
  );
  scenario.command('cancellation', (order) => scenario.rules.cancel(order, how, scenario.now()));
}

/** The commands of an institution, which sees no carts. */
const ofInstitutions: ReadonlySet<string> = new Set([
  ...['extension', 'reservation', 'confirmation', 'captured', 'pending', 'settlement', 'refund', 'details'],
]);

const act = (scenario: Scenario, event: Event): Steps | undefined => {
  if (scenario.order()?.listedAt === null && scenario.order()?.state !== 'draft' && ofInstitutions.has(event.kind))
    return;
  const { rules, now } = scenario;
  const { kind, number, flag } = event;
  const before = scenario.pending();
  const request = scenario.nextId('req');
  const lineId = scenario.order()?.lines[number % 3]?.id ?? 'lin_none';
  if (kind === 'lines')
    scenario.command(kind, (order) => rules.beginLines(order, { request, quantity: 1 + (number % 3) }, now()));
  if (kind === 'removal') scenario.command(kind, (order) => rules.removeLine(order, { request, lineId }, now()));
  if (kind === 'extension')
    scenario.command(kind, (order) => rules.beginExtension(order, { request, minutes: number * 4 }, now()));
  if (kind === 'reservation')
    scenario.command(kind, (order) =>
      rules.beginReservation(order, { request, dueAt: now() + (number - 2) * 5 * MINUTE }, now()),
    );
  if (kind === 'confirmation')
    scenario.command(kind, (order) => rules.beginConfirm(order, { request, onAccount: flag }, now()));
  if (kind === 'captured' || kind === 'pending') pay(scenario, event, kind);
  if (kind === 'settlement') settle(scenario, event);
  if (kind === 'refund') refund(scenario, event);
  if (kind === 'details')
    scenario.command(kind, (order) => rules.changeDetails(order, { contactNumber: `C${number % 2}` }, now()));
  if (kind === 'checkout') buy(scenario, event);
  if (kind === 'cancellation') return cancelling(scenario, event);
  return before === scenario.pending() ? undefined : continueStep(scenario, scenario.pending());
};

/** Plays a history and then lets every step and event end; throws where an invariant does not hold. */
export const play = (rules: Rules, { prices, places, cart, created, events }: History): Scenario => {
  const scenario = createScenario(rules, prices, places);
  const processes: Steps[] = [];
  const run = (steps: Steps | undefined, count: number): void => {
    let left = count;
    while (steps && left >= 0) {
      if (steps.next().done) return;
      scenario.check();
      left -= 1;
    }
    if (steps) processes.push(steps);
  };
  const sweep = (): Steps => {
    const before = scenario.order();
    const { refused } = scenario.write((order) => rules.expire(order, scenario.now()));
    const isDue = before?.pendingStep === null && before.deadline !== null && before.deadline <= scenario.now();
    assert.equal(refused === undefined, isDue);
    return recover(scenario);
  };
  run(create(scenario, places, cart), created);
  for (const event of events) {
    const { kind, number, flag, steps } = event;
    const chosen =
      number % Math.max(1, kind === 'crash' || kind === 'step' ? processes.length : scenario.messages.length);
    if (kind === 'wait') scenario.advance(waits[number % waits.length] ?? 0);
    else if (kind === 'deadline')
      scenario.advance(Math.max(0, (scenario.order()?.deadline ?? 0) - 2_000 - scenario.now()));
    else if (kind === 'step') run(processes.splice(chosen, 1)[0], steps % 3);
    else if (kind === 'crash') processes.splice(chosen, 1);
    else if (kind === 'deliver') deliver(scenario, scenario.messages.splice(chosen, 1)[0]);
    else if (kind === 'repeat') deliver(scenario, scenario.messages[chosen]);
    else if (kind === 'other') scenario.stock.other(number, scenario.now());
    else if (kind === 'door') {
      const fact = scenario.tickets.touch(number, flag);
      if (fact) scenario.messages.push({ to: 'orders', fact });
    } else run(kind === 'sweep' ? sweep() : act(scenario, event), steps);
    scenario.check();
  }
  const busy = () => processes.length + scenario.messages.length > 0 || (scenario.pending() ?? null) !== null;
  for (let round = 0; round === 0 || (busy() && round < 30); round += 1) {
    for (const steps of processes.splice(0)) run(steps, 9);
    scenario.advance(16_000);
    run(sweep(), 99);
    // Last in, first out, and each twice.
    for (let message = scenario.messages.pop(); message; message = scenario.messages.pop()) {
      deliver(scenario, message);
      deliver(scenario, message);
      scenario.check();
    }
  }
  return scenario;
};
