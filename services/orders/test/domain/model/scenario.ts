import assert from 'node:assert/strict';
import { newDraft } from '../../../src/domain/opening.ts';
import { type Decision, isRefused } from '../../../src/domain/order/decision.ts';
import type { DomainFact } from '../../../src/domain/order/facts.ts';
import type { NewLine, Order, Place } from '../../../src/domain/order/order.ts';
import type { PendingStep } from '../../../src/domain/order/pending-step.ts';
import type { Reason } from '../../../src/domain/refusals.ts';
import type { ReleaseCause } from '../../../src/domain/settlement.ts';
import { checkOrder, checkRefusal, checkWrite, type Kind, type Ledger } from './invariants.ts';
import type { Rules } from './rules.ts';
import { createStock } from './stock.ts';
import { createTickets, type TicketFact, type TicketsCancelled } from './tickets.ts';

export type Message =
  | { readonly to: 'catalog' | 'tickets'; readonly version: number; readonly fact: DomainFact }
  | {
      readonly to: 'catalog' | 'orders';
      readonly version: number;
      readonly fact: { type: 'tickets.cancelled' } & TicketsCancelled;
    }
  | { readonly to: 'orders'; readonly fact: { type: 'places.released'; cause: ReleaseCause; placesReleased: number } }
  | { readonly to: 'orders'; readonly fact: TicketFact };

/** The outcome of a command: refused, written, or written and answered as failed. */
export interface Outcome {
  readonly refused?: Reason;
  readonly answer?: Reason;
}

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) frozen(member);
  }
  return value;
};

export const START = Date.parse('2031-01-01T12:00:00Z');
export const HOLD_MS = 15 * 60_000;

/** One order and its surroundings: its store, a clock, the catalog, the tickets and the broker between them. */
export const createScenario = (rules: Rules, prices: readonly number[], places: number) => {
  const stock = createStock(10);
  const tickets = createTickets();
  const ledger: Ledger = { captured: 0, refunded: 0, refunds: [] };
  const messages: Message[] = [];
  let now = START;
  let ids = 0;
  const nextId = (prefix: string): string => {
    ids += 1;
    return `${prefix}_${ids}`;
  };
  let version = 1;
  const details = { client: 'c', pointOfSale: null, contactNumber: null, externalReference: null };
  let order: Order | undefined = frozen(
    newDraft({ ...details, id: 'ord_1', performanceIds: ['prf_1'], places, request: 'create', hold: 'create' }, now),
  );

  const check = () => order && checkOrder(order, ledger, stock, now);

  /**
   * One write of the store: the decision, its events and its checks. The rest is checked once the scenario is at
   * rest.
   */
  const write = (decide: (current: Order) => Decision): Outcome => {
    if (!order) return { refused: 'step_lost' };
    const before = order;
    const decision = decide(before);
    if (isRefused(decision)) return { refused: decision.refused.reason };
    if (decision.next !== before) {
      order = frozen(decision.next);
      version += 1;
      checkWrite(before, order, decision.facts, stock);
    } else assert.equal(decision.facts.length, 0);
    for (const fact of decision.facts)
      messages.push({ to: 'catalog', version, fact }, { to: 'tickets', version, fact });
    return decision.answer ? { answer: decision.answer.reason } : {};
  };

  return {
    rules,
    stock,
    tickets,
    ledger,
    messages,
    check,
    write,
    now: () => now,
    version: () => version,
    order: () => order,
    pending: (): PendingStep | null => order?.pendingStep ?? null,
    nextId,
    advance: (ms: number) => {
      now += ms;
    },
    deleteDraft: () => {
      order = undefined;
    },
    /** Runs a command; past due the expiry is written first. Checks that the state or the rule causes a refusal. */
    command: (kind: Kind, decide: (current: Order) => Decision): Outcome => {
      let before = order;
      let outcome = write(decide);
      if (outcome.refused === 'past_due') {
        assert.deepEqual(
          write((current) => rules.expire(current, now)),
          {},
        );
        before = order;
        outcome = write(decide);
      }
      if (before) checkRefusal(kind, before, outcome.refused);
      return outcome;
    },
    lines: (held: readonly Place[]): NewLine[] =>
      held.map((place) => ({
        id: nextId('lin'),
        productId: 'prd_1',
        performanceId: 'prf_1',
        startDate: '2031-02-01T19:00:00.000Z',
        seatCategoryId: 'cat_1',
        tariffId: 'trf_1',
        criterion: null,
        place,
        amount: prices[Number(place.id.slice(4)) % prices.length] ?? 0,
      })),
  };
};

export type Scenario = ReturnType<typeof createScenario>;
