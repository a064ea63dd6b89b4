import type { Client } from '@boxoffice/testkit';
import { findOrder, must } from '../client/api.ts';
import type { OrderView, PlaceView, StockView, TicketView } from '../client/views.ts';
import type { Hall } from './stage.ts';

/** The product's state of one round, as it answers reads. */
export interface ObservedState {
  readonly stock: readonly StockView[];
  readonly places: readonly PlaceView[];
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
export const all = async <T>(api: Client, path: string): Promise<T[]> => {
  const found: T[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { items: T[]; nextCursor: string | null } = await must(
      api,
      `${path}${path.includes('?') ? '&' : '?'}limit=500${next}`,
    );
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
};

/** Orders that lists do not contain: carts and abandoned checkouts. */
const unlisted = async (api: Client, carts: Iterable<string>, listed: readonly OrderView[]): Promise<OrderView[]> => {
  const known = new Set(listed.map(({ id }) => id));
  const asked = [...carts].filter((id) => !known.has(id));
  const found = await Promise.all(asked.map((id) => findOrder(api, id)));
  return found.flatMap((order) => order ?? []);
};

/** Reads the state through the institution API, as any client could; of the carts, only those named. */
export const observeState = async (
  api: Client,
  { hall, reference, since }: Scope,
  carts: Iterable<string> = [],
): Promise<ObservedState> => {
  const performance = `/svc/v3/catalog/performances/${hall.performanceId}`;
  const [availability, places, orders, tickets] = await Promise.all([
    must(api, `${performance}/availability`),
    all<PlaceView>(api, `${performance}/places`),
    all<OrderView>(api, `/svc/v3/orders?modifiedSince=${since.toISOString()}`),
    all<TicketView>(api, `/svc/v3/tickets?performanceId=${hall.performanceId}`),
  ]);
  const inHall = ({ lines }: OrderView) => lines.some(({ performanceId }) => performanceId === hall.performanceId);
  const own = orders.filter((order) => order.externalReference?.startsWith(`${reference}/`) || inHall(order));
  const hidden = await unlisted(api, carts, own);
  return { stock: availability.seatCategories, places, orders: [...own, ...hidden], tickets };
};
