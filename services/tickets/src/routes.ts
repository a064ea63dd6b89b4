import {
  type AnyOperation,
  changesPage,
  changesPageOf,
  created,
  listQuery,
  mergePatch,
  ok,
  operation,
  patchOf,
  pathId,
} from '@boxoffice/http';
import { Type } from 'typebox';
import { keyRoutes } from './barcode/routes.ts';
import { ticketNamedBy } from './barcode/signing.ts';
import type { Context } from './context.ts';
import { named, type Ticket as State } from './domain/ticket.ts';
import * as example from './examples.ts';
import { internalRoutes } from './issue/routes.ts';
import { newAs, renameTicket, replaceTicket } from './replacement/replace.ts';
import { Changes, Control, Replacement, readOnly, Status, Ticket } from './schemas.ts';
import { shopRoutes } from './shop/routes.ts';
import { findTicket, finishBegun } from './tickets/lineage.ts';
import { commandsOn, getTicket } from './tickets/tickets.ts';
import { validatorOf, view } from './tickets/view.ts';

const PATH = '/svc/v3/tickets';

type Versioned = State & { readonly version: number };

/** An answer that speaks of one ticket and, through its beneficiary, of the buyer: erasing the contact drops it where it is remembered. */
const about = (ticket: Versioned) => ({
  etag: validatorOf(ticket),
  subjects: [ticket.id, ...(ticket.contactNumber === null ? [] : [ticket.contactNumber])],
});
const one = (ticket: Versioned) => ok(view(ticket), about(ticket));
const newOne = (ticket: Versioned) => created(view(ticket), `${PATH}/${ticket.id}`, about(ticket));

const single = { path: `${PATH}/{ticketId}`, params: { ticketId: pathId } } as const;
const changing = { access: 'tickets:write', answers: { 200: Ticket }, etag: true, conditional: true } as const;
const printing = { ...single, ...changing, path: `${PATH}/{ticketId}/printing` } as const;
const controlling = { ...single, ...changing, path: `${PATH}/{ticketId}/control` } as const;
/** Codes of tickets that are none any more. */
const gone = ['ticket_cancelled', 'ticket_invalidated'] as const;
const params = { ticketId: example.ids.ticket };
const identifier = Type.Optional(Type.String({ minLength: 1, maxLength: 128 }));

const reading = (context: Context): AnyOperation[] => [
  operation({
    id: 'listTickets',
    method: 'get',
    path: PATH,
    access: 'tickets:read',
    summary: 'Lists tickets, replaced and cancelled ones included',
    description:
      'In order of creation; with modifiedSince in order of their last change, so that paging on misses nothing.',
    query: {
      ...listQuery,
      orderId: identifier,
      performanceId: identifier,
      status: Type.Optional(Status),
      barcode: Type.Optional(
        Type.String({ minLength: 1, maxLength: 2048, description: 'the exact text that a scanner reads' }),
      ),
    },
    answers: { 200: changesPage(Ticket) },
    example: {
      query: { orderId: example.ids.order },
      answer: { items: [example.ticket], nextCursor: null, asOf: example.asOf },
    },
    handle: async (request) => {
      const { orderId, performanceId, status, barcode, modifiedSince } = request.query;
      const shelf = context.shelf(request.caller.institution);
      const id = barcode === undefined ? undefined : (ticketNamedBy(barcode) ?? '');
      await (id === undefined ? finishBegun(shelf) : findTicket(shelf, id));
      return changesPageOf(request, shelf.tickets, {
        where: { orderId, performanceId, status, id, barcode },
        orderBy: modifiedSince === undefined ? 'createdAt' : 'updatedAt',
        clock: context.now,
        item: view,
      });
    },
  }),
  operation({
    ...single,
    id: 'getTicket',
    method: 'get',
    access: 'tickets:read',
    summary: 'Reads a ticket',
    answers: { 200: Ticket },
    etag: true,
    example: { params, answer: example.ticket },
    handle: async ({ caller, params }) => one(await getTicket(context.shelf(caller.institution), params.ticketId)),
  }),
];

