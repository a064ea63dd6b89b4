import { nullable, timestamp } from '@boxoffice/http';
import { announcementExample, announcementSchema } from '@boxoffice/service';
import type { Fact } from '@boxoffice/store';
import { Type } from 'typebox';
import { TICKET_RECORDED } from './announcements.ts';
import type { Ticket } from './domain/ticket.ts';

export interface TicketControlled {
  readonly ticketId: string;
  readonly orderId: string;
  /** ISO 8601 UTC. */
  readonly controlledAt: string;
  readonly gate: string | null;
}

export interface TicketControlReverted {
  readonly ticketId: string;
  readonly orderId: string;
}

export interface TicketReplaced {
  /** The new ticket. */
  readonly ticketId: string;
  /** The replaced ticket. */
  readonly replaces: string;
  readonly orderId: string;
  readonly lineId: string;
}

export interface TicketsCancelled {
  readonly orderId: string;
  readonly ticketsCancelled: number;
  /** The number of tickets that stay controlled. */
  readonly controlled: number;
  /** The places of the cancelled tickets. */
  readonly placeIds: readonly string[];
  /** The places of the tickets that stay controlled. */
  readonly keptPlaceIds: readonly string[];
}

export const TICKET_CONTROLLED = 'ticket.controlled';
export const TICKET_CONTROL_REVERTED = 'ticket.control_reverted';
export const TICKET_REPLACED = 'ticket.replaced';
export const TICKETS_CANCELLED = 'tickets.cancelled';

/** The ticket was controlled at the door. The version of all events of a ticket is the version of that ticket. */
export const ticketControlled = ({ id, orderId, controlledAt, gate, updatedAt }: Ticket): Fact => ({
  type: TICKET_CONTROLLED,
  key: orderId,
  data: { ticketId: id, orderId, controlledAt: controlledAt ?? updatedAt, gate } satisfies TicketControlled,
});

/** The control was reverted. */
export const ticketControlReverted = ({ id, orderId }: Ticket): Fact => ({
  type: TICKET_CONTROL_REVERTED,
  key: orderId,
  data: { ticketId: id, orderId } satisfies TicketControlReverted,
});

/** Published with the new ticket, which the order's line names from then on. */
export const ticketReplaced = ({ id, replaces, orderId, lineId }: Ticket): Fact => ({
  type: TICKET_REPLACED,
  key: orderId,
  data: { ticketId: id, replaces: replaces ?? '', orderId, lineId } satisfies TicketReplaced,
});

/** The result of cancelling the tickets of a cancelled order; once per order. */
export const ticketsCancelled = (data: TicketsCancelled): Fact => ({
  type: TICKETS_CANCELLED,
  key: data.orderId,
  data,
});

const orderId = 'ord_00mhs1k9f5g7ja3p1y6d';

/** An example payload of each event that this service publishes, for the tests of its consumers. */
export const examples = {
  [TICKET_CONTROLLED]: {
    ticketId: 'tic_00mhs1k9f5q2w8e4r6t0',
    orderId,
    controlledAt: '2027-03-14T19:02:11.000Z',
    gate: 'North',
  } satisfies TicketControlled,
  [TICKET_CONTROL_REVERTED]: { ticketId: 'tic_00mhs1k9f5q2w8e4r6t0', orderId } satisfies TicketControlReverted,
  [TICKET_REPLACED]: {
    ticketId: 'tic_00mhs1k9f5q2w8e4r6t0_r1',
    replaces: 'tic_00mhs1k9f5q2w8e4r6t0',
    orderId,
    lineId: 'lin_00mhs1k9f5q2w8e4r6t0',
  } satisfies TicketReplaced,
  [TICKETS_CANCELLED]: {
    orderId,
    ticketsCancelled: 1,
    controlled: 1,
    placeIds: ['plc_00mhs1k2e7d3kq0w8z1x_0_0_14'],
    keptPlaceIds: ['plc_00mhs1k2e7d3kq0w8z1x_0_0_15'],
  } satisfies TicketsCancelled,
  [TICKET_RECORDED]: announcementExample({
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
} as const;

const id = Type.String();
const ids = Type.Array(id);
const count = Type.Integer({ minimum: 0 });

/** The members that every event of a type has: consumers rely on them, and the next release keeps them. */
export const schemas = {
  [TICKET_CONTROLLED]: Type.Object({
    ticketId: id,
    orderId: id,
    controlledAt: timestamp,
    gate: nullable(Type.String()),
  }),
  [TICKET_CONTROL_REVERTED]: Type.Object({ ticketId: id, orderId: id }),
  [TICKET_REPLACED]: Type.Object({ ticketId: id, replaces: id, orderId: id, lineId: id }),
  [TICKETS_CANCELLED]: Type.Object({
    orderId: id,
    ticketsCancelled: count,
    controlled: count,
    placeIds: ids,
    keptPlaceIds: ids,
  }),
  [TICKET_RECORDED]: announcementSchema,
} as const;
