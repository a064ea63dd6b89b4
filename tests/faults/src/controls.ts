// Controls: bugs that are planted in the running product, one at a time, and that the harness must catch.

import type { Mutation } from './inside/orders.ts';
import type { Violation } from './invariants/verdict.ts';
import type { Scenario } from './round/round.ts';
import { changes } from './scenarios/changes.ts';
import { contention, exchanges, races } from './scenarios/contention.ts';
import { discounts } from './scenarios/discounts.ts';
import { kills } from './scenarios/kills.ts';
import { messages } from './scenarios/messages.ts';
import { payments } from './scenarios/payments.ts';
import { signIns } from './scenarios/sign-ins.ts';

/** A bug of the embedded deployment that the harness must catch. */
export interface Control {
  /** As `--control` names it. */
  readonly name: string;
  /** The programmer's mistake, in words. */
  readonly bug: string;
  readonly mutations: readonly Mutation[];
  /** The scenario that catches it, played until it does, with kills at these points. */
  readonly scenario: Scenario;
  readonly points?: readonly string[];
}

/** Whether the violation shows a bug: those of a scenario's own expectations may have other causes. */
export function isBug({ invariant }: Violation): boolean {
  return invariant !== 'round';
}

/**
 * Longer than the outbox takes to mark what is acknowledged, also where writes are slow: a kill in between loses it.
 */
const UNCOMMITTED_MS = 1_000;

const LATER = 'await new Promise((resolve) => setTimeout(resolve, 200 * Math.random()));';
const saleKills = ['orders-before-sale', 'catalog-sale-answered', 'orders-after-sale'];

