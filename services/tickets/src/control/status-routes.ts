import {
  type AnyOperation,
  computeAsOf,
  createView,
  id,
  listQuery,
  ok,
  operation,
  readChangesPage,
} from '@boxoffice/http';
import { readDocuments } from '@boxoffice/store';
import type { Static } from 'typebox';
import type { ContextOf } from '../context.ts';
import { applyMove, type Whereabouts } from '../domain/performance.ts';
import type { SaleDescription, Ticket } from '../domain/ticket.ts';
import * as example from '../examples.ts';
import type { TicketDocument } from '../store.ts';
import { PATH } from '../tickets/answers.ts';
import { finishPending } from '../tickets/lineage.ts';
import { AllTicketStatuses, DoorTicket, TicketStatuses } from './schemas.ts';

const view = createView(DoorTicket);

/** `moved`: where the performance is now, if it has moved. */
const createDoorView = (moved: Whereabouts | undefined) => {
  const seatCategories: Record<string, SaleDescription['seatCategory']> = {};
  const show = (ticket: TicketDocument): Static<typeof DoorTicket> => {
    if (ticket.about) seatCategories[ticket.seatCategoryId] = ticket.about.seatCategory;
    const { label, row, seat } = ticket.place;
    const place = { place: label, ...(row === null ? {} : { row }), ...(seat === null ? {} : { seat }) };
    return view({ ...ticket, ...place, ...describeEntries(applyMove(ticket, moved)) });
  };
  return { seatCategories, show };
};

/** None of a ticket that stays controlled for good. */
const describeEntries = ({ about, kept, startDate = null }: Ticket) =>
  about?.entries &&
  !kept && {
    entries: about.entries,
    validity: { from: startDate, until: about.validUntil ?? null, timeZone: about.timeZone },
  };

const exampleCategories = { [example.ticketStatus.seatCategoryId]: example.shopTicket.about.seatCategory };

/** Scanners without a network download these: no barcodes, names and prices. */
export function createStatusRoutes(contextOf: ContextOf): AnyOperation[] {
  return [
    operation({
      id: 'listTicketStatuses',
      method: 'get',
      path: `${PATH}/statuses`,
      access: 'tickets:read',
      summary: 'Lists the statuses of a performance, for scanners without a network',
      description:
        'Of every ticket of the performance what decides at the door, replaced and cancelled ones included, and ' +
        'nothing else: no barcode, no name, no price. In order of creation; with modifiedSince in order of the last ' +
        'change. A ticket that a scanner does not find in it was sold later. One with `entries` admits again, ' +
        '`daily` once its `controlledAt` is of an earlier local day; none has a ticket that stays controlled after its ' +
        'order was cancelled, or its line returned or exchanged. `seatCategories` names the categories of the ' +
        'page. A box_office with points of sale, and a client with bounds, sees its tickets.',
      query: { ...listQuery, performanceId: id },
      answers: { 200: TicketStatuses },
      example: {
        query: { performanceId: example.ids.performance },
        answer: {
          items: [example.ticketStatus],
          nextCursor: null,
          asOf: example.asOf,
          seatCategories: exampleCategories,
        },
      },
      handle: async (request) => {
        const { performanceId, modifiedSince } = request.query;
        const { now, collections } = contextOf(request.caller);
        await finishPending(collections);
        const moved = await collections.performances.get(performanceId);
        const { seatCategories, show } = createDoorView(moved);
        const { data } = await readChangesPage(request, collections.tickets, {
          where: { performanceId },
          orderBy: modifiedSince === undefined ? 'createdAt' : 'updatedAt',
          clock: now,
          item: show,
        });
        return ok({ ...data, seatCategories });
      },
    }),
    operation({
      id: 'getAllTicketStatuses',
      method: 'get',
      path: `${PATH}/statuses/all`,
      access: 'tickets:read',
      summary: 'Returns the statuses of all tickets of a performance in one answer',
      description:
        'What `GET /svc/v3/tickets/statuses` lists page by page, compressed: what a scanner with a slow network ' +
        'downloads first. Then that list, with `asOf` as `modifiedSince`, has what has changed.',
      query: { performanceId: id },
      answers: { 200: AllTicketStatuses },
      compressed: true,
      example: {
        query: { performanceId: example.ids.performance },
        answer: {
          items: [example.ticketStatus],
          asOf: example.asOf,
          seatCategories: exampleCategories,
        },
      },
      handle: async ({ caller, query }) => {
        const { now, collections } = contextOf(caller);
        const asOf = computeAsOf(now());
        await finishPending(collections);
        const moved = await collections.performances.get(query.performanceId);
        const { seatCategories, show } = createDoorView(moved);
        const items: Static<typeof DoorTicket>[] = [];
        const byCreation = { where: { performanceId: query.performanceId }, orderBy: 'createdAt' };
        for await (const ticket of readDocuments(collections.tickets, byCreation)) items.push(show(ticket));
        return ok({ items, asOf, seatCategories });
      },
    }),
  ];
}
