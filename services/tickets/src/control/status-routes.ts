import { type AnyOperation, computeAsOf, createView, id, ok, operation } from '@boxoffice/http';
import type { Documents, Query } from '@boxoffice/store';
import type { Static } from 'typebox';
import type { ContextOf } from '../context.ts';
import { applyMove, type Whereabouts } from '../domain/performance.ts';
import type { SaleDescription, Ticket } from '../domain/ticket.ts';
import * as example from '../examples.ts';
import type { TicketDocument } from '../store.ts';
import { PATH } from '../tickets/answers.ts';
import { finishPending } from '../tickets/lineage.ts';
import { AllTicketStatuses, DoorTicket } from './schemas.ts';

const view = createView(DoorTicket);

/** `moved`: where the performance is now, if it has moved. */
export function toDoorTicket(ticket: TicketDocument, moved: Whereabouts | undefined): Static<typeof DoorTicket> {
  const { label, row, seat } = ticket.place;
  const place = { place: label, ...(row === null ? {} : { row }), ...(seat === null ? {} : { seat }) };
  return view({ ...ticket, ...place, ...entriesIn(applyMove(ticket, moved)) });
}

const entriesIn = ({ about, startDate = null }: Ticket) =>
  about?.entries && {
    entries: about.entries,
    validity: { from: startDate, until: about.validUntil ?? null, timeZone: about.timeZone },
  };

/** By id, as the tickets tell them. */
export type SeatCategories = Record<string, SaleDescription['seatCategory']>;

const BATCH = 1_000;

/** Scanners without a network download these. */
export function createStatusRoutes(contextOf: ContextOf): AnyOperation[] {
  return [
    operation({
      id: 'getAllTicketStatuses',
      method: 'get',
      path: `${PATH}/statuses/all`,
      access: 'tickets:read',
      summary: 'Returns the statuses of all tickets of a performance in one answer',
      description:
        'What `GET /svc/v3/tickets/statuses` lists page by page, compressed: what a scanner with a slow network downloads ' +
        'first. Then that list, with `asOf` as `modifiedSince`, has what has changed.',
      query: { performanceId: id },
      answers: { 200: AllTicketStatuses },
      compressed: true,
      example: {
        query: { performanceId: example.ids.performance },
        answer: {
          items: [example.ticketStatus],
          asOf: example.asOf,
          seatCategories: { [example.ticketStatus.seatCategoryId]: example.shopTicket.about.seatCategory },
        },
      },
      handle: async ({ caller, query }) => {
        const { now, collections } = contextOf(caller);
        const asOf = computeAsOf(now());
        await finishPending(collections);
        const moved = await collections.performances.get(query.performanceId);
        const seatCategories: SeatCategories = {};
        const items: Static<typeof DoorTicket>[] = [];
        for await (const ticket of ticketsOf(collections.tickets, query.performanceId)) {
          if (ticket.about) seatCategories[ticket.seatCategoryId] = ticket.about.seatCategory;
          items.push(toDoorTicket(ticket, moved));
        }
        return ok({ items, asOf, seatCategories });
      },
    }),
  ];
}

/** Sorted by creation. */
async function* ticketsOf(tickets: Documents<TicketDocument>, performanceId: string): AsyncGenerator<TicketDocument> {
  for (let after: Query['after']; ; ) {
    const query = { where: { performanceId }, orderBy: 'createdAt', limit: BATCH };
    const found = await tickets.find({ ...query, ...(after && { after }) });
    yield* found;
    const last = found.at(-1);
    if (!last || found.length < BATCH) return;
    after = { value: last.createdAt, id: last.id };
  }
}
