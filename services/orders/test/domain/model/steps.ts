import { open } from '../../../src/domain/opening.ts';
import { orderConfirmed } from '../../../src/domain/order/facts.ts';
import { NO_OWNER, type PendingStep } from '../../../src/domain/order/pending-step.ts';
import { recovery } from '../../../src/domain/recovery.ts';
import { HOLD_MS, type Scenario } from './scenario.ts';

/** What a process does after its first write; at each `yield` it may die or be overtaken. */
export type Steps = Generator<undefined, void>;

/** A process that has paused for this long counts as dead. */
const LEASE_MS = 15_000;

/** Whether no process works on the step any more. */
export const isLeft = ({ since, owner }: PendingStep, now: number): boolean =>
  owner === NO_OWNER || now - since >= LEASE_MS;

/** Between two calls: whether the process may make the next one, which it must not once it counts as dead. */
function* pause(scenario: Scenario, pending: PendingStep): Generator<undefined, boolean> {
  yield;
  return !isLeft(pending, scenario.now());
}

const LATE_HOLD_MS = 120_000;

function* sell(scenario: Scenario, pending: PendingStep & { step: 'confirm' }): Steps {
  const { rules, stock } = scenario;
  const ids = () => scenario.order()?.lines.map(({ place }) => place.id) ?? [];
  const fail = () => void scenario.write((order) => rules.failConfirm(order, pending, scenario.now()));
  let replaced: ReturnType<typeof stock.renew> = [];
  if (pending.late) {
    if (!(yield* pause(scenario, pending))) return;
    replaced = stock.renew(pending.request, ids(), scenario.now() + LATE_HOLD_MS, scenario.version(), scenario.now());
    if (!replaced) return fail();
  }
  const renewed = replaced;
  if (!(yield* pause(scenario, pending))) return;
  const wanted = ids().map((id) => renewed.find(({ replaces }) => replaces === id)?.place.id ?? id);
  const sold = stock.sell(wanted);
  yield;
  if (!sold) return fail();
  const sale = { request: pending.request, soldPlaceIds: wanted, replaced };
  scenario.write((order) => rules.confirm(order, sale, scenario.now()));
  yield;
  const confirmed = scenario.order();
  if (confirmed?.state === 'confirmed') scenario.tickets.issue(orderConfirmed(confirmed).data);
}

function* holdLonger(scenario: Scenario, pending: PendingStep & { step: 'extend' }): Steps {
  if (!(yield* pause(scenario, pending))) return;
  const done = scenario.stock.extend(scenario.order()?.lines.map(({ place }) => place.id) ?? [], pending.until);
  yield;
  scenario.write((order) =>
    done
      ? scenario.rules.extended(order, pending, scenario.now())
      : scenario.rules.failExtension(order, pending, scenario.now()),
  );
}

function* holdLines(scenario: Scenario, pending: PendingStep & { step: 'lines' }, until: number): Steps {
  const { rules, stock } = scenario;
  if (!(yield* pause(scenario, pending))) return;
  const held = stock.hold(pending.request, pending.quantity, until, scenario.now());
  yield;
  const lines = held && scenario.lines(held);
  const { request } = pending;
  if (!lines) return void scenario.write((order) => rules.failLines(order, pending, scenario.now()));
  const { refused } = scenario.write((order) =>
    rules.addLines(order, { request, lines, currency: 'CHF' }, scenario.now()),
  );
  if (!refused) return;
  yield* abandonLines(scenario, pending);
}

function* abandonLines(scenario: Scenario, pending: PendingStep & { step: 'lines' }): Steps {
  yield;
  scenario.stock.release({ request: pending.request });
  yield;
  scenario.write((order) => scenario.rules.failLines(order, pending, scenario.now()));
}

function* release(scenario: Scenario, pending: PendingStep & { step: 'release' }): Steps {
  if (!(yield* pause(scenario, pending))) return;
  scenario.stock.release({ ids: pending.placeIds });
  yield;
  scenario.write((order) => scenario.rules.released(order, pending, scenario.now()));
}

/** Creates the order: holds its places and opens it. */
export function* create(scenario: Scenario, places: number, cart: boolean): Steps {
  yield;
  const until = scenario.now() + HOLD_MS;
  const held = scenario.pending()?.step === 'create' && scenario.stock.hold('create', places, until, scenario.now());
  if (!held) return;
  yield;
  const hold = { request: 'create', lines: scenario.lines(held), currency: 'CHF', until, cart };
  scenario.write((order) => open(order, hold, scenario.now()));
}

/** Continues after the write that left a pending step. */
export const continueStep = (scenario: Scenario, pending: PendingStep | null): Steps | undefined => {
  switch (pending?.step) {
    case 'confirm':
      return sell(scenario, pending);
    case 'extend':
      return holdLonger(scenario, pending);
    case 'lines':
      return holdLines(scenario, pending, scenario.order()?.expiresAt ?? 0);
    case 'release':
      return release(scenario, pending);
    default:
      return undefined;
  }
};

/** Recovery of the step of a dead process. */
export function* recover(scenario: Scenario): Steps {
  const order = scenario.order();
  if (!order?.pendingStep || !isLeft(order.pendingStep, scenario.now())) return;
  const lease = { from: order.pendingStep.owner, to: scenario.nextId('lea') };
  scenario.write((current) => scenario.rules.takeOver(current, lease, scenario.now()));
  const pending = scenario.pending();
  const found = recovery({ pendingStep: pending });
  if (found.action === 'abandon_draft') {
    yield;
    scenario.stock.release({ sold: true });
    scenario.deleteDraft();
  } else if (found.action === 'abandon_lines') yield* abandonLines(scenario, found.pending);
  else yield* continueStep(scenario, pending) ?? [];
}
