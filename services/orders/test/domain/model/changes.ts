import {
  computeFigures,
  findPendingChange,
  findUnsettledChange,
  listNewStock,
  listOwnStock,
} from '../../../src/domain/changes/change.ts';
import { checkOrderChangeable } from '../../../src/domain/changes/check.ts';
import { emptyChange, settleChange } from '../../../src/domain/changes/follow.ts';
import { markCovered } from '../../../src/domain/changes/paying.ts';
import type { Sale } from '../../../src/domain/confirmation.ts';
import { accept, isRefused, refuse } from '../../../src/domain/decisions.ts';
import { isControlled } from '../../../src/domain/lines.ts';
import type { Change, Line, Payment } from '../../../src/domain/order/order.ts';
import type { Event } from './histories.ts';
import {
  type Command,
  call,
  RENEWED_MS,
  Refused,
  releaseSold,
  runCommand,
  runStockFirst,
  type Steps,
  sellPlaces,
  Unavailable,
  write,
} from './steps.ts';
import type { Doc, Rule, World } from './world.ts';

const HOLD_MS = 15 * 60_000;
/** What another tariff on the same seat costs more. */
const DEARER = 5;

interface Begun {
  readonly change: Change;
  readonly payment?: Payment;
}

/** Returns a line, or exchanges it for another place, or for a dearer tariff on its own. */
export function* changeLine(world: World, command: Command, { number, flag }: Event): Steps {
  const { rules, stock } = world;
  const { id: holder, request = '' } = command;
  const id = `chg_${request}`;
  const kind = (['return', 'place', 'tariff'] as const)[number % 3];
  let taken: { readonly ids: readonly string[]; readonly asOf: number } | undefined;
  const rule: Rule = (order, now) => {
    const line = order.lines[number % Math.max(1, order.lines.length)];
    const refused = checkOrderChangeable(order, now);
    if (refused || !line) return refused ?? refuse('invalid_reference', 'no line');
    return isControlled(order, line) && !(flag && kind === 'return')
      ? refuse('change_ticket_controlled', 'inside')
      : accept(order);
  };
  const effect = function* ({ order, version: asOf }: Doc): Steps<Begun> {
    const line = order.lines[number % order.lines.length] as Line;
    const until = world.now() + HOLD_MS;
    let made: Line[] = kind === 'tariff' ? [{ ...line, amount: line.amount + DEARER }] : [];
    if (kind === 'place') {
      const held = yield* call(world, () => stock.hold({ holder, request, asOf, wanted: { count: 1 }, until }));
      if (!held) throw new Refused('places_unavailable');
      taken = { ids: held.ids, asOf };
      if (rules.sellsBeforeWrite) yield* call(world, () => stock.sell(holder, held.ids));
      made = world.lines(held.ids).map((one) => ({ ...one, ticketId: null, replacements: [] }));
    }
    const newLineId = `lin_${id}`;
    const lines = made.map(
      (one): Line => ({ ...one, id: newLineId, replaces: line.id, ticketId: null, replacements: [] }),
    );
    return buildChange(
      world,
      { order, version: asOf },
      { id, line, lines, until, override: flag, isPaid: number < 14 },
    );
  };
  const counted =
    (begun: Begun): Rule =>
    (order, now) => {
      const decision = rules.beginChange(order, begun, now);
      if (!isRefused(decision) && begun.payment) world.ledgerOf(holder).captured.set(request, begun.payment.amount);
      return decision;
    };
  try {
    const doc = yield* runStockFirst(world, command, { rule, effect, write: counted });
    yield* settleChanges(world, yield* doPaidChange(world, doc));
  } catch (error) {
    if (taken && !(error instanceof Unavailable)) {
      yield;
      const own = listOwnStock(world.get(holder)?.order ?? { lines: [] });
      const { ids, asOf } = taken;
      const rest = ids.filter((placeId) => !own.includes(placeId));
      if (rest.length > 0) yield* call(world, () => stock.releaseTaken(holder, rest, request, asOf));
    }
    throw error;
  }
}

const buildChange = (
  world: World,
  { order, version }: Pick<Doc, 'order' | 'version'>,
  given: { id: string; line: Line; lines: readonly Line[]; until: number; override: boolean; isPaid: boolean },
): Begun => {
  const { id, line, lines, until, override, isPaid } = given;
  const now = world.now();
  const figures = computeFigures(order, [line.id], { lines, fees: [] });
  const leaving = { lineId: line.id, reason: null, fee: 0 };
  const change: Change = {
    ...emptyChange,
    ...{ id, newLines: lines, ...figures, ...(override && { override }), createdAt: now, asOf: version },
    returns: lines.length === 0 ? [leaving] : [],
    exchanges: lines.map((one) => ({ ...leaving, newLineId: one.id })),
    expiresAt: until,
    deadline: until,
    coveredAt: figures.due === 0 || isPaid ? now : null,
  };
  if (figures.due === 0 || !isPaid) return { change };
  const money = { method: 'card', amount: figures.due, currency: 'CHF', reference: null };
  const payment = {
    id: `pay_${id}`,
    changeId: id,
    ...money,
    status: 'captured' as const,
    createdAt: now,
    updatedAt: now,
  };
  return { change, payment };
};

