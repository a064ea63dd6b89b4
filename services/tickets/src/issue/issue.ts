import { signBarcode } from '../barcode/barcode.ts';
import {
  type Collections,
  type Context,
  createInstitutionContext,
  type InstitutionContext,
  readTimestamp,
} from '../context.ts';
import { follow, setBeneficiary } from '../domain/beneficiary.ts';
import {
  applyConfirmation,
  type Confirmed,
  createOrder,
  createTicket,
  type IssuingOrder,
  type OrderedTicket,
  type OrderTickets,
  selectCurrent,
} from '../domain/order.ts';
import { completeOrigin, findNewOrigin, setContact, type Ticket } from '../domain/ticket.ts';
import { changeOrInsert, type OrderDocument, type TicketDocument } from '../store.ts';
import { changeLine, listOrderTickets } from '../tickets/lineage.ts';
import { changeOrReplace } from '../tickets/replacement.ts';
import { deleteNames, isErased } from '../tickets/tickets.ts';

export type TicketSummary = Pick<Ticket, 'id' | 'lineId' | 'status'>;

/** Resolves to every ticket of the order; those of `ordered` that are not there are inserted as `finish` makes them. */
export async function issueMissing(
  context: InstitutionContext,
  order: OrderDocument,
  ordered: readonly OrderedTicket[],
  finish: (ticket: Ticket, all: readonly Ticket[]) => Ticket = (ticket) => ticket,
): Promise<TicketDocument[]> {
  const { collections } = context;
  const all = await listOrderTickets(collections, order.id);
  const there = new Set(all.map(({ id }) => id));
  const missing = ordered.filter(({ ticketId }) => !there.has(ticketId));
  if (missing.length === 0) return all;
  const made = await createTickets(context, order, missing);
  await collections.tickets.insertMany(made.map((ticket) => finish(ticket, all)));
  return listOrderTickets(collections, order.id);
}

export async function createTickets(
  context: InstitutionContext,
  order: IssuingOrder,
  ordered: readonly OrderedTicket[],
): Promise<Ticket[]> {
  const key = await context.keys.signing(context.collections.institution);
  const now = readTimestamp(context);
  const iat = Math.floor(context.now() / 1000);
  return ordered.map((one) => {
    const barcode = signBarcode(key, { tid: one.ticketId, prf: one.performanceId, plc: one.place.id, iat });
    return createTicket(order, one, barcode, now);
  });
}

/** Without those that the settlement of a change issues. */
const listIssued = ({ tickets }: OrderTickets) => tickets.filter(({ replaces }) => replaces === undefined);

/** None for a cancelled order. Idempotent: the order's document is written first, and decides against a cancellation. */
export async function issue(context: Context, institution: string, fact: Confirmed): Promise<TicketSummary[]> {
  const own = createInstitutionContext(context, institution);
  const { collections } = own;
  const { document: order, isInserted } = await changeOrInsert(
    collections.orders,
    createOrder(fact, readTimestamp(context)),
    (known) => applyConfirmation(known, fact),
    true,
  );
  if (order.cancellation && order.tickets.length === 0) return [];
  if (isInserted) {
    const fresh = await createTickets(own, order, listIssued(order));
    if ((await collections.tickets.insertMany(fresh)) === fresh.length) {
      await repeatErasure(context, collections, order, fresh);
      return fresh;
    }
  }
  let all = order.cancellation
    ? await listOrderTickets(collections, order.id)
    : await issueMissing(own, order, listIssued(order));
  await followOrder(collections, all, order, readTimestamp(context));
  if (!order.cancellation && (await followNames(own, all, order))) all = await listOrderTickets(collections, order.id);
  await repeatErasure(context, collections, order, all);
  return selectCurrent(all);
}

/** Removes names of a buyer who was erased before. Runs last, so that no concurrent erasure is missed. */
export async function repeatErasure(
  context: Context,
  collections: Collections,
  { contactNumber, tickets: ordered }: OrderTickets,
  tickets: readonly Ticket[],
): Promise<void> {
  if (contactNumber === null || ![...ordered, ...tickets].some(({ beneficiary }) => beneficiary)) return;
  if (await isErased(collections, contactNumber)) await deleteNames(context, collections, contactNumber);
}

/** Its buyer, the sales channel and the maker that an earlier release left out, and the names that 0.3.0 waited for. */
const followOrder = async (
  collections: Collections,
  all: readonly TicketDocument[],
  order: OrderDocument,
  now: string,
): Promise<void> => {
  const { contactNumber, asOf, tickets } = order;
  const change = async (
    isBehind: (ticket: TicketDocument) => boolean,
    step: (ticket: TicketDocument) => TicketDocument,
  ) => {
    for (const ticket of all.filter(isBehind)) await changeLine(collections, ticket, step);
  };
  await change(
    ({ contactAsOf }) => contactAsOf < asOf,
    (found) => setContact(found, contactNumber, asOf),
  );
  await change(
    (ticket) => findNewOrigin(ticket, order) !== undefined,
    (found) => completeOrigin(found, order),
  );
  const names = new Map(tickets.map(({ lineId, beneficiary }) => [lineId, beneficiary ?? null]));
  await change(
    (ticket) => !ticket.named,
    (found) => setBeneficiary(found, names.get(found.lineId) ?? null, now),
  );
};

/** Follows what the order has changed since its confirmation; replaces printed tickets. */
const followNames = async (
  context: InstitutionContext,
  all: readonly TicketDocument[],
  order: OrderDocument,
): Promise<boolean> => {
  const changed = new Map(order.tickets.map((ordered) => [ordered.lineId, ordered]));
  let any = false;
  for (const ticket of selectCurrent(all)) {
    const { beneficiary = null, beneficiaryAsOf: asOf = 0 } = changed.get(ticket.lineId) ?? {};
    if ((ticket.namedAsOf ?? 0) >= asOf) continue;
    any = true;
    for (let id = ticket.id; ; ) {
      const now = await changeOrReplace(context, id, { ifMatch: () => {} }, (found, asNew, at) => ({
        next: follow(found, { beneficiary, asOf }, asNew, at),
      }));
      // A ticket that was replaced meanwhile has a successor that follows.
      if (now.id === id || (now.namedAsOf ?? 0) >= asOf) break;
      id = now.id;
    }
  }
  return any;
};
