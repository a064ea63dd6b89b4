import { created, createView, ok, pathId } from '@boxoffice/http';
import type { Caller } from '@boxoffice/identity';
import type { Static } from 'typebox';
import type { Ticket } from '../domain/ticket.ts';
import { ShopTicket, Ticket as Shown } from '../schemas.ts';

/** Writes that change nothing visible do not raise it. */
export function computeEtag({ version, unseen = 0 }: Ticket & { readonly version: number }): string {
  return String(version - unseen);
}

const viewOf = createView(Shown);
const viewInShop = createView(ShopTicket);

export function toTicketView(ticket: Ticket): Static<typeof Shown> {
  return viewOf(completePlace(ticket));
}

const completePlace = (ticket: Ticket) => ({
  ...ticket,
  place: { ...ticket.place, row: ticket.place.row ?? null, seat: ticket.place.seat ?? null },
  price: ticket.price.amount,
  currency: ticket.price.currency,
});

export function selectView({ user }: Pick<Caller, 'user'>) {
  return user?.role === 'door' ? viewAtDoor : toTicketView;
}

/** A stolen phone must not print entries. */
const viewAtDoor = (ticket: Ticket): Static<typeof Shown> => {
  const { barcode: _, ...rest } = toTicketView(ticket);
  return rest;
};

/** With buyer, product and what was sold; see `applyPerformances`. */
export function toShopView(ticket: Ticket): Static<typeof ShopTicket> {
  return viewInShop({
    ...completePlace(ticket),
    productId: ticket.productId ?? null,
    startDate: ticket.startDate ?? null,
  });
}

export const PATH = '/svc/v3/tickets';

export type Versioned = Ticket & { readonly version: number };
export function answer(ticket: Versioned) {
  return ok(toTicketView(ticket), metadata(ticket));
}

/** `subjects`: an erasure of the contact deletes the recorded answer. */
const metadata = (ticket: Versioned) => ({
  etag: computeEtag(ticket),
  subjects: [ticket.id, ...(ticket.contactNumber === null ? [] : [ticket.contactNumber])],
});
/** Also for the door. */
export function createTicketAnswer(caller: Pick<Caller, 'user'>) {
  return (ticket: Versioned) => ok(selectView(caller)(ticket), metadata(ticket));
}
export function answerNewTicket(ticket: Versioned) {
  return created(toTicketView(ticket), `${PATH}/${ticket.id}`, metadata(ticket));
}

export const single = { path: `${PATH}/{ticketId}`, params: { ticketId: pathId } } as const;
export const changing = { access: 'tickets:write', answers: { 200: Shown }, etag: true, conditional: true } as const;

export const finalCodes = ['ticket_cancelled', 'ticket_invalidated'] as const;