const replacing = (context: Context): AnyOperation[] => [
  operation({
    ...single,
    ...changing,
    id: 'updateTicket',
    method: 'patch',
    summary: 'Changes the beneficiary of a ticket',
    description:
      'A JSON merge patch (RFC 7396): null removes. On a printed ticket the name is on paper already: the ticket is replaced, and the ' +
      'answer is the new one, whose `replaces` names this one. Not once it is controlled, cancelled or replaced.',
    body: patchOf(Changes),
    readOnly,
    errors: gone,
    example: { params, body: { beneficiary: example.beneficiary }, answer: example.replacing },
    handle: async ({ caller, params, body, ifMatch, unchanged, remember }) =>
      one(
        await renameTicket(
          context,
          caller.institution,
          params.ticketId,
          (current) => {
            const { beneficiary } = mergePatch<{ beneficiary?: object | null }>({ beneficiary: current }, body);
            return beneficiary ? named(beneficiary) : null;
          },
          {
            ifMatch,
            unchanged: (ticket) => unchanged(view(ticket)),
            stamp: remember<Versioned>((ticket) => one(newAs(ticket) ?? ticket)),
          },
        ),
      ),
  }),
  operation({
    ...single,
    path: `${PATH}/{ticketId}/replacement`,
    id: 'replaceTicket',
    method: 'post',
    access: 'tickets:write',
    summary: 'Replaces a printed ticket by a new one',
    description:
      'For a lost ticket, or one that goes to somebody else. The new one is printed and has a barcode of its own; this one is ' +
      'invalidated, and its barcode is refused at the door. The place stays the same, and the line of the order names the new ticket.',
    body: Replacement,
    answers: { 201: Ticket },
    errors: ['ticket_not_printed', ...gone],
    etag: true,
    conditional: true,
    example: { params, body: { reason: 'lost' }, answer: example.replacing },
    handle: async ({ caller, params, body, ifMatch, remember }) => {
      const stamp = remember<Versioned>((ticket) => newOne(newAs(ticket) ?? ticket));
      const { institution } = caller;
      return newOne(await replaceTicket(context, institution, params.ticketId, { ifMatch, stamp }, body.reason));
    },
  }),
];

const acting = (context: Context): AnyOperation[] => [
  operation({
    ...printing,
    id: 'printTicket',
    method: 'post',
    summary: 'Notes that a ticket is printed, or handed out in another way',
    description:
      'An order has tickets from its confirmation on: of one that is not confirmed there is nothing to print.',
    errors: ['order_not_confirmed', ...gone],
    example: { params, answer: example.printed },
    handle: async ({ caller, params, ifMatch, remember }) =>
      one(
        await commandsOn(context, caller.institution).print(params.ticketId, {
          ifMatch,
          stamp: remember(one),
        }),
      ),
  }),
  operation({
    ...printing,
    id: 'rollBackPrinting',
    method: 'delete',
    summary: 'Rolls a print back: nothing came out of the printer',
    errors: ['ticket_not_printed', ...gone],
    example: { params, answer: example.ticket },
    handle: async ({ caller, params, ifMatch }) =>
      one(await commandsOn(context, caller.institution).rollBack(params.ticketId, { ifMatch })),
  }),
  operation({
    ...controlling,
    id: 'controlTicket',
    method: 'post',
    summary: 'Controls a ticket at the door, once',
    description:
      'Controlled before: 409, and `details` says when and where. Not printed, cancelled or replaced: 412, and `details` says which, ' +
      'and by which ticket it was replaced. A scanner that was offline says when it was with `at`.',
    body: Control,
    errors: ['ticket_already_controlled', 'ticket_not_printed', ...gone, 'semantically_invalid'],
    example: { params, body: example.control, answer: example.controlled },
    handle: async ({ caller, params, body, ifMatch, remember }) =>
      one(
        await commandsOn(context, caller.institution).control(params.ticketId, body, {
          ifMatch,
          stamp: remember(one),
        }),
      ),
  }),
  operation({
    ...controlling,
    id: 'revertControl',
    method: 'delete',
    summary: 'Reverts a control: the ticket may come in again',
    description: 'Not once its order was cancelled: then a controlled ticket stays controlled.',
    errors: ['order_cancelled', 'ticket_not_printed', ...gone],
    example: { params, answer: example.printed },
    handle: async ({ caller, params, ifMatch }) =>
      one(await commandsOn(context, caller.institution).revert(params.ticketId, { ifMatch })),
  }),
];

/** Every operation of the tickets service. */
export const routes = (context: Context): AnyOperation[] => [
  ...reading(context),
  ...keyRoutes(context),
  ...replacing(context),
  ...acting(context),
  ...internalRoutes(context),
  ...shopRoutes(context),
];
