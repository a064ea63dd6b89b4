import type { DemoInstitution, Fixtures, TariffIds } from './demo-institution.ts';
import type { NewProduct, NewTariff } from './request-bodies.ts';
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
const AT_ONCE = 8;

const list = async <Item>(keeper: ShopKeeper, operation: string, path: string): Promise<Item[]> => {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '?limit=500' : `?limit=500&cursor=${encodeURIComponent(cursor)}`;
    const { data } = await keeper<ListPage<Item>>({ operation, method: 'GET', path: `${path}${query}` });
    items.push(...data.items);
    cursor = data.nextCursor;
  } while (cursor !== null);
  return items;
};

const create = async <Data>(keeper: ShopKeeper, operation: string, path: string, body: object): Promise<Data> => {
  const { status, code, data } = await keeper<Data>({ operation, method: 'POST', path, body });
  if (status === 201) return data;
  throw new Error(`the demo data was refused: ${operation} answered ${status} ${code}`);
};

const TARIFFS = '/svc/v3/catalog/tariffs';
const PRODUCTS = '/svc/v3/catalog/products';
const POINTS_OF_SALE = '/svc/v3/catalog/points-of-sale';

/** Creates the missing tariffs; returns the ids of all. */
export const stockTariffs = async (keeper: ShopKeeper, tariffs: readonly NewTariff[]): Promise<TariffIds> => {
  const existing = await list<Coded>(keeper, 'listTariffs', TARIFFS);
  const ids = Object.fromEntries(existing.map(({ code, id }) => [code, id]));
  for (const tariff of tariffs.filter(({ code }) => ids[code] === undefined)) {
    ids[tariff.code] = (await create<Coded>(keeper, 'createTariff', TARIFFS, tariff)).id;
  }
  return ids;
};

/** Creates the missing products; returns the fixture ids by code. `tell` receives the number of existing products. */
export const stockProducts = async (
  keeper: ShopKeeper,
  products: readonly NewProduct[],
  tell: (done: number) => void,
): Promise<ReadonlyMap<string, Fixture>> => {
  const found = new Map<string, Fixture>();
  const record = ({ id, code, performances }: StoredProduct): void => {
    found.set(code, { productId: id, performanceId: String(performances[0]?.id) });
    tell(found.size);
  };
  for (const product of await list<StoredProduct>(keeper, 'listProducts', PRODUCTS)) record(product);
  const missing = products.filter(({ code }) => !found.has(code)).values();
  const stock = async (): Promise<void> => {
    for (const product of missing) record(await create<StoredProduct>(keeper, 'createProduct', PRODUCTS, product));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, stock));
  return found;
};

/** Creates the institution's point of sale unless it exists. */
export const openPointOfSale = async (
  keeper: ShopKeeper,
  { serviceHost, shopName, languages, currency }: DemoInstitution,
  tariffs: TariffIds,
): Promise<void> => {
  const existing = await list<{ readonly serviceHost: string }>(keeper, 'listPointsOfSale', POINTS_OF_SALE);
  if (existing.some((point) => point.serviceHost === serviceHost)) return;
  await create(keeper, 'createPointOfSale', POINTS_OF_SALE, {
    serviceHost,
    name: shopName,
    languages,
    currency,
    tariffIds: Object.values(tariffs),
    paymentMethods: ['on_account', 'external', 'simulated'],
    maxPlacesPerOrder: 8,
    holdMinutes: 15,
  });
};
