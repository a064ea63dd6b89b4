import { type Code, Fault } from '@boxoffice/envelope';
import type { Fact, IdempotencyRecord } from '@boxoffice/store';
import { type Collections, type Context, type InstitutionContext, readTimestamp } from '../context.ts';
import { eraseNames } from '../domain/beneficiary.ts';
import { eraseBeneficiaries } from '../domain/order.ts';
import { applyMove } from '../domain/performance.ts';
import type * as domain from '../domain/ticket.ts';
import type { TicketDocument } from '../store.ts';
import { computeEtag } from './answers.ts';
import { changeLine, findTicket } from './lineage.ts';

export interface Request {
  readonly idempotencyRecord?: IdempotencyRecord<TicketDocument> | undefined;
  readonly ifMatch: (validator: string) => void;
  /** Throws if the request changes a read-only member. */
  readonly requireUnchanged?: (ticket: domain.Ticket) => void;
}

/** For partners, and for a point of sale that names a ticket. */
const refusals = {
  not_printed: { partner: 'ticket_not_printed', pointOfSale: 'precondition_failed' },
  cancelled: { partner: 'ticket_cancelled', pointOfSale: 'precondition_failed' },
  invalidated: { partner: 'ticket_invalidated', pointOfSale: 'conflict' },
  order_cancelled: { partner: 'order_cancelled', pointOfSale: 'precondition_failed' },
  // The only other status in which a ticket cannot be named is `controlled`.
  wrong_status: { partner: 'precondition_failed', pointOfSale: 'ticket_already_controlled' },
  already_controlled: { partner: 'ticket_already_controlled', pointOfSale: 'ticket_already_controlled' },
  not_valid: { partner: 'ticket_not_valid_now', pointOfSale: 'precondition_failed' },
  wrong_time: { partner: 'validation_error', pointOfSale: 'validation_error' },
} as const satisfies Record<domain.Reason, Record<'partner' | 'pointOfSale', Code>>;

/** @throws {Fault} the code of a refusal for its reader */
export function requireAllowed<T extends domain.Ticket>(
  decision: domain.Decision<T>,
  reader: 'partner' | 'pointOfSale' = 'partner',
): T {
  if ('next' in decision) return decision.next;
  throw new Fault(refusals[decision.refused][reader], decision.details);
}

/** @throws {Fault} `not_found`: the same for another institution's ticket and an unknown id */
export async function getTicket(collections: Collections, id: string): Promise<TicketDocument> {
  const ticket = await findTicket(collections, id);
  if (!ticket) throw new Fault('not_found', 'There is no ticket with this id.');
  return ticket;
}

/** As they are now: a ticket stores those of its sale. */
export async function applyPerformances<T extends domain.Ticket>(
  { performances }: Pick<Collections, 'performances'>,
  tickets: readonly T[],
): Promise<T[]> {
  const ids = [...new Set(tickets.map(({ performanceId }) => performanceId))];
  const moved = ids.length === 0 ? [] : await performances.find({ where: { id: { in: ids } } });
  const byId = new Map(moved.map((performance) => [performance.id, performance]));
  return tickets.map((ticket) => applyMove(ticket, byId.get(ticket.performanceId)));
}

export async function applyPerformance<T extends domain.Ticket>(
  { performances }: Pick<Collections, 'performances'>,
  ticket: T,
): Promise<T> {
  return applyMove(ticket, await performances.get(ticket.performanceId));
}

/** @throws {Fault} `not_found`, or the code of the rule that refuses the command */
export async function changeTicket(
  context: InstitutionContext,
  id: string,
  { idempotencyRecord, ifMatch }: Request,
  command: (ticket: TicketDocument, now: string) => domain.Decision<TicketDocument>,
  fact?: (ticket: domain.Ticket) => Fact,
): Promise<TicketDocument> {
  const { collections } = context;
  const run = () =>
    collections.tickets.update(
      id,
      (ticket) => {
        ifMatch(computeEtag(ticket));
        const next = requireAllowed(command(ticket, readTimestamp(context)));
        return { next, events: fact ? [fact(next)] : [] };
      },
      { idempotencyRecord },
    );
  const written = await run();
  if (written) return written;
  // Absent, or its replacement was interrupted: getTicket completes that, then the command runs again.
  await getTicket(collections, id);
  return (await run()) ?? getTicket(collections, id);
}

/** For confirmations that arrive later. */
export async function recordErasure(context: Context, collections: Collections, contactNumber: string): Promise<void> {
  const id = deriveErasureId(collections, contactNumber);
  await collections.erasedContacts.insertMany([{ id, contactNumber, heardAt: readTimestamp(context) }]);
}

const deriveErasureId = ({ institution }: Collections, contactNumber: string): string =>
  `${institution} ${contactNumber}`;

export async function isErased(collections: Collections, contactNumber: string): Promise<boolean> {
  return (await collections.erasedContacts.get(deriveErasureId(collections, contactNumber))) !== undefined;
}

/** On its tickets, in its orders' requested tickets, and in recorded answers. */
export async function deleteNames(context: Context, collections: Collections, contactNumber: string): Promise<void> {
  const { idempotency } = context.store;
  // Orders first: tickets that are not written yet are made from them.
  for (const { id } of await collections.orders.find({ where: { contactNumber } })) {
    await collections.orders.update(id, (order) => {
      const next = eraseBeneficiaries(order);
      return next === order ? undefined : { next };
    });
  }
  for (const ticket of await collections.tickets.find({ where: { contactNumber } })) {
    await changeLine(
      collections,
      ticket,
      (found) => eraseNames(found, readTimestamp(context)),
      // Answers recorded before the contact became the buyer do not have it among their subjects.
      async ({ id, contactChanged }) => void (contactChanged && (await idempotency.forget(id))),
    );
  }
  await idempotency.forget(contactNumber);
}
