import { UniqueViolation } from '@boxoffice/store';
import {
  type Collections,
  type Context,
  createInstitutionContext,
  type InstitutionContext,
  readTimestamp,
} from '../context.ts';
import { computeCancellation, createTombstone, selectCancellable } from '../domain/order.ts';
import { cancel } from '../domain/ticket.ts';
import { createTicketsCancelledFact } from '../events.ts';
import type { OrderDocument, TicketDocument } from '../store.ts';
import { changeLines } from '../tickets/lineage.ts';
import { issueMissing } from './issue.ts';

export interface OrderCancelled {
  readonly orderId: string;
  /** Cancels controlled tickets, too. */
  readonly override: boolean;
  readonly placeIds: readonly string[];
}

/**
 * Publishes the result once, and with override once more if tickets had stayed controlled; each ticket's own write
 * decides whether it was controlled before. Idempotent.
 */
export async function cancelTickets(context: Context, institution: string, fact: OrderCancelled): Promise<void> {
  const own = createInstitutionContext(context, institution);
  const { collections } = own;
  const { orderId, override, placeIds } = fact;
  const isOver = ({ cancellation }: Pick<OrderDocument, 'cancellation'>) =>
    cancellation !== null && !(override && cancellation.keptPlaceIds.length > 0);
  for (;;) {
    const order =
      (await collections.orders.get(orderId)) ?? (await writeTombstone(collections, fact, readTimestamp(context)));
    if (!order || isOver(order)) return;
    const lines = selectCancellable(await allTickets(own, order));
    const done = await changeLines(collections, lines, (found) => cancel(found, override, readTimestamp(context)));
    const cancellation = computeCancellation(done, placeIds, readTimestamp(context));
    const written = await collections.orders.update(orderId, (found) => {
      // Another instance was faster, or the order lists tickets that were not read above.
      if (found.version !== order.version) return undefined;
      return { next: { ...found, cancellation }, events: [createTicketsCancelledFact(orderId, cancellation)] };
    });
    if (written && isOver(written)) return;
  }
}

/** Resolves to the order instead if another instance has inserted it meanwhile. */
const writeTombstone = async (
  collections: Collections,
  { orderId, placeIds }: OrderCancelled,
  now: string,
): Promise<OrderDocument | undefined> => {
  const order = createTombstone(orderId, placeIds, now);
  try {
    await collections.orders.insert(order, { events: [createTicketsCancelledFact(orderId, order.cancellation)] });
    return undefined;
  } catch (error) {
    const known = error instanceof UniqueViolation ? await collections.orders.get(orderId) : undefined;
    if (!known) throw error;
    return known;
  }
};

/** A ticket that an interrupted issue has not written is inserted as cancelled: a late insert finds its id taken. */
const allTickets = (context: InstitutionContext, order: OrderDocument): Promise<TicketDocument[]> =>
  issueMissing(context, order, order.tickets, (ticket, all) => {
    const replaces = all.find(({ replacedBy }) => replacedBy === ticket.id)?.id ?? null;
    return { ...ticket, status: 'cancelled', beneficiary: null, replaces };
  });
