import { createView } from '@boxoffice/http';
import type { Static } from 'typebox';
import type { Ticket } from '../domain/ticket.ts';
import { ShopTicket, Ticket as Shown } from '../schemas.ts';

/** The ETag of a ticket: writes that change nothing visible do not raise it. */
export const validatorOf = ({ version, unseen = 0 }: Ticket & { readonly version: number }): string =>
  String(version - unseen);

const viewOf = createView(Shown);
const viewInShop = createView(ShopTicket);

const shown = (ticket: Ticket) => ({
  ...ticket,
  place: { ...ticket.place, row: ticket.place.row ?? null, seat: ticket.place.seat ?? null },
  price: ticket.price.amount,
  currency: ticket.price.currency,
});

/** A ticket as answers show it, without internal members. */
export const view = (ticket: Ticket): Static<typeof Shown> => viewOf(shown(ticket));

/** A ticket as the pos service needs it: with buyer, product and what was sold; see `presentTicket`. */
export const shopView = (ticket: Ticket): Static<typeof ShopTicket> =>
  viewInShop({ ...shown(ticket), productId: ticket.productId ?? null, startDate: ticket.startDate ?? null });
