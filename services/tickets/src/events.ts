import { createNullableSchema, timestamp } from '@boxoffice/http';
import {
  type Announcement,
  type BelongsTo,
  type CurrentFacts,
  createAnnouncementExample,
  createAnnouncementSchema,
  repeatAnnouncement,
} from '@boxoffice/service';
import { type Fact, readAllDocuments } from '@boxoffice/store';
import { type Static, Type } from 'typebox';
import type { Cancellation } from './domain/order.ts';
import { derivePreviousId, type Status, type Ticket } from './domain/ticket.ts';
import { ordersCollection, type TicketDocument, ticketsCollection } from './store.ts';
import { toTicketView } from './tickets/answers.ts';

const TICKET_CONTROLLED = 'ticket.controlled';
const TICKET_CONTROL_REVERTED = 'ticket.control_reverted';
const TICKET_REPLACED = 'ticket.replaced';
const TICKETS_CANCELLED = 'tickets.cancelled';
export const TICKET_RECORDED = 'ticket.recorded';

const id = Type.String();
const ids = Type.Array(id);
const count = Type.Integer({ minimum: 0 });

/** Consumers rely on these members, and the next release keeps them. */
export const schemas = {
  [TICKET_CONTROLLED]: Type.Object(
    { ticketId: id, orderId: id, controlledAt: timestamp, gate: createNullableSchema(Type.String()) },
    { description: 'A ticket was controlled: it has opened the door.' },
  ),
  [TICKET_CONTROL_REVERTED]: Type.Object(
    { ticketId: id, orderId: id },
    { description: 'The control of a ticket was reverted.' },
  ),
  // The new ticket, and the one that it replaces.
  [TICKET_REPLACED]: Type.Object(
    { ticketId: id, replaces: id, orderId: id, lineId: id },
    { description: 'A new ticket replaces another one, which is invalid.' },
  ),
  [TICKETS_CANCELLED]: Type.Object(
    {
      orderId: id,
      ticketsCancelled: count,
      // Tickets that stay controlled.
      controlled: count,
      // Places of the cancelled tickets, and of those that stay controlled.
      placeIds: ids,
      keptPlaceIds: ids,
    },
    { description: 'The tickets of a cancelled order are cancelled, but for those that were controlled.' },
  ),
  [TICKET_RECORDED]: createAnnouncementSchema(
    'A ticket was issued, changed, printed, replaced, controlled or cancelled, as the event of partners tells it.',
  ),
} as const;

/** The version of all events of a ticket is the version of that ticket. */
export function createTicketControlledFact({ id, orderId, controlledAt, gate, updatedAt }: Ticket): Fact {
  return {
    type: TICKET_CONTROLLED,
    key: orderId,
    data: { ticketId: id, orderId, controlledAt: controlledAt ?? updatedAt, gate },
  };
}

export function createTicketControlRevertedFact({ id, orderId }: Ticket): Fact {
  return { type: TICKET_CONTROL_REVERTED, key: orderId, data: { ticketId: id, orderId } };
}

/** A ticket that admits more than once may have an entry before, which is its control then. */
export function createControlFact(ticket: Ticket): Fact {
  return ticket.status === 'controlled' ? createTicketControlledFact(ticket) : createTicketControlRevertedFact(ticket);
}

/** Published with the new ticket, which the order's line names from then on. */
export function createTicketReplacedFact({ id, replaces, orderId, lineId }: Ticket): Fact {
  return { type: TICKET_REPLACED, key: orderId, data: { ticketId: id, replaces: replaces ?? '', orderId, lineId } };
}

export function createTicketsCancelledFact(orderId: string, { at: _, ...counts }: Cancellation): Fact {
  return { type: TICKETS_CANCELLED, key: orderId, data: { orderId, ...counts } };
}

/** Shows neither barcode nor beneficiary. */
const toEventData = (ticket: Ticket): object => ({
  status: ticket.status,
  orderId: ticket.orderId,
  lineId: ticket.lineId,
  performanceId: ticket.performanceId,
  seatCategoryId: ticket.seatCategoryId,
  tariffId: ticket.tariffId,
  placeId: ticket.place.id,
  price: ticket.price.amount,
  currency: ticket.price.currency,
  printedAt: ticket.printedAt,
  controlledAt: ticket.controlledAt,
  replaces: ticket.replaces,
  replacedBy: ticket.replacedBy,
});

/** Clients with bounds may see the events. */
const findOwners = ({ createdBy, pointOfSale = null }: Ticket): BelongsTo => ({
  clientIds: createdBy && 'clientId' in createdBy ? [createdBy.clientId] : [],
  pointOfSale,
});

const endings: Readonly<Partial<Record<Status, string>>> = {
  cancelled: 'ticket.cancelled',
  invalidated: 'ticket.replaced',
};

const steps: Readonly<Partial<Record<Status, Partial<Record<Status, string>>>>> = {
  not_printed: { printed: 'ticket.printed' },
  printed: { not_printed: 'ticket.printing_reverted', controlled: 'ticket.controlled' },
  controlled: { printed: 'ticket.control_reverted' },
};

