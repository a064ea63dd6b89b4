import assert from 'node:assert/strict';
import type { ReleaseCause } from '../../../src/domain/cancellation.ts';
import { listOwnStock } from '../../../src/domain/changes/change.ts';
import { accept, type Decision, isRefused, type Reason } from '../../../src/domain/decisions.ts';
import { open } from '../../../src/domain/lines.ts';
import type { OneCallSale } from '../../../src/domain/one-call.ts';
import type { DomainFact } from '../../../src/domain/order/facts.ts';
import { computeTotal } from '../../../src/domain/order/money.ts';
import type { NewLine, Order } from '../../../src/domain/order/order.ts';
import { isHandled, isUnpaid, markHandled } from '../../../src/domain/order/state.ts';
import { listStock } from '../../../src/domain/price.ts';
import { followWrite, type OrderWork } from '../../../src/follows.ts';
import { checkMoney, checkOrder, checkWrite, type Ledger } from './invariants.ts';
import { applyPrices, type Claimed, composeLine, UNKNOWN_CODES, type Uses } from './prices.ts';
import type { Rules } from './rules.ts';
import { createStock, isUse, type Stocked } from './stock.ts';
import { createTickets, type TicketFact, type Tickets, type TicketsCancelled } from './tickets.ts';

/** An order in the store. */
export interface Doc {
  readonly id: string;
  readonly version: number;
  readonly order: Order;
  /** The work that is due of it, and when. */
  readonly due: ReadonlyMap<string, number>;
}

export type Message = { readonly id: string; readonly version: number } & (
  | { readonly to: 'catalog' | 'tickets'; readonly fact: DomainFact }
  | { readonly to: 'catalog' | 'orders'; readonly fact: { type: 'tickets.cancelled' } & TicketsCancelled }
  | { readonly to: 'orders'; readonly fact: { type: 'places.released'; cause: ReleaseCause; placesReleased: number } }
  | { readonly to: 'orders'; readonly fact: TicketFact }
);

/** What a rule led to: refused, written, or written and answered as failed. */
export interface Outcome {
  readonly doc: Doc;
  readonly refused?: Reason | undefined;
  readonly answer?: Reason | undefined;
}

export type Rule = (order: Order, now: number, version: number) => Decision;

export const START = Date.parse('2031-01-01T12:00:00Z');
const PLACES = 5;

