import { type Api, must } from './api.ts';
import type { Hall } from './stage.ts';
import type { FiguresView, OrderView, PlaceView, TicketView } from './views.ts';

/** What the product says of one round, when it is asked. */
export interface World {
  readonly figures: readonly FiguresView[];
  readonly places: readonly PlaceView[];
  readonly orders: readonly OrderView[];
  readonly tickets: readonly TicketView[];
}

/** What a round is about. */
export interface Scope {
  readonly hall: Hall;
  /** Begins the external reference of each of its orders. */
  readonly reference: string;
  /** All its orders were modified since. */
  readonly since: Date;
}

const all = async <T>(api: Api, path: string): Promise<T[]> => {
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

/** Reads the world through the institution API, as any client could. */
export const readWorld = async (api: Api, { hall, reference, since }: Scope): Promise<World> => {
  const performance = `/svc/v3/catalog/performances/${hall.performanceId}`;
  const [availability, places, orders, tickets] = await Promise.all([
    must(api, `${performance}/availability`),
    all<PlaceView>(api, `${performance}/places`),
    all<OrderView>(api, `/svc/v3/orders?modifiedSince=${since.toISOString()}`),
    all<TicketView>(api, `/svc/v3/tickets?performanceId=${hall.performanceId}`),
  ]);
  const own = orders.filter(({ externalReference }) => externalReference?.startsWith(`${reference}/`));
  return { figures: availability.seatCategories, places, orders: own, tickets };
};