export function announceTicket(before: TicketDocument | undefined, after: TicketDocument): Announcement[] {
  const type = findType(before, after);
  if (type === undefined) return [];
  const resource = { type: 'ticket', id: after.id };
  return [{ type, resource, data: toEventData(after), belongsTo: findOwners(after) }];
}

const findType = (before: Ticket | undefined, after: Ticket): string | undefined => {
  if (!before) return endings[after.status] ?? 'ticket.issued';
  if (before.status !== after.status) {
    return endings[after.status] ?? steps[before.status]?.[after.status] ?? 'ticket.changed';
  }
  // One more entry of a ticket that admits more than once.
  if (after.about?.entries && findNewestScan(before) !== findNewestScan(after)) return 'ticket.controlled';
  // An erasure has an event of its own, contact.erased.
  if (before.namesErasedAt !== after.namesErasedAt) return undefined;
  if (before.movedAsOf !== after.movedAsOf) return 'ticket.changed';
  return serialiseVisible(before) === serialiseVisible(after) ? undefined : 'ticket.changed';
};

const findNewestScan = ({ admissions = [] }: Ticket): string | undefined => admissions.at(-1)?.scanId;

const serialiseVisible = (ticket: Ticket): string => JSON.stringify({ ...toTicketView(ticket), updatedAt: null });

const orderId = 'ord_00mhs1k9f5g7ja3p1y6d';

/** Tests of consumers read them. */
export const examples = {
  [TICKET_CONTROLLED]: {
    ticketId: 'tic_00mhs1k9f5q2w8e4r6t0',
    orderId,
    controlledAt: '2027-03-14T19:02:11.000Z',
    gate: 'North',
  },
  [TICKET_CONTROL_REVERTED]: { ticketId: 'tic_00mhs1k9f5q2w8e4r6t0', orderId },
  [TICKET_REPLACED]: {
    ticketId: 'tic_00mhs1k9f5q2w8e4r6t0_r1',
    replaces: 'tic_00mhs1k9f5q2w8e4r6t0',
    orderId,
    lineId: 'lin_00mhs1k9f5q2w8e4r6t0',
  },
  [TICKETS_CANCELLED]: {
    orderId,
    ticketsCancelled: 1,
    controlled: 1,
    placeIds: ['plc_00mhs1k2e7d3kq0w8z1x_0_0_14'],
    keptPlaceIds: ['plc_00mhs1k2e7d3kq0w8z1x_0_0_15'],
  },
  [TICKET_RECORDED]: createAnnouncementExample({
    type: 'ticket.printed',
    resource: { type: 'ticket', id: 'tic_00mhs1k9f5q2w8e4r6t0' },
    data: {
      status: 'printed',
      orderId,
      lineId: 'lin_00mhs1k9f5q2w8e4r6t0',
      performanceId: 'prf_00mhs1k2e7d3kq0w8z1x',
      seatCategoryId: 'cat_00mhs1k2e7d3kq0w8z1x_0',
      tariffId: 'trf_00mhs1k1z2s6xe8b0n4m',
      placeId: 'plc_00mhs1k2e7d3kq0w8z1x_0_0_14',
      price: 12_500,
      currency: 'CHF',
      printedAt: '2027-03-14T17:02:11.000Z',
      controlledAt: null,
      replaces: null,
      replacedBy: null,
    },
  }),
} satisfies { readonly [T in keyof typeof schemas]: Static<(typeof schemas)[T]> };

/** The lowest version: issued, printed, controlled, reverted. */
const REVERTED_AT = 4;

const buildFacts = (ticket: TicketDocument): Fact[] => {
  const { id, status, version, replaces } = ticket;
  // Of an exchange the order knows the new line's ticket itself.
  const facts = derivePreviousId(id) === replaces ? [createTicketReplacedFact(ticket)] : [];
  if (status === 'controlled') facts.push(createTicketControlledFact(ticket));
  else if (status !== 'cancelled' && version >= REVERTED_AT) facts.push(createTicketControlRevertedFact(ticket));
  const shown = { resource: 'ticket', data: toEventData(ticket), belongsTo: findOwners(ticket) };
  const last = repeatAnnouncement(ticket, TICKET_RECORDED, shown);
  return last ? [...facts, last] : facts;
};

/** They serve republishing after a restore. */
export const currentFacts: CurrentFacts = {
  types: [TICKET_REPLACED, TICKET_CONTROLLED, TICKET_CONTROL_REVERTED, TICKETS_CANCELLED, TICKET_RECORDED],
  async *read(store) {
    for await (const ticket of readAllDocuments(store.collection(ticketsCollection))) {
      const { institution, version, orderId: key } = ticket;
      const changedAt = Date.parse(ticket.updatedAt);
      for (const fact of buildFacts(ticket)) yield { ...fact, institution, key, version, changedAt };
    }
    for await (const { id: key, institution, version, cancellation } of readAllDocuments(
      store.collection(ordersCollection),
    )) {
      if (!cancellation) continue;
      const changedAt = Date.parse(cancellation.at);
      yield { ...createTicketsCancelledFact(key, cancellation), institution, key, version, changedAt };
    }
  },
};
