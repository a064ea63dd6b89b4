import type { Client } from '@boxoffice/testkit';
import { findOrder, type OrderView, requireData, type TicketView } from '../client/api.ts';

/** A seat category to create; `code` names it. */
export interface Section {
  readonly code: string;
  readonly capacity?: number;
  readonly rows?: readonly { readonly row: string; readonly seats: number }[];
  /** The price of a place; default: 25.00. */
  readonly amount?: number;
}

/** A performance on sale, created for one round, with its tariff and its seat categories (`sections`). */
export interface Hall {
  readonly performanceId: string;
  readonly tariffId: string;
  /** `amount`: the price of a place. */
  readonly sections: readonly { readonly id: string; readonly capacity: number; readonly amount: number }[];
}

const DAY = 86_400_000;
/** Of a place, unless its section says another one. */
const PRICE = 2_500;

/** Puts a performance on sale. `name` is unique in the installation. */
export async function openHall(api: Client, name: string, sections: readonly Section[]): Promise<Hall> {
  const code = name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '-');
  const tariff = await requireData(api, '/svc/v3/catalog/tariffs', post({ code, name: { en: name } }));
  const performance = {
    startDate: new Date(Date.now() + 30 * DAY).toISOString(),
    venue: { name: 'Hall' },
    timeZone: 'Europe/Zurich',
    seatCategories: sections.map(({ code: section, capacity, rows }) => ({
      code: section,
      name: { en: section },
      numbered: rows !== undefined,
      capacity: capacity ?? rows?.reduce((sum, { seats }) => sum + seats, 0),
      ...(rows === undefined ? {} : { rows }),
    })),
    prices: sections.map(({ code: seatCategory, amount = PRICE }) => ({ seatCategory, tariffId: tariff.id, amount })),
  };
  const show = { code, type: 'show', name: { en: name }, state: 'running', performances: [performance] };
  const product = await requireData(api, '/svc/v3/catalog/products', post(show));
  const [made] = product.performances;
  const categories: readonly { readonly id: string; readonly capacity: number }[] = made.seatCategories;
  const priced = categories.map(({ id, capacity }, index) => ({
    id,
    capacity,
    amount: sections[index]?.amount ?? PRICE,
  }));
  return { performanceId: made.id, tariffId: tariff.id, sections: priced };
}

const post = (body: object) => ({ method: 'POST', body });

/** Creates a point of sale that holds places for `holdSeconds`; returns its service host. */
export async function openPointOfSale(
  api: Client,
  name: string,
  hall: Hall,
  holdSeconds: number,
  paymentMethods: readonly string[] = ['on_account', 'external', 'simulated'],
): Promise<string> {
  const pointOfSale = {
    serviceHost: `${name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-')}.example`,
    name,
    languages: ['en'],
    currency: 'CHF',
    tariffIds: [hall.tariffId],
    paymentMethods,
    maxPlacesPerOrder: 50,
    holdMinutes: holdSeconds / 60,
  };
  const made = await requireData(api, '/svc/v3/catalog/points-of-sale', post(pointOfSale));
  return made.serviceHost;
}

export interface RequestedItem {
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
  readonly quantity?: number;
  readonly placeIds?: readonly string[];
}

/** A request for `quantity` unspecified places of the first seat category. */
export function buildAnyPlacesItem({ performanceId, tariffId, sections }: Hall, quantity: number): RequestedItem {
  return {
    performanceId,
    tariffId,
    seatCategoryId: String(sections[0]?.id),
    quantity,
  };
}

export type ObservedState = Awaited<ReturnType<typeof observeState>>;

export interface Scope {
  readonly hall: Hall;
  /** Performances beside it of which its orders have lines. */
  readonly others?: readonly Hall[];
  readonly reference: string;
  /** All its orders were modified since. */
  readonly since: Date;
}

/** Reads the state through the institution API, as any client could; of the carts, which no list has, those named. */
export async function observeState(
  api: Client,
  { hall, others = [], reference, since }: Scope,
  carts: Iterable<string> = [],
) {
  const ids = [hall, ...others].map(({ performanceId }) => performanceId);
  const [listed, tickets] = await Promise.all([
    all<OrderView>(api, `/svc/v3/orders?modifiedSince=${since.toISOString()}`),
    Promise.all(ids.map((id) => all<TicketView>(api, `/svc/v3/tickets?performanceId=${id}`))),
  ]);
  const inHall = ({ lines }: OrderView) => lines.some(({ performanceId }) => ids.includes(performanceId));
  const orders = listed.filter((order) => order.externalReference?.startsWith(`${reference}/`) || inHall(order));
  const known = new Set(orders.map(({ id }) => id));
  const hidden = await Promise.all([...carts].filter((id) => !known.has(id)).map((id) => findOrder(api, id)));
  return { orders: [...orders, ...hidden.flatMap((cart) => cart ?? [])], tickets: tickets.flat() };
}

const all = async <T>(api: Client, path: string): Promise<T[]> => {
  const found: T[] = [];
  for (let after = ''; ; ) {
    const page: { items: T[]; nextCursor: string | null } = await requireData(api, `${path}&limit=500${after}`);
    found.push(...page.items);
    if (page.nextCursor === null) return found;
    after = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
};
