import { Fault } from '@boxoffice/envelope';
import { type AnyOperation, id, ok, operation } from '@boxoffice/http';
import type { Where } from '@boxoffice/store';
import { Type } from 'typebox';
import type { ContextOf, InstitutionContext } from '../context.ts';
import { drawShopDocument, PDF } from '../document/document.ts';
import { isReplacedFor, rename, toBeneficiary } from '../domain/beneficiary.ts';
import type * as domain from '../domain/ticket.ts';
import * as example from '../examples.ts';
import { DocumentRequest, Naming, ShopDocument, ShopTicket, Status } from '../schemas.ts';
import type { TicketDocument } from '../store.ts';
import { toShopView } from './answers.ts';
import { findTicketsWhere } from './lineage.ts';
import { changeOrReplace } from './replacement.ts';
import { applyPerformance, applyPerformances, getTicket, requireAllowed } from './tickets.ts';

interface Shown {
  readonly contactNumber: string | undefined;
  readonly orderIds: readonly string[] | undefined;
  readonly status: domain.Status | undefined;
}

/**
 * Absent members stay, null removes; returns the replacing ticket if it is printed. Idempotent. @throws {Fault}
 * `ticket_already_controlled`; `precondition_failed` if cancelled; `conflict` if replaced otherwise
 */
export async function nameTicket(
  context: InstitutionContext,
  id: string,
  names: Partial<domain.Beneficiary>,
): Promise<TicketDocument> {
  const changed = await changeOrReplace(context, id, { ifMatch: () => {} }, (ticket, asNew, now) => {
    const wanted = toBeneficiary({ ...ticket.beneficiary, ...names });
    if (isReplacedFor(ticket, wanted)) return { next: ticket };
    return { next: requireAllowed(rename(ticket, wanted, asNew, now), 'pointOfSale') };
  });
  const { collections } = context;
  return applyPerformance(collections, await getTicket(collections, changed.id));
}

const PATH = '/internal/shop/tickets';

const { Optional, String: Text } = Type;
const params = { ticketId: example.ids.ticket };

/** Answers contain the buyer; pos decides which user may see a ticket. */
export function createShopRoutes(contextOf: ContextOf): AnyOperation[] {
  return [
    operation({
      id: 'listShopTickets',
      method: 'get',
      path: PATH,
      access: 'internal',
      summary: 'Returns all tickets of a contact or of some orders',
      description:
        'By the start of their performance (unknown ones last), then by id. Replaced and cancelled ones included.',
      query: {
        contactNumber: Optional(Text({ minLength: 1, maxLength: 128 })),
        orderIds: Optional(
          Text({ pattern: '^[^,]{1,128}(,[^,]{1,128}){0,99}$', description: 'up to 100 ids, separated by commas' }),
        ),
        status: Optional(Status),
      },
      answers: { 200: Type.Object({ tickets: Type.Array(ShopTicket) }) },
      errors: ['missing_parameter'],
      example: {
        query: { contactNumber: example.shopTicket.contactNumber },
        answer: { tickets: [example.shopTicket] },
      },
      handle: async ({ caller, query }) => {
        const { contactNumber, orderIds, status } = query;
        if (contactNumber === undefined && orderIds === undefined) {
          throw new Fault('missing_parameter', 'contactNumber or orderIds must be given.');
        }
        const shown = { contactNumber, orderIds: orderIds?.split(','), status };
        const tickets = await findShownTickets(contextOf(caller), shown);
        return ok({ tickets: tickets.map(toShopView) });
      },
    }),
    operation({
      id: 'getShopTicket',
      method: 'get',
      path: `${PATH}/{ticketId}`,
      access: 'internal',
      summary: 'Returns a ticket',
      params: { ticketId: id },
      answers: { 200: ShopTicket },
      example: { params, answer: example.shopTicket },
      handle: async ({ caller, params }) => {
        const { collections } = contextOf(caller);
        return ok(toShopView(await applyPerformance(collections, await getTicket(collections, params.ticketId))));
      },
    }),
    operation({
      id: 'drawShopDocument',
      method: 'post',
      path: '/internal/shop/documents',
      access: 'internal',
      withoutIdempotency: true,
      summary: 'Returns printed tickets as one PDF, a page each; as SVG if no font has their letters',
      description:
        'With name, colours and logo of the point of sale, and number and buyer of the order; on further pages its receipt.',
      body: DocumentRequest,
      answers: { 200: ShopDocument },
      errors: ['not_found', 'ticket_not_printed', 'ticket_cancelled', 'ticket_invalidated'],
      example: { body: example.documentRequest, answer: { contentType: PDF, base64: 'JVBERi0xLjMK' } },
      handle: async ({ caller, body }) => ok(await drawShopDocument(contextOf(caller), body)),
    }),
    operation({
      id: 'nameShopTicket',
      method: 'post',
      path: `${PATH}/{ticketId}/beneficiary`,
      access: 'internal',
      withoutIdempotency: true,
      summary: 'Sets the beneficiary of a ticket; returns the replacing ticket if it is printed',
      description:
        'Absent members stay, null removes. A repeat returns the same ticket. Controlled: ticket_already_controlled; ' +
        'cancelled: precondition_failed; replaced by a ticket for another beneficiary: conflict.',
      params: { ticketId: id },
      body: Naming,
      answers: { 200: ShopTicket },
      errors: ['ticket_already_controlled', 'precondition_failed', 'conflict'],
      example: {
        params,
        body: example.beneficiary,
        answer: { ...example.shopTicket, beneficiary: example.beneficiary },
      },
      handle: async ({ caller, params, body }) =>
        ok(toShopView(await nameTicket(contextOf(caller), params.ticketId, body))),
    }),
  ];
}

/** By the start of the performance (unknown ones last), then by id. */
const findShownTickets = async (
  { collections }: InstitutionContext,
  { contactNumber, orderIds, status }: Shown,
): Promise<TicketDocument[]> => {
  const where: Where = contactNumber === undefined ? {} : { contactNumber };
  // One query per order uses the index on orders; a condition on a list of orders would scan all tickets.
  const found = orderIds
    ? (
        await Promise.all([...new Set(orderIds)].map((orderId) => findTicketsWhere(collections, { ...where, orderId })))
      ).flat()
    : await findTicketsWhere(collections, where);
  // The replacing ticket may belong to another contact.
  const shown = found
    .filter((ticket) => contactNumber === undefined || ticket.contactNumber === contactNumber)
    .filter((ticket) => status === undefined || ticket.status === status);
  return (await applyPerformances(collections, shown)).sort(compareStarts);
};

const compareStarts = (one: TicketDocument, other: TicketDocument): number => {
  const [left, right] = [one.startDate ?? '~', other.startDate ?? '~'];
  if (left !== right) return left < right ? -1 : 1;
  return one.id < other.id ? -1 : 1;
};
