// Tickets whose names do not come: issued without them.

import type { Logger } from '@boxoffice/runtime';
import { type Context, contextIn } from '../context.ts';
import { type OrderDocument, ordersCollection } from '../store.ts';
import { withMissing } from './issue.ts';

/** Orders, and the instance that takes over for a dead one, have repeated the direct call by then several times. */
export const OVERDUE_MS = 30_000;

/**
 * Issues the tickets of an order without names, and ends its wait. A late call still names them. The wait ends last, so
 * that a crash in between is repeated. An order that was cancelled meanwhile has its tickets.
 */
const issueWithoutNames = async (context: Context, order: OrderDocument, logger: Pick<Logger, 'warn'>) => {
  const { id, institution } = order;
  const own = contextIn(context, institution);
  if (!order.named && !order.cancellation) {
    await withMissing(own, order);
    logger.warn('tickets were issued without names, since orders has not called', { institution, id });
  }
  await own.collections.orders.update(id, (found) =>
    found.callAwaitedSince == null ? undefined : { next: { ...found, callAwaitedSince: null } },
  );
};

/**
 * Issues the tickets for which the direct call of orders has not come in time: their buyers have paid. Safe to run in
 * several instances.
 */
export const issueOverdue = async (context: Context, logger: Pick<Logger, 'warn'>): Promise<void> => {
  const until = new Date(context.now() - OVERDUE_MS).toISOString();
  const overdue = await context.store.collection(ordersCollection).acrossInstitutions.find({
    where: { callAwaitedSince: { lte: until } },
    orderBy: 'callAwaitedSince',
    limit: 500,
  });
  for (const order of overdue) await issueWithoutNames(context, order, logger);
};
