import { created, ok, pathId } from '@boxoffice/http';
import type { Ticket as State } from '../domain/ticket.ts';
import { Ticket } from '../schemas.ts';
import { validatorOf, view } from './view.ts';

// What the operations on one ticket have in common: path, declaration and answer.

export const PATH = '/svc/v3/tickets';

export type Versioned = State & { readonly version: number };

/** `subjects`: an erasure of the contact deletes this answer where it is recorded for a repeated request. */
const metadata = (ticket: Versioned) => ({
  etag: validatorOf(ticket),
  subjects: [ticket.id, ...(ticket.contactNumber === null ? [] : [ticket.contactNumber])],
});
export const answer = (ticket: Versioned) => ok(view(ticket), metadata(ticket));
export const createdAnswer = (ticket: Versioned) => created(view(ticket), `${PATH}/${ticket.id}`, metadata(ticket));

export const single = { path: `${PATH}/{ticketId}`, params: { ticketId: pathId } } as const;
export const changing = { access: 'tickets:write', answers: { 200: Ticket }, etag: true, conditional: true } as const;

/** Codes of a ticket that is final. */
export const finalCodes = ['ticket_cancelled', 'ticket_invalidated'] as const;
