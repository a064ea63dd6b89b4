import type { Client } from '@boxoffice/testkit';
import { findOrder, must } from '../client/api.ts';
import type { OrderView, StockView, TicketView } from '../client/views.ts';
import type { Hall } from './stage.ts';

/** The product's state of one round, as it answers reads. */
export interface ObservedState {
  readonly stock: readonly StockView[];
  readonly orders: readonly OrderView[];
  readonly tickets: readonly TicketView[];
}

/** The part of the installation that a round covers. */
export interface Scope {
  readonly hall: Hall;
  /** Prefix of the external reference of each of its orders. */
  readonly reference: string;
  /** All its orders were modified since. */
  readonly since: Date;
}

/** Every item of a list, page by page. */
const all = async <T>(api: Client, path: string): Promise<T[]> => {
  const found: T[] = [];
  for (let after = ''; ; ) {
    const page: { items: T[]; nextCursor: string | null } = await must(api, `${path}&limit=500${after}`);
    found.push(...page.items);
    if (page.nextCursor === null) return found;
    after = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
};

/** Reads the state through the institution API, as any client could; of the carts, which no list has, those named. */
export const observeState = async (
  api: Client,
  { hall, reference, since }: Scope,
  carts: Iterable<string> = [],
): Promise<ObservedState> => {
  const { performanceId } = hall;
  const [availability, listed, tickets] = await Promise.all([
    must(api, `/svc/v3/catalog/performances/${performanceId}/availability`),
    all<OrderView>(api, `/svc/v3/orders?modifiedSince=${since.toISOString()}`),
    all<TicketView>(api, `/svc/v3/tickets?performanceId=${performanceId}`),
  ]);
  const inHall = ({ lines }: OrderView) => lines.some((line) => line.performanceId === performanceId);
  const orders = listed.filter((order) => order.externalReference?.startsWith(`${reference}/`) || inHall(order));
  const known = new Set(orders.map(({ id }) => id));
  const hidden = await Promise.all([...carts].filter((id) => !known.has(id)).map((id) => findOrder(api, id)));
  return { stock: availability.seatCategories, orders: [...orders, ...hidden.flatMap((cart) => cart ?? [])], tickets };
};
