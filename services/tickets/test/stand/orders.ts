import { randomBytes } from 'node:crypto';
import type { Instance, Reply } from './stand.ts';

const random = (): string => randomBytes(8).toString('hex');

/** The data of `order.confirmed`, as orders publishes it: an order of so many lines. */
export const confirmed = (lines = 1, contactNumber: string | null = null) => {
  const performanceId = `prf_${random()}`;
  return {
    orderId: `ord_${random()}`,
    contactNumber,
    tickets: Array.from({ length: lines }, (_, index) => {
      const line = random();
      return {
        ticketId: `tic_${line}`,
        lineId: `lin_${line}`,
        performanceId,
        seatCategoryId: `cat_${performanceId}_0`,
        tariffId: 'trf_full',
        place: { id: `plc_${performanceId}_0_0_${index}`, label: `A-${index + 1}`, row: 'A', seat: index + 1 },
        price: { amount: 12_500, currency: 'CHF' },
      };
    }),
  };
};

export type Confirmed = ReturnType<typeof confirmed>;

interface Known {
  readonly productId?: string | null;
  readonly startDate?: string | null;
  readonly beneficiary?: { readonly firstName?: string | null; readonly lastName?: string | null } | null;
}

/** The same order, of whose tickets a point of sale knew more. */
export const knowing = (order: Confirmed, ...known: readonly Known[]): Confirmed => ({
  ...order,
  tickets: order.tickets.map((ticket, index) => ({ ...ticket, ...known[index % known.length] })),
});

/** The data of `order.cancelled`, as orders publishes it. */
export const cancelled = ({ orderId, tickets }: Confirmed, more: { override?: boolean } = {}) => ({
  orderId,
  hadTickets: true,
  override: false,
  reason: null,
  placeIds: tickets.map(({ place }) => place.id),
  ...more,
});

/** A ticket as answers show it, as far as tests look at it. */
export interface TicketView {
  readonly id: string;
  readonly status: string;
  readonly barcode: string;
  readonly beneficiary: { readonly firstName: string | null; readonly lastName: string | null } | null;
  readonly controlledAt: string | null;
  readonly gate: string | null;
  readonly replaces: string | null;
  readonly replacedBy: string | null;
  readonly printedAt: string | null;
  readonly place: { readonly id: string };
  readonly updatedAt: string;
}

export const ticketOf = ({ data }: Reply): TicketView => data as unknown as TicketView;

/** Issues an order's tickets by the direct call; answers the order. */
export const issued = async (on: Instance, order = confirmed(), version = 3): Promise<Confirmed> => {
  const reply = await on.call('POST', '/internal/tickets/issue', { body: { ...order, version } });
  if (reply.status !== 200) throw new Error(reply.text);
  return order;
};

export const PATH = '/svc/v3/tickets';

/** Where the point of sale asks. */
export const SHOP = '/internal/shop/tickets';

/** A ticket as the point of sale is told of it. */
export interface ShopTicket extends TicketView {
  readonly orderId: string;
  readonly contactNumber: string | null;
  readonly productId: string | null;
  readonly startDate: string | null;
}

export const shopTicketOf = ({ data }: Reply): ShopTicket => data as unknown as ShopTicket;

/** The id of the order's first ticket. */
export const firstOf = ({ tickets }: Confirmed): string => tickets[0]?.ticketId ?? '';

/** An order of one ticket that is printed; answers the order and the ticket's id. */
export const printed = async (on: Instance, order = confirmed()): Promise<{ order: Confirmed; id: string }> => {
  await issued(on, order);
  for (const { ticketId } of order.tickets) await on.call('POST', `${PATH}/${ticketId}/printing`);
  return { order, id: firstOf(order) };
};

/** What orders asks before it cancels. */
export const askedBy = async (on: Instance, orderId: string) => {
  const { data } = await on.call('GET', `/internal/orders/${orderId}/tickets`);
  return data as unknown as { controlled: number; tickets: { ticketId: string; lineId: string; status: string }[] };
};
