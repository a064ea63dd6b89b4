import { bodiesOf, type DemoInstitution, type Fixtures, type TariffIds } from './institution.ts';
import type { ShopKeeper } from './shop-keeper.ts';

/** The ids of a fixture in `demo.json`. */
export interface Fixture {
  readonly productId: string;
  readonly performanceId: string;
}

/** The fixtures of one institution, as `demo.json` has them. */
export type FixtureIds = Readonly<Record<keyof Fixtures, Fixture>>;

interface Coded {
  readonly id: string;
  readonly code: string;
}

interface StoredProduct extends Coded {
  readonly performances: readonly { readonly id: string }[];
}

interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** Concurrent creations: enough for the store to commit several together. */
const CONCURRENCY = 8;

const list = async <Item>(keeper: ShopKeeper, operation: string, path: string): Promise<Item[]> => {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '?limit=500' : `?limit=500&cursor=${encodeURIComponent(cursor)}`;
    const page: ListPage<Item> = await keeper({ operation, method: 'GET', path: `${path}${query}` });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
};

const TARIFFS = '/svc/v3/catalog/tariffs';
const PRODUCTS = '/svc/v3/catalog/products';
const POINTS_OF_SALE = '/svc/v3/catalog/points-of-sale';
const ORDERS = '/svc/v3/orders';

/** Creates the missing tariffs; returns the ids of all. */
const stockTariffs = async (keeper: ShopKeeper, { tariffs }: DemoInstitution): Promise<TariffIds> => {
  const existing = await list<Coded>(keeper, 'listTariffs', TARIFFS);
  const ids = Object.fromEntries(existing.map(({ code, id }) => [code, id]));
  for (const body of tariffs.filter(({ code }) => ids[code] === undefined)) {
    const { id } = await keeper<Coded>({ operation: 'createTariff', method: 'POST', path: TARIFFS, body });
    ids[body.code] = id;
  }
  return ids;
};

/** Creates the institution's point of sale unless it exists. */
const openPointOfSale = async (
  keeper: ShopKeeper,
  { serviceHost, shopName, languages, currency }: DemoInstitution,
  tariffs: TariffIds,
): Promise<void> => {
  const existing = await list<{ readonly serviceHost: string }>(keeper, 'listPointsOfSale', POINTS_OF_SALE);
  if (existing.some((point) => point.serviceHost === serviceHost)) return;
  const body = {
    serviceHost,
    name: shopName,
    languages,
    currency,
    tariffIds: Object.values(tariffs),
    paymentMethods: ['on_account', 'external', 'simulated'],
    maxPlacesPerOrder: 8,
    holdMinutes: 15,
  };
  await keeper({ operation: 'createPointOfSale', method: 'POST', path: POINTS_OF_SALE, body });
};

interface Order {
  readonly id: string;
}

/** Places in one order of the demo's box office. */
const PLACES_PER_ORDER = 8;

/**
 * Sells places of a fixture's only seat category until `left` remain, as a box office does: held, then confirmed on
 * account. Places that an earlier start has held or sold count.
 */
const sellUntilLeft = async (keeper: ShopKeeper, { performanceId }: Fixture, left: number): Promise<void> => {
  const service = 'orders';
  const confirm = ({ id }: Order): Promise<unknown> => {
    const path = `${ORDERS}/${id}/confirmation`;
    return keeper({ service, operation: 'confirmOrder', method: 'POST', path, body: { onAccount: true } });
  };
  const externalReference = `demo ${performanceId}`;
  const query = new URLSearchParams({ externalReference, state: 'open' });
  const open = await keeper<{ readonly items: readonly Order[] }>({
    service,
    operation: 'listOrders',
    method: 'GET',
    path: `${ORDERS}?${query}`,
  });
  for (const order of open.items) await confirm(order);

  const path = `/svc/v3/catalog/performances/${performanceId}`;
  const { prices } = await keeper<{
    readonly prices: readonly { readonly seatCategoryId: string; readonly tariffId: string }[];
  }>({ operation: 'getPerformance', method: 'GET', path });
  const [price] = prices;
  if (!price) return;
  const { seatCategories } = await keeper<{
    readonly seatCategories: readonly { readonly id: string; readonly free: number }[];
  }>({ operation: 'getAvailability', method: 'GET', path: `${path}/availability` });
  const { seatCategoryId, tariffId } = price;
  const free = seatCategories.find(({ id }) => id === seatCategoryId)?.free ?? 0;
  for (let rest = free - left; rest > 0; rest -= PLACES_PER_ORDER) {
    const items = [{ performanceId, seatCategoryId, tariffId, quantity: Math.min(rest, PLACES_PER_ORDER) }];
    const body = { externalReference, items };
    await confirm(await keeper<Order>({ service, operation: 'createOrder', method: 'POST', path: ORDERS, body }));
  }
};

/**
 * Creates the missing parts of an institution's catalogue, with first sales; returns its fixtures. Dates are relative
 * to `now`; `tell` receives the current step.
 */
export const stock = async (
  keeper: ShopKeeper,
  institution: DemoInstitution,
  { now, tell }: { readonly now: Date; readonly tell: (what: string) => void },
): Promise<FixtureIds> => {
  const tariffs = await stockTariffs(keeper, institution);
  const bodies = bodiesOf(institution, tariffs, now);
  const found = new Map<string, Fixture>();
  const record = ({ id, code, performances }: StoredProduct): void => {
    found.set(code, { productId: id, performanceId: String(performances[0]?.id) });
    tell(`${institution.name}: ${found.size} of ${bodies.length} products`);
  };
  for (const product of await list<StoredProduct>(keeper, 'listProducts', PRODUCTS)) record(product);
  const missing = bodies.filter(({ code }) => !found.has(code)).values();
  const create = async (): Promise<void> => {
    for (const body of missing)
      record(await keeper<StoredProduct>({ operation: 'createProduct', method: 'POST', path: PRODUCTS, body }));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, create));
  await openPointOfSale(keeper, institution, tariffs);

  const fixture = (name: keyof Fixtures): Fixture => {
    const ids = found.get(institution.fixtures[name]);
    if (!ids) throw new Error(`the demo data lacks the product ${institution.fixtures[name]}`);
    return ids;
  };
  const ids = { soldOut: fixture('soldOut'), numbered: fixture('numbered'), twoLeft: fixture('twoLeft') };
  tell(`${institution.name}: first orders`);
  await sellUntilLeft(keeper, ids.soldOut, 0);
  await sellUntilLeft(keeper, ids.twoLeft, 2);
  return ids;
};
