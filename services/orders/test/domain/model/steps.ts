import type { Sale } from '../../../src/domain/confirmation.ts';
import { accept, isRefused, type Reason, refuse } from '../../../src/domain/decisions.ts';
import { createOrderConfirmedFact } from '../../../src/domain/order/facts.ts';
import type { SaleDue } from '../../../src/domain/order/order.ts';
import { isUnpaid } from '../../../src/domain/order/state.ts';
import { listStock } from '../../../src/domain/price.ts';
import type { Renewed } from './stock.ts';
import type { Doc, Outcome, Rule, World } from './world.ts';

/**
 * What becomes of a call: it is answered; answered, and delivered a second time later; done, but the answer is lost; or
 * delivered only later, when its caller has gone on.
 */
export type Fate = 'answered' | 'twice' | 'unanswered' | 'late';

/** What a process does; before each of its effects it may stall for any time, or die. */
export type Steps<Result = void> = Generator<undefined, Result, Fate>;

/** The catalog did not answer in time. */
export class Unavailable extends Error {}

/** The request is refused. */
export class Refused extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason);
    this.reason = reason;
  }
}

const TRIES = 8;
export const RENEWED_MS = 120_000;

/** A call of the catalog. */
export function* call<Answer>(world: World, effect: () => Answer): Steps<Answer> {
  const fate = yield;
  if (fate === 'twice' || fate === 'late') world.late.push(effect);
  if (fate === 'late') throw new Unavailable();
  const answer = effect();
  if (fate === 'unanswered') throw new Unavailable();
  return answer;
}

/** The order as it is now. */
export function* read(world: World, id: string): Steps<Doc> {
  yield;
  const doc = world.get(id);
  if (!doc) throw new Refused('unknown_order');
  return doc;
}

/** A write of the store. */
export function* write(
  world: World,
  doc: Doc,
  rule: Rule,
  options: Parameters<World['write']>[2] = {},
): Steps<Outcome> {
  yield;
  return world.write(doc, rule, options);
}

/** Those of uses, too. */
export function getPlaceIds({ order }: Doc): string[] {
  return listStock(order.lines);
}

/** Sells places of an order; returns those that it has lost: then nothing is sold. */
export function sellPlaces(world: World, id: string, ids: readonly string[]): Steps<readonly string[]> {
  return call(world, () => world.sell(id, ids));
}

/** Sells an order whose sale is due, confirms it and issues its tickets. */
export function* sell(world: World, due: Doc): Steps<Doc> {
  const { rules } = world;
  const sold: string[] = [];
  let doc = due;
  for (let tries = 1; doc.order.saleDue; tries += 1) {
    const { version } = doc;
    const { saleDue } = doc.order;
    const sale: Sale | undefined = yield* sellDue(world, doc, saleDue);
    const rule: Rule = (order, now) =>
      sale ? rules.confirmPaid(order, { ...sale, due: saleDue }, now) : rules.giveUpSale(order, saleDue, now);
    const outcome: Outcome = yield* write(world, doc, rule, { gone: !sale });
    sold.push(...(sale?.soldPlaceIds ?? []));
    doc = outcome.doc;
    const refused = outcome.refused ?? outcome.answer;
    if (sale && doc.order.saleDue && !refused && tries < 3) continue;
    yield* releaseSold(world, doc, sold, version);
    if (refused) throw new Refused(refused);
    break;
  }
  return yield* issueAtOnce(world, doc);
}

/** Sells the places of an order whose sale is due; undefined: they are gone. */
function* sellDue(world: World, doc: Doc, { since }: SaleDue): Steps<Sale | undefined> {
  const { stock } = world;
  const { id, order, version: asOf } = doc;
  const renewed: Renewed[] = [];
  const isLate = order.state === 'expired' || (order.expiresAt ?? 0) <= world.now();
  if (isLate) {
    const renewal = {
      holder: id,
      request: `sale-${since}`,
      until: world.now() + RENEWED_MS,
      ids: getPlaceIds(doc),
      asOf,
    };
    world.renewed.add(id);
    const again = yield* call(world, () => stock.renew(renewal));
    if (!again) return undefined;
    renewed.push(...again);
  }
  const ids = isLate ? renewed.map(({ place }) => place.id) : getPlaceIds(doc);
  const missing = yield* sellPlaces(world, id, ids);
  if (missing.length > 0) return undefined;
  const replaced = renewed.flatMap(({ place, replaces }) => (replaces === null ? [] : [{ place, replaces }]));
  return { soldPlaceIds: ids, replaced };
}

/** Releases what a request has sold, as of this version, and is none of the order's places. */
export function* releaseSold(world: World, doc: Doc, soldIds: readonly string[], version: number): Steps {
  const { id, order } = doc;
  const kept = isUnpaid(order) ? getPlaceIds(doc) : world.rules.keptBySale(order);
  const rest = soldIds.filter((placeId) => !kept.includes(placeId));
  const asOf = order.state === 'confirmed' || order.state === 'cancelled' ? doc.version : version;
  if (rest.length > 0 && world.rules.releasesSurplus) yield* call(world, () => world.stock.release(id, rest, asOf));
  if (!isUnpaid(order)) for (const placeId of rest) world.soldLate.delete(`${id} ${placeId}`);
}