/** Two orders and their surroundings: their store, a clock, the catalog, the tickets and the broker between them. */
export function createWorld(rules: Rules, prices: readonly number[], uses?: Uses) {
  let now = START;
  let ids = 0;
  const stock = createStock(PLACES, { ...uses }, rules, () => now);
  const docs = new Map<string, Doc>();
  const ledgers = new Map<string, Ledger>();
  const tickets = new Map<string, Tickets>();
  /** How often money had been moved when an order's was checked. */
  const moneyChecked = new WeakMap<Order, number>();
  const messages: Message[] = [];
  const nextId = (prefix: string): string => {
    ids += 1;
    return `${prefix}_${ids}`;
  };
  const of = <Value>(known: Map<string, Value>, id: string, make: () => Value): Value => {
    const value = known.get(id) ?? make();
    known.set(id, value);
    return value;
  };
  const soldLate = new Set<string>();
  /** Orders that one call has created and sells. */
  const ofOneCall = new Set<string>();
  const ledgerOf = (id: string): Ledger =>
    of<Ledger>(ledgers, id, () => ({ captured: new Map(), refunded: new Map(), failed: new Set() }));
  const publish = (id: string, version: number, facts: readonly DomainFact[]): void => {
    for (const fact of facts) messages.push({ to: 'catalog', id, version, fact }, { to: 'tickets', id, version, fact });
  };

  return {
    rules,
    uses,
    stock,
    docs,
    messages,
    /** Calls that have not reached the catalog yet although their callers have gone on or died. */
    late: [] as (() => void)[],
    /** Orders of which a process died, or got no answer. */
    stranded: new Set<string>(),
    /** Places, with their orders, that a sale found held although no line and no release was theirs; until released. */
    soldLate,
    /** Orders whose places were held again after the end of their hold. */
    renewed: new Set<string>(),
    ledgerOf,
    /** Sells places of an order; returns those that it has lost: then nothing is sold. */
    sell: (id: string, ids: readonly string[]): readonly string[] => {
      const order = docs.get(id)?.order;
      const hasEnded = order?.state === 'expired' || order?.state === 'cancelled';
      const lines = hasEnded || !order ? [] : listOwnStock(order);
      const { placeIds: removed = [], asOf: upTo = 0 } = order?.removedPlaces ?? {};
      const isReleasedBy = ({ id: of, to, version, fact }: Message, one: Stocked): boolean => {
        const { place, asOf } = one;
        if (of !== id || to !== 'catalog') return false;
        if (fact.type === 'order.expired') return asOf < version;
        if (fact.type === 'tickets.cancelled') return fact.placeIds.includes(place.id) || isUse(one);
        return fact.type === 'order.cancelled' && !fact.data.hadTickets;
      };
      const isStray = (one: Stocked): boolean =>
        one.state === 'held' &&
        !lines.includes(one.place.id) &&
        !(removed.includes(one.place.id) && one.asOf <= upTo) &&
        !messages.some((message) => isReleasedBy(message, one));
      const strays = stock
        .ownOf(id)
        .filter(isStray)
        .map(({ place }) => place.id);
      const missing = stock.sell(id, ids);
      if (missing.length === 0)
        for (const placeId of ids) if (strays.includes(placeId)) soldLate.add(`${id} ${placeId}`);
      return missing;
    },
    ticketsOf: (id: string): Tickets => of(tickets, id, () => createTickets(rules.forgetsTickets)),
    now: () => now,
    nextId,
    advance: (ms: number): void => {
      now += Math.max(0, ms);
    },
    get: (id: string): Doc | undefined => docs.get(id),
    /**
     * Inserts an order whose places are held, as a new order, a cart or one that a call sells; false if it is there
     * already, or its hold is over.
     */
    insert: (
      id: string,
      {
        lines,
        until,
        pricing,
      }: { readonly lines: readonly NewLine[]; readonly until: number; readonly pricing: Claimed },
      kind: 'order' | 'cart' | 'sold',
      hasCode: boolean,
    ): boolean => {
      if (docs.has(id)) return false;
      const codes = hasCode ? { codes: UNKNOWN_CODES } : {};
      const details = { client: 'c', pointOfSale: null, contactNumber: null, externalReference: null } as const;
      const decision = open(
        { ...details, ...codes, id, ticketDelivery: 'print', lines, currency: 'CHF', until, cart: kind === 'cart' },
        now,
      );
      assert.ok(!isRefused(decision));
      const priced = applyPrices(decision.next, pricing, 1, now);
      const total = computeTotal(priced);
      const sale: OneCallSale =
        total > 0
          ? { payment: { id: `pay_${id}`, method: 'card', amount: total } }
          : { confirmation: { onAccount: false } };
      const made = kind === 'sold' ? rules.beginOneCallSale(priced, sale, now) : accept(priced);
      if (isRefused(made)) return false;
      if (kind === 'sold') ofOneCall.add(id);
      if (kind === 'sold' && total > 0) ledgerOf(id).captured.set('create', total);
      const order = frozen(made.next);
      docs.set(id, { id, version: 1, order, due: dueAfter(undefined, order, 1) });
      return true;
    },
    /** What a rule would lead to; nothing is written. */
    preview: (doc: Doc, rule: Rule): Outcome & { readonly next: Order } => {
      const decision = rule(doc.order, now, doc.version);
      return isRefused(decision)
        ? { doc, next: doc.order, refused: decision.refused.reason }
        : { doc, next: decision.next };
    },
    /** One write of the store: the decision on the order as it is now, its facts and the repeat's record. */
    write: (read: Doc, rule: Rule, { request, gone = false }: { request?: string; gone?: boolean } = {}): Outcome => {
      const stored = docs.get(read.id) ?? read;
      const before = rules.current(stored, read);
      const decision = rule(before.order, now, before.version);
      if (isRefused(decision)) return { doc: stored, refused: decision.refused.reason };
      const answer = decision.answer?.reason;
      if (decision.next === before.order) {
        assert.equal(decision.facts.length, 0);
        return { doc: stored, answer };
      }
      const isDone = request !== undefined && answer === undefined;
      const order = frozen(isDone ? markHandled(decision.next, request) : decision.next);
      const version = stored.version + 1;
      const doc = { id: read.id, version, order, due: dueAfter(stored, order, version) };
      docs.set(read.id, doc);
      checkWrite(stored.order, order, decision.facts, gone);
      publish(read.id, doc.version, decision.facts);
      return { doc, answer };
    },
    /** Moves the due work of an order as a claim does, or ends it, unless that changed since `from`; whether it did. */
    moveDue: (id: string, name: OrderWork, from: number, to: number | null): boolean => {
      const doc = docs.get(id);
      if (doc?.due.get(name) !== from) return false;
      const due = new Map(doc.due);
      if (to === null) due.delete(name);
      else due.set(name, to);
      docs.set(id, { ...doc, due });
      return true;
    },
    isHandled: (id: string, request: string): boolean => {
      const doc = docs.get(id);
      return doc !== undefined && isHandled(doc.order, request);
    },
    lines: (placeIds: readonly string[]): NewLine[] =>
      stock.places
        .filter(({ place }) => placeIds.includes(place.id))
        .map(({ place }) => ({ place, base: prices[Number(place.id.slice(4)) % prices.length] ?? 0 }))
        .map(({ place, base }) => ({
          id: nextId('lin'),
          productId: 'prd_1',
          performanceId: 'prf_1',
          startDate: '2031-02-01T19:00:00.000Z',
          seatCategoryId: 'cat_1',
          tariffId: 'trf_1',
          criterion: null,
          place,
          amount: base,
          ...composeLine(uses, base),
        })),
    /** What holds at every instant. */
    check: (): void => {
      for (const { id, order } of docs.values()) {
        const ledger = ledgerOf(id);
        // Most steps move no money, and orders are never changed in place.
        const moved = ledger.captured.size + ledger.refunded.size + ledger.failed.size;
        if (moneyChecked.get(order) !== moved) checkMoney(order, ledger);
        moneyChecked.set(order, moved);
        checkOrder(order, stock, now);
        const isShown = order.listedAt !== null;
        assert.ok(!ofOneCall.has(id) || isShown !== isUnpaid(order), 'one call sells an order that is seen before');
      }
      const bought = [...docs.values()].flatMap(({ order }) =>
        order.state === 'confirmed' ? listStock(order.lines) : [],
      );
      assert.equal(new Set(bought).size, bought.length, 'a place is sold to two orders');
    },
  };
}

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) frozen(member);
  }
  return value;
};

/** The due work after a write. */
const dueAfter = (before: Doc | undefined, order: Order, version: number): Doc['due'] => {
  const due = new Map(before?.due);
  for (const [name, at] of Object.entries(followWrite(before?.order, { ...order, version })))
    if (at === null) due.delete(name);
    else due.set(name, at);
  return due;
};

export type World = ReturnType<typeof createWorld>;