/** All controls, in the order of play. */
export const controls: readonly Control[] = [
  {
    name: 'acknowledged-early',
    bug: 'a message is acknowledged before its reaction has committed',
    mutations: [
      {
        file: 'libs/messaging/src/attempts.ts',
        from: 'await handler(message, attempt);',
        to: `setTimeout(() => void handler(message, attempt).catch(() => undefined), ${UNCOMMITTED_MS});`,
      },
    ],
    scenario: kills,
    points: ['tickets-cancelled-received', 'catalog-tickets-cancelled-received', 'orders-released-received'],
  },
  {
    name: 'claim-without-compare-and-swap',
    bug: 'a claim reads the places that are free, and writes them without comparing them again',
    mutations: [
      {
        file: 'libs/store/src/sqlite/documents.ts',
        from: 'const rows = unwrapAnswer(await file.write([claimStep(table, institution, request)]));',
        to: `const { where, set, limit } = request;
      const found = await documentsOf(file, table, institution).find({ where, limit });
      const chosen = { where: { id: { in: found.map(({ id }) => id) } }, set };
      const rows = unwrapAnswer(await file.write([claimStep(table, institution, chosen)]));`,
      },
    ],
    scenario: contention,
  },
  {
    name: 'paid-forgotten',
    bug: 'what is paid in full does not make its sale due, so a payment whose process died confirms nothing',
    mutations: [
      {
        file: 'services/orders/src/follows.ts',
        from: 'sell: soonAfter(order.saleDue?.since),',
        to: 'sell: null,',
      },
    ],
    scenario: kills,
    points: saleKills,
  },
  {
    name: 'sale-without-holder',
    bug: 'a slow sale does not ask whose hold a place is, so it sells what its order has released',
    mutations: [
      {
        file: 'services/catalog/src/stock/changes.ts',
        from: "const claimed = which ? await places.claim({ where: { id: which, holder, state: 'held' }, set: sold }) : [];",
        to: `${LATER}
  const claimed = which ? await places.claim({ where: { id: which }, set: sold }) : [];`,
      },
    ],
    scenario: races,
  },
  {
    name: 'confirmed-without-state',
    bug: 'a confirmation compares neither version nor state of its order after the sale, so it undoes a cancellation',
    mutations: [
      {
        file: 'services/orders/src/saga/command.ts',
        from: "order.version === version ? rule(order, now) : refuse('overtaken');",
        to: 'rule(order, now);',
      },
      {
        file: 'services/orders/src/orders/actions.ts',
        from: 'confirmBySale(rule(order, now), sale, now);',
        to: 'confirmBySale(accept(order), sale, now);',
      },
    ],
    scenario: races,
  },
  {
    name: 'release-without-version',
    bug: 'a slow release of a removed line does not carry the version of the order, so it frees what the order has again',
    mutations: [
      {
        file: 'services/orders/src/saga/release.ts',
        from: 'await context.stock.release(institution, id, { placeIds, asOf, sold: true });',
        to: `${LATER}
  await context.stock.release(institution, id, { placeIds, sold: true });`,
      },
    ],
    scenario: exchanges,
  },
  {
    name: 'payment-not-derived',
    bug: 'the id of a payment does not follow from its key, so a repeat after a crash is another payment',
    mutations: [
      {
        file: 'services/orders/src/payments/routes.ts',
        from: "deriveIdFromKey(command.idempotencyRecord, 'pay') ?? context.newId('pay')",
        to: "context.newId('pay')",
      },
    ],
    scenario: kills,
    points: saleKills,
  },
  {
    name: 'older-event-obeyed',
    bug: 'the expiry of an earlier version of an order releases the places that it has bought since',
    mutations: [
      {
        file: 'services/catalog/src/reactions.ts',
        from: 'where: { holder: orderId, asOf: { lt: before } }',
        to: 'where: { holder: orderId }',
      },
    ],
    scenario: messages,
  },
  {
    name: 'usage-overwritten',
    bug: 'a report replaces the usage that its interval has, instead of being added to it',
    mutations: [
      {
        file: 'authorizer/src/usage/report.ts',
        from: 'rows: mergeRows(current?.rows ?? [], added),',
        to: 'rows: mergeRows([], added),',
      },
    ],
    scenario: signIns,
    points: ['gateway-after-report', 'authorizer-report-answered'],
  },
  {
    name: 'predecessor-ignored',
    bug: 'a fact whose predecessor has not arrived gets its event at once, so that the earlier change has none',
    mutations: [
      {
        file: 'services/events/src/log/log.ts',
        from: "if (before !== null && last < before) return 'early';",
        to: '',
      },
    ],
    scenario: messages,
  },
  {
    name: 'refund-sent-again',
    bug: 'a refund without an answer is sent again under another key, without a look whether the provider has made it',
    mutations: [
      {
        file: 'services/payments/src/refunds/refund.ts',
        from: 'if (attempt === 0) return undefined;',
        to: 'if (reference === null) return undefined;',
      },
      {
        file: 'services/payments/src/domain/refund.ts',
        from: 'if (attempt === 0 || sentAt === null) return false;',
        to: 'return false;',
      },
    ],
    scenario: payments,
    points: ['payments-after-refund'],
  },
  {
    name: 'report-marked-early',
    bug: 'that orders has a payment is recorded before orders has answered, so a report that is lost is not repeated',
    mutations: [
      {
        file: 'services/payments/src/pages/report.ts',
        from: 'const known = await context.orders.reportPayment(institution, payment);',
        to: `await context.payments.of(institution).update(id, (current) => {
    const next = { ...current, reported: true };
    return { next, due: { ask: computeNextAsk(next, context.now()) } };
  });
  const known = await context.orders.reportPayment(institution, payment);`,
      },
    ],
    scenario: payments,
    points: ['payments-before-payment-report'],
  },
  {
    name: 'use-claimed-at-checkout',
    bug: 'a use of a discount is not held with the places: only the sale takes it, if it is free then',
    mutations: [
      {
        file: 'services/catalog/src/stock/uses.ts',
        from: 'until: Date.parse(heldUntil),',
        to: 'until: now(),',
      },
    ],
    scenario: discounts,
    points: ['orders-before-uses'],
  },
  {
    name: 'use-lost-by-expiry',
    bug: 'a use of a discount has no end of its own, and the expiry of its order leaves it',
    mutations: [
      {
        file: 'services/catalog/src/stock/uses.ts',
        from: 'until: Date.parse(heldUntil),',
        to: 'until: 8_000_000_000_000_000,',
      },
      {
        file: 'services/catalog/src/reactions.ts',
        from: 'where: { holder: orderId, asOf: { lt: before } }',
        to: "where: { holder: orderId, asOf: { lt: before }, performanceId: { gt: 'e' } }",
      },
    ],
    scenario: discounts,
    points: ['orders-before-uses'],
  },
  {
    name: 'use-given-back-twice',
    bug: 'what is released is released again a moment later, whoever has it then',
    mutations: [
      {
        file: 'services/catalog/src/stock/changes.ts',
        from: '  return places.claim({\n    where: {\n      holder,\n      state: sold',
        to: `  setTimeout(() => void places.claim({ where: { id: { in: placeIds ?? [] }, performanceId: { lt: 'e' } }, set: freed }), 300);
  return places.claim({
    where: {
      holder,
      state: sold`,
      },
    ],
    scenario: discounts,
    points: ['orders-before-uses'],
  },
  {
    name: 'percent-of-a-fee',
    bug: 'a fee of a percentage is of the price with the fees before it',
    mutations: [
      {
        file: 'libs/prices/src/price.ts',
        from: 'fees.map((fee) => ({ ...fee, amount: computeShare(fee.effect, price) }));',
        to: 'fees.map((fee, nth) => ({ ...fee, amount: computeShare(fee.effect, price + (nth > 0 ? 100 : 0)) }));',
      },
    ],
    scenario: discounts,
    points: ['orders-before-uses'],
  },
  {
    name: 'new-places-sold-early',
    bug: 'the new places of an exchange are sold before a write names them, so a dead process leaves them sold to nobody',
    mutations: [
      {
        file: 'services/orders/src/changes/hold.ts',
        from: 'const { lines, currency, until } = createHeldLines(',
        to: `await context.stock.sell(institution, holder, { placeIds: held.lines.map(({ place }) => place.id) });
  const { lines, currency, until } = createHeldLines(`,
      },
    ],
    scenario: changes,
    points: ['catalog-sale-answered', 'orders-after-sale'],
  },
  {
    name: 'released-by-holder',
    bug: 'the release that follows a change names no places, so it frees all that the order has had for so long',
    mutations: [
      {
        file: 'services/orders/src/saga/change.ts',
        from: 'release(institution, id, { placeIds, asOf, sold: true });',
        to: 'release(institution, id, { asOf, sold: true });',
      },
    ],
    scenario: changes,
    points: ['orders-before-release'],
  },
  {
    name: 'returned-ticket-issued-again',
    bug: 'the ticket of a returned line is deleted and not kept as cancelled, so a repeated issue makes it again',
    mutations: [
      {
        file: 'services/tickets/src/issue/change.ts',
        from: 'const made = await issueReplacing(own, order, change, left);',
        to: `for (const { id, lineId } of left)
    if (change.returned.some((one) => one.lineId === lineId)) await collections.tickets.delete(id);
  const made = await issueReplacing(own, order, change, left);`,
      },
    ],
    scenario: changes,
    points: ['tickets-tickets-answered'],
  },
  {
    name: 'cancelled-for-a-former-line',
    bug: 'a cancelled performance cancels the orders that have had a line of it, too',
    mutations: [
      {
        file: 'services/orders/src/domain/changes/follow.ts',
        from: 'if (gone.length === 0) return',
        to: 'if (order.formerLines?.some(isOver)) return undefined;\n  if (gone.length === 0) return',
      },
    ],
    scenario: changes,
    points: ['orders-before-release'],
  },
];

/** The control of that name. @throws {Error} when there is none */
export function requireControl(name: string): Control {
  const found = controls.find((control) => control.name === name);
  if (!found) throw new Error(`there is no control ${name}`);
  return found;
}