/** Issues the tickets of an order, or lets them follow its buyer, by a call. */
export function issueTickets(world: World, { id, order, version }: Doc): Steps<void> {
  return call(world, () => world.ticketsOf(id).issue(createOrderConfirmedFact(order).data, version));
}

/** As {@link issueTickets}, for a request: without an answer it stays due. */
export function* issueAtOnce(world: World, doc: Doc): Steps<Doc> {
  const at = doc.due.get('issueTickets');
  if (at === undefined) return doc;
  try {
    yield* issueTickets(world, doc);
  } catch (error) {
    if (error instanceof Unavailable) return doc;
    throw error;
  }
  yield;
  const now = world.get(doc.id)?.due.get('issueTickets');
  world.moveDue(doc.id, 'issueTickets', world.rules.endedIssue(at, now), null);
  return doc;
}

/** As {@link sell}, for a request that asked for something else. */
export function* sellIfDue(world: World, doc: Doc): Steps<Doc> {
  try {
    return yield* sell(world, doc);
  } catch {
    return world.get(doc.id) ?? doc;
  }
}

/** Ends an order past due: sells it if it is paid in full, else writes its expiry. */
export function* expireNow(world: World, doc: Doc): Steps<void> {
  const outcome = yield* write(world, doc, world.rules.expire);
  if (outcome.refused === undefined) yield* sellIfDue(world, outcome.doc);
}

export interface Command {
  readonly id: string;
  /** A repeat has the same and finds the effect. */
  readonly request?: string;
  /** Called in the write, once it happens. */
  readonly written?: () => void;
}

/** Runs a command in one write. @throws Refused */
export function* runCommand(world: World, command: Command, rule: Rule): Steps<Doc> {
  const { id, request } = command;
  const own = once(world, command, rule, true);
  const options = request === undefined ? {} : { request };
  return orThrow(yield* decided(world, id, (doc) => write(world, doc, own, options)));
}

/** The rule of a command, which changes nothing for a repeat. */
const once =
  (world: World, { id, request, written }: Command, rule: Rule, isWrite: boolean): Rule =>
  (order, now, version) => {
    if (request !== undefined && world.isHandled(id, request)) return accept(order);
    const decision = rule(order, now, version);
    if (isWrite && !isRefused(decision) && decision.next !== order) written?.();
    return decision;
  };

const orThrow = (outcome: Outcome): Doc => {
  const refused = outcome.refused ?? outcome.answer;
  if (refused) throw new Refused(refused);
  return outcome.doc;
};

/** Repeats a decision after what must come first: an expiry, or the sale of a paid order. */
function* decided<Result extends Outcome>(
  world: World,
  id: string,
  decide: (doc: Doc) => Steps<Result>,
): Steps<Result> {
  for (let tries = 1; ; tries += 1) {
    const outcome = yield* decide(yield* read(world, id));
    if (outcome.refused === 'past_due' && tries < TRIES) yield* expireNow(world, outcome.doc);
    else if (outcome.refused === 'sale_due' && tries < TRIES)
      try {
        yield* sell(world, outcome.doc);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
    else return outcome;
  }
}

export interface StockFirst<Effect> {
  readonly rule: Rule;
  readonly effect: (doc: Doc, next: Doc['order']) => Steps<Effect>;
  readonly write: (effect: Effect) => Rule;
  readonly sold?: (effect: Effect) => readonly string[];
}

/** Changes places first, then writes the order once. @throws Refused, Unavailable */
export function* runStockFirst<Effect>(world: World, command: Command, stockFirst: StockFirst<Effect>): Steps<Doc> {
  const soldIds: string[] = [];
  const release = function* (doc: Doc): Steps {
    if (doc.order.state === 'confirmed' || doc.order.state === 'cancelled')
      yield* releaseSold(world, doc, soldIds, doc.version);
  };
  try {
    const doc = yield* tryStockFirst(world, command, stockFirst, soldIds);
    yield* release(doc);
    return doc;
  } catch (error) {
    if (soldIds.length > 0) yield* release(yield* read(world, command.id));
    throw error;
  }
}

function* tryStockFirst<Effect>(
  world: World,
  command: Command,
  { rule, effect, write: writing, sold = () => [] }: StockFirst<Effect>,
  soldIds: string[],
): Steps<Doc> {
  for (let tries = 1; ; tries += 1) {
    const preview = once(world, command, rule, false);
    // biome-ignore lint/correctness/useYield: it decides on what was read.
    const decide = function* (doc: Doc) {
      return world.preview(doc, preview);
    };
    const before = yield* decided(world, command.id, decide);
    orThrow(before);
    if (command.request !== undefined && world.isHandled(command.id, command.request)) return before.doc;
    const had = yield* effect(before.doc, before.next);
    soldIds.push(...sold(had));
    try {
      const { version } = before.doc;
      const rule = writing(had);
      const own: Rule = (order, now, current) =>
        world.rules.fits(current, version) ? rule(order, now, current) : refuse('overtaken');
      return yield* runCommand(world, command, own);
    } catch (error) {
      if (!(error instanceof Refused) || error.reason !== 'overtaken' || tries === TRIES) throw error;
    }
  }
}
