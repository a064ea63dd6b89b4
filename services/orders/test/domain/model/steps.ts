import { open } from '../../../src/domain/opening.ts';
import { orderConfirmed } from '../../../src/domain/order/facts.ts';
import { type Begun, NOBODY } from '../../../src/domain/order/pending-step.ts';
import { recovery } from '../../../src/domain/recovery.ts';
import { HOLD_MS, type World } from './scenario.ts';

/** What a process does after its first write; at each `yield` it may die, or others may come first. */
export type Steps = Generator<undefined, void>;

/** A process that has not gone on for so long counts as dead here. */
const LEASE_MS = 15_000;

/** Whether nobody works on the step any more. */
export const isLeft = ({ since, owner }: Begun, now: number): boolean => owner === NOBODY || now - since >= LEASE_MS;

/** Between two steps: whether the process may still call others, which it must not once it counts as dead. */
function* pause(world: World, mark: Begun): Generator<undefined, boolean> {
  yield;
  return !isLeft(mark, world.now());
}

const LATE_HOLD_MS = 120_000;

function* sell(world: World, mark: Begun & { step: 'confirm' }): Steps {
  const { rules, stock } = world;
  const ids = () => world.order()?.lines.map(({ place }) => place.id) ?? [];
  const fail = () => void world.write((order) => rules.failConfirm(order, mark, world.now()));
  let replaced: ReturnType<typeof stock.renew> = [];
  if (mark.late) {
    if (!(yield* pause(world, mark))) return;
    replaced = stock.renew(mark.request, ids(), world.now() + LATE_HOLD_MS, world.version(), world.now());
    if (!replaced) return fail();
  }
  const renewed = replaced;
  if (!(yield* pause(world, mark))) return;
  const wanted = ids().map((id) => renewed.find(({ replaces }) => replaces === id)?.place.id ?? id);
  const sold = stock.sell(wanted);
  yield;
  if (!sold) return fail();
  const sale = { request: mark.request, soldPlaceIds: wanted, replaced };
  world.write((order) => rules.confirm(order, sale, world.now()));
  yield;
  const confirmed = world.order();
  if (confirmed?.state === 'confirmed') world.tickets.issue(orderConfirmed(confirmed).data);
}

function* holdLonger(world: World, mark: Begun & { step: 'extend' }): Steps {
  if (!(yield* pause(world, mark))) return;
  const done = world.stock.extend(world.order()?.lines.map(({ place }) => place.id) ?? [], mark.until);
  yield;
  world.write((order) =>
    done ? world.rules.extended(order, mark, world.now()) : world.rules.failExtension(order, mark, world.now()),
  );
}

function* holdLines(world: World, mark: Begun & { step: 'lines' }, until: number): Steps {
  const { rules, stock } = world;
  if (!(yield* pause(world, mark))) return;
  const held = stock.hold(mark.request, mark.quantity, until, world.now());
  yield;
  const lines = held && world.lines(held);
  const { request } = mark;
  if (!lines) return void world.write((order) => rules.failLines(order, mark, world.now()));
  const { refused } = world.write((order) => rules.addLines(order, { request, lines, currency: 'CHF' }, world.now()));
  if (!refused) return;
  yield* undoLines(world, mark);
}

function* undoLines(world: World, mark: Begun & { step: 'lines' }): Steps {
  yield;
  world.stock.release({ request: mark.request });
  yield;
  world.write((order) => world.rules.failLines(order, mark, world.now()));
}

function* release(world: World, mark: Begun & { step: 'release' }): Steps {
  if (!(yield* pause(world, mark))) return;
  world.stock.release({ ids: mark.placeIds });
  yield;
  world.write((order) => world.rules.released(order, mark, world.now()));
}

/** Makes the order: holds its places and opens it. */
export function* create(world: World, places: number, cart: boolean): Steps {
  yield;
  const until = world.now() + HOLD_MS;
  const held = world.mark()?.step === 'create' && world.stock.hold('create', places, until, world.now());
  if (!held) return;
  yield;
  const hold = { request: 'create', lines: world.lines(held), currency: 'CHF', until, cart };
  world.write((order) => open(order, hold, world.now()));
}

/** Goes on after the write that left the mark. */
export const goOn = (world: World, mark: Begun | null): Steps | undefined => {
  switch (mark?.step) {
    case 'confirm':
      return sell(world, mark);
    case 'extend':
      return holdLonger(world, mark);
    case 'lines':
      return holdLines(world, mark, world.order()?.expiresAt ?? 0);
    case 'release':
      return release(world, mark);
    default:
      return undefined;
  }
};

/** What the sweep does about a step whose process died. */
export function* recover(world: World): Steps {
  const order = world.order();
  if (!order?.begun || !isLeft(order.begun, world.now())) return;
  const lease = { from: order.begun.owner, to: world.nextId('lea') };
  world.write((current) => world.rules.takeOver(current, lease, world.now()));
  const mark = world.mark();
  const found = recovery({ begun: mark });
  if (found.action === 'drop') {
    yield;
    world.stock.release({ sold: true });
    world.drop();
  } else if (found.action === 'undo_lines') yield* undoLines(world, found.mark);
  else yield* goOn(world, mark) ?? [];
}
