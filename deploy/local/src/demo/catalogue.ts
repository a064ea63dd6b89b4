import { sellFirstEvenings, sellUntilLeft } from './box-office.ts';
import { buildProductBodies, type DemoInstitution, type Fixtures, type Ids } from './institutions.ts';
import { stockByCode, stockPriceRules } from './price-rules.ts';
import { listAll, RefusedCall, type ShopKeeper } from './shop-keeper.ts';

export interface Fixture {
  readonly productId: string;
  readonly performanceId: string;
}

export type FixtureIds = Readonly<Record<keyof Fixtures, Fixture>>;

interface Coded {
  readonly id: string;
  readonly code: string;
}

interface StoredProduct extends Coded {
  readonly performances: readonly { readonly id: string }[];
}

/** Concurrent creations: enough for the store to commit several together. */
const CONCURRENCY = 8;

interface StockOptions {
  readonly now: Date;
  readonly tell: (what: string) => void;
  /** Whether there are payments by a provider follows from their service's. */
  readonly urls: { readonly payments?: string | undefined };
}

/** Creates what is missing; returns the fixtures. Dates are relative to `now`; `tell` receives the current step. */
export async function stockCatalogue(
  keeper: ShopKeeper,
  institution: DemoInstitution,
  { now, tell, urls }: StockOptions,
): Promise<FixtureIds> {
  const tariffs = await stockByCode(keeper, ['listTariffs', 'createTariff'], institution.tariffs);
  const taxes = await stockByCode(keeper, ['listTaxes', 'createTax'], institution.taxes);
  const bodies = buildProductBodies(institution, { tariffs, taxes }, now);
  const found = new Map<string, Fixture>();
  const record = ({ id, code, performances }: StoredProduct): void => {
    found.set(code, { productId: id, performanceId: String(performances[0]?.id) });
    tell(`${institution.name}: ${found.size} of ${bodies.length} products`);
  };
  for (const product of await listAll<StoredProduct>(keeper, 'listProducts')) record(product);
  const missing = bodies.filter(({ code }) => !found.has(code)).values();
  const create = async (): Promise<void> => {
    for (const body of missing) record(await keeper<StoredProduct>('createProduct', { body }));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, create));
  const provider = urls.payments !== undefined && (await putProviderKeys(keeper, institution)) ? ['stripe'] : [];
  await openPointOfSale(keeper, institution, tariffs, provider);

  const fixture = (name: keyof Fixtures): Fixture => {
    const ids = found.get(institution.fixtures[name]);
    if (!ids) throw new Error(`the demo data lacks the product ${institution.fixtures[name]}`);
    return ids;
  };
  const ids = { soldOut: fixture('soldOut'), numbered: fixture('numbered'), twoLeft: fixture('twoLeft') };
  tell(`${institution.name}: first orders`);
  await sellUntilLeft(keeper, ids.soldOut.performanceId, 0);
  await sellUntilLeft(keeper, ids.twoLeft.performanceId, 2);
  await sellFirstEvenings(keeper, new Set(Object.values(ids).map(({ performanceId }) => performanceId)));
  await stockPriceRules(keeper, institution, { tariffs, taxes });
  return ids;
}

const openPointOfSale = async (
  keeper: ShopKeeper,
  { serviceHost, shopName, languages, currency, branding, links }: DemoInstitution,
  tariffs: Ids,
  provider: readonly string[],
): Promise<void> => {
  const existing = await listAll<{ readonly serviceHost: string }>(keeper, 'listPointsOfSale');
  if (existing.some((point) => point.serviceHost === serviceHost)) return;
  const body = {
    serviceHost,
    name: shopName,
    languages,
    currency,
    tariffIds: Object.values(tariffs),
    paymentMethods: [...provider, 'on_account', 'external', 'simulated'],
    maxPlacesPerOrder: 8,
    holdMinutes: 15,
    branding,
    links,
  };
  await keeper('createPointOfSale', { body });
};

/** Keys of the simulated provider; false where the service takes none. */
const putProviderKeys = async (keeper: ShopKeeper, { id }: DemoInstitution): Promise<boolean> => {
  const body = { secretKey: `sk_simulated_${id}`, webhookSecret: `whsec_simulated${id}` };
  try {
    await keeper('setPaymentProvider', { id: 'stripe', body });
    return true;
  } catch (error) {
    if (error instanceof RefusedCall && error.httpStatus === 422) return false;
    throw error;
  }
};