/** Sells the new places of a change that is paid for, and does it; without places left it lapses. */
function* doPaidChange(world: World, doc: Doc): Steps<Doc> {
  const { rules } = world;
  const change = findPendingChange(doc.order);
  if (!change || change.coveredAt === null) return doc;
  const sale = yield* sellNew(world, doc, change);
  const rule: Rule = (order, now) => {
    if (findPendingChange(order)?.id !== change.id) return accept(order);
    return sale ? rules.doChange(order, change.id, sale, now) : accept(rules.lapseChange(order, {}, now));
  };
  const { doc: left } = yield* write(world, doc, rule);
  if (sale) yield* releaseSold(world, left, sale.soldPlaceIds, change.asOf);
  return left;
}

function* sellNew(world: World, { id, order, version: asOf }: Doc, change: Change): Steps<Sale | undefined> {
  const ids = listNewStock(order, change);
  if (ids.length === 0) return { soldPlaceIds: [] };
  const isLate = (change.deadline ?? 0) <= world.now();
  if (!isLate && (yield* sellPlaces(world, id, ids)).length === 0) return { soldPlaceIds: ids };
  const renewal = { holder: id, request: `change-${change.id}`, until: world.now() + RENEWED_MS, ids, asOf };
  world.renewed.add(id);
  const renewed = yield* call(world, () => world.stock.renew(renewal));
  if (!renewed) return undefined;
  const soldPlaceIds = renewed.map(({ place }) => place.id);
  if ((yield* sellPlaces(world, id, soldPlaceIds)).length > 0) return undefined;
  return {
    soldPlaceIds,
    replaced: renewed.flatMap(({ place, replaces }) => (replaces === null ? [] : [{ place, replaces }])),
  };
}

/** One that is paid for is done, by credit too; one past its deadline lapses. */
export function* endDueChange(world: World, doc: Doc): Steps<Doc> {
  const change = findPendingChange(doc.order);
  if (change?.coveredAt != null) return yield* doPaidChange(world, doc);
  const rule: Rule = (order, now) => {
    const known = findPendingChange(order);
    const covered = markCovered(order, known?.id ?? '', now);
    const isOver = covered === order && known?.coveredAt === null && (known.deadline ?? 0) <= now;
    return accept(isOver ? world.rules.lapseChange(order, {}, now) : covered);
  };
  return yield* doPaidChange(world, (yield* write(world, doc, rule)).doc);
}

/** Somebody ends a change that waits for its payment; what it held is due to be released. */
export function* endChange(world: World, command: Command): Steps {
  yield* runCommand(world, command, (order, now) => {
    const pending = findPendingChange(order);
    if (!pending || pending.coveredAt !== null) return refuse('change_final', 'ended');
    return accept(world.rules.lapseChange(order, { withdrawn: true }, now));
  });
}

/** Old tickets, then old places, then one write, for each change in their order. */
export function* settleChanges(world: World, doc: Doc): Steps<Doc> {
  const { rules, stock } = world;
  let left = doc;
  for (let change = findUnsettledChange(left.order); change; change = findUnsettledChange(left.order)) {
    const { id: changeId, asOf } = change;
    const { id, order } = left;
    const former = (order.formerLines ?? []).filter((line) => line.changeId === changeId);
    const made = [...order.lines, ...(order.formerLines ?? [])].filter(({ replaces }) =>
      former.some((line) => line.id === replaces),
    );
    const answer = yield* call(world, () => world.ticketsOf(id).leave(change, former, made));
    const own = rules.releasesByHolder ? [] : listOwnStock(order);
    const gone = former.filter((line) => !answer.keptLineIds.includes(line.id));
    const named = gone.map(({ place }) => place.id).filter((placeId) => !own.includes(placeId));
    const placeIds = rules.releasesByHolder ? stock.ownOf(id).map(({ place }) => place.id) : named;
    if (placeIds.length > 0) yield* call(world, () => stock.release(id, placeIds, asOf));
    const { ticketsCancelled, controlled } = answer;
    const counts = { ticketsCancelled, controlled, placesReleased: named.length };
    const { doc: next } = yield* write(world, left, (current, now) => settleChange(current, changeId, counts, now));
    left = next;
  }
  return left;
}
