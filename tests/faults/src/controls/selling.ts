import { contention } from '../scenarios/contention.ts';
import { doubled } from '../scenarios/doubled.ts';
import { exchanges } from '../scenarios/exchanges.ts';
import { killsAt } from '../scenarios/kills.ts';
import { races } from '../scenarios/races.ts';
import type { Control } from './control.ts';

/** A payment whose process died is left to nobody. */
export const paidForgotten: Control = {
  name: 'paid-forgotten',
  bug: 'the sweep does not sell what is paid in full, so a payment whose process died confirms nothing',
  engines: 'embedded',
  mutations: [
    {
      file: 'services/orders/src/steps/sweep.ts',
      from: "await eachUpTo(context, 'saleDue.since', now - LATE_MS, (order) => sell(context, order));",
      to: '',
    },
  ],
  scenario: killsAt(['orders-before-sale', 'catalog-sale-answered', 'orders-after-sale']),
};

/** A late sale takes a place from the next order. */
export const saleWithoutHolder: Control = {
  name: 'sale-without-holder',
  bug: 'a slow sale does not ask whose hold a place is, so it sells what its order has released',
  engines: 'embedded',
  mutations: [
    {
      file: 'services/catalog/src/stock/changes.ts',
      from: "const only = await places.claim({ where: { id, holder, state: 'held' }, set: sold });",
      to: `await new Promise((resolve) => setTimeout(resolve, 200 * Math.random()));
    const only = await places.claim({ where: { id }, set: sold });`,
    },
  ],
  scenario: races,
};

/** A confirmation after a cancellation takes effect. */
export const confirmedWithoutState: Control = {
  name: 'confirmed-without-state',
  bug: 'a confirmation compares neither version nor state of its order after the sale, so it undoes a cancellation',
  engines: 'embedded',
  mutations: [
    {
      file: 'services/orders/src/steps/command.ts',
      from: "order.version === version ? rule(order, now) : refuse('overtaken');",
      to: 'rule(order, now);',
    },
    {
      file: 'services/orders/src/orders/confirm.ts',
      from: 'confirmedBy(rule(order, now), sale, now);',
      to: 'confirmedBy(accept(order), sale, now);',
    },
  ],
  scenario: races,
};

/** A late release frees what the order has again. */
export const releaseWithoutVersion: Control = {
  name: 'release-without-version',
  bug: 'a slow release of a removed line does not carry the version of the order, so it frees what the order has again',
  engines: 'embedded',
  mutations: [
    {
      file: 'services/orders/src/orders/lines.ts',
      from: 'await context.stock.release(institution, id, { placeIds, asOf, sold: true });',
      to: `await new Promise((resolve) => setTimeout(resolve, 200 * Math.random()));
  await context.stock.release(institution, id, { placeIds, sold: true });`,
    },
  ],
  scenario: exchanges,
};

/** A repeat of a payment pays again. */
export const paymentNotDerived: Control = {
  name: 'payment-not-derived',
  bug: 'the id of a payment does not follow from its key, so a repeat after a crash is another payment',
  engines: 'embedded',
  mutations: [
    {
      file: 'services/orders/src/payments/routes.ts',
      from: "idMadeBy(command.idempotencyRecord, 'pay') ?? context.newId('pay')",
      to: "context.newId('pay')",
    },
  ],
  scenario: killsAt(['orders-before-sale', 'catalog-sale-answered', 'orders-after-sale']),
};

/** An order that is paid in full expires. */
export const paymentIgnored: Control = {
  name: 'payment-ignored',
  bug: 'an expiry does not ask whether the order is paid in full, so it releases places that are being sold',
  engines: 'embedded',
  mutations: [
    {
      file: 'services/orders/src/domain/order/state.ts',
      from: 'isUnpaid(order) && order.saleDue == null && order.deadline',
      to: 'isUnpaid(order) && order.deadline',
    },
    {
      file: 'services/orders/src/domain/order/expiry.ts',
      from: '(isOver(order, now) ? soldIfPaid(order, now) : undefined) ?? expiredUnsold(order, now);',
      to: 'expiredUnsold(order, now);',
    },
  ],
  scenario: races,
};

/** An expiry releases what the order has got since. */
export const olderEventObeyed: Control = {
  name: 'older-event-obeyed',
  bug: 'the expiry of an earlier version of an order releases the places that it has bought since',
  engines: 'embedded',
  mutations: [
    {
      file: 'services/catalog/src/stock/releases.ts',
      from: 'where: { holder: orderId, asOf: { lt: before } }',
      to: 'where: { holder: orderId }',
    },
  ],
  scenario: doubled,
};

/** An attempt that finds too few places retains those that it found. */
export const holdForgotten: Control = {
  name: 'hold-forgotten',
  bug: 'a hold that finds too few places does not release those that it has taken',
  engines: 'embedded',
  mutations: [
    {
      file: 'services/catalog/src/stock/claim.ts',
      from: `const { short, taken } = outcome;
    await releaseTaken(places, claim, taken);`,
      to: 'const { short } = outcome;',
    },
  ],
  scenario: contention,
};
