import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import type { NewPerformance } from '../src/performance-input.ts';
import type { NewProduct } from '../src/product-body.ts';
import type * as schemas from '../src/schemas.ts';
import type { HoldAnswer } from '../src/stock-shapes.ts';
import type { Answered, CallOptions, Instance } from './start.ts';

export type Product = Static<typeof schemas.Product>;
export type Performance = Static<typeof schemas.Performance>;
export type Tariff = Static<typeof schemas.Tariff>;
export type Held = Static<typeof HoldAnswer>;
export interface Availability {
  readonly seatCategories: readonly {
    readonly id: string;
    readonly capacity: number;
    readonly free: number;
    readonly held: number;
    readonly sold: number;
  }[];
}
export interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor: string | null;
  /** Of lists that tell what changed. */
  readonly asOf?: string;
}

type PerformanceBody = Static<typeof NewPerformance>;
type Category = PerformanceBody['seatCategories'][number];

export const code = (): string => randomUUID().slice(0, 13);

/** A tariff with a code of its own. */
export const newTariff = async (on: Instance, more: object = {}, options: CallOptions = {}): Promise<Tariff> =>
  (
    await on.call<Tariff>('POST', '/svc/v3/catalog/tariffs', {
      ...options,
      body: { code: code(), name: { en: 'Full' }, ...more },
    })
  ).data;

/** General admission, or rows. */
export const stalls = (capacity: number, rows?: readonly number[]): Category => ({
  code: 'STALLS',
  name: { en: 'Stalls' },
  numbered: rows !== undefined,
  capacity,
  ...(rows ? { rows: rows.map((seats, index) => ({ row: String.fromCharCode(65 + index), seats })) } : {}),
});

/** The body of a performance with one tariff in all its categories. */
export const performanceBody = (
  tariffId: string,
  categories: readonly Category[],
  more: Partial<PerformanceBody> = {},
): PerformanceBody => ({
  startDate: '2031-05-01T18:30:00Z',
  venue: { name: 'Main hall' },
  timeZone: 'Europe/Zurich',
  seatCategories: [...categories],
  prices: categories.map((category) => ({ seatCategory: category.code, tariffId, amount: 4_200 })),
  ...more,
});

export const productBody = (more: Partial<Static<typeof NewProduct>> = {}): Static<typeof NewProduct> => ({
  code: code(),
  type: 'show',
  name: { en: 'A show' },
  state: 'running',
  ...more,
});

export const createProduct = (
  on: Instance,
  more: Partial<Static<typeof NewProduct>> = {},
  options: CallOptions = {},
): Promise<Answered<Product>> =>
  on.call<Product>('POST', '/svc/v3/catalog/products', { ...options, body: productBody(more) });

export interface Show {
  readonly product: Product;
  readonly performance: Performance;
  readonly tariff: Tariff;
  readonly categoryId: string;
}

/** A running show with one performance. */
export const newShow = async (on: Instance, category: Category, options: CallOptions = {}): Promise<Show> => {
  const tariff = await newTariff(on, {}, options);
  const performances = [performanceBody(tariff.id, [category])];
  const { data: product } = await createProduct(on, { performances }, options);
  const [performance] = product.performances;
  const categoryId = performance?.seatCategories[0]?.id;
  if (!performance || !categoryId) throw new Error('no performance was made');
  return { product, performance, tariff, categoryId };
};

/** Asks the stock to hold places of a show. */
export const hold = async (
  on: Instance,
  { performance, categoryId, tariff }: Show,
  wish: {
    holder?: string;
    requestId?: string;
    asOf?: number;
    heldUntil?: string;
    quantity?: number;
    placeIds?: string[];
  } = {},
  options: CallOptions = {},
): Promise<Held & { readonly holder: string }> => {
  const { holder = `ord_${randomUUID()}`, requestId = 'one', asOf, heldUntil, ...item } = wish;
  const body = {
    holder,
    requestId,
    asOf,
    heldUntil,
    items: [{ performanceId: performance.id, seatCategoryId: categoryId, tariffId: tariff.id, ...item }],
  };
  const answered = await on.call<Held>('POST', '/internal/stock/holds', { ...options, body });
  if (answered.status !== 200) throw new Error(`the hold answered ${answered.status}: ${answered.body.details}`);
  return { ...answered.data, holder };
};

/** One of the stock's other actions for a holder. */
export const act = async <Data = { outcome: string; places: { id: string; state: string }[]; missing: string[] }>(
  on: Instance,
  holder: string,
  action: 'extension' | 'renewal' | 'sale' | 'release',
  body: object,
  options: CallOptions = {},
): Promise<Data> => {
  const path = `/internal/stock/holds/${holder}/${action}`;
  const answered = await on.call<Data>('POST', path, { ...options, body });
  if (answered.status !== 200) throw new Error(`${action} answered ${answered.status}: ${answered.body.details}`);
  return answered.data;
};

/** The answer to a renewal. */
export interface RenewedHold {
  readonly outcome: string;
  readonly places: { readonly id: string; readonly replaces: string | null }[];
  readonly missing: string[];
}

/** An instant so many minutes from now; negative ones are past. */
export const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();

export const availabilityOf = async (on: Instance, { performance }: Pick<Show, 'performance'>) => {
  const path = `/svc/v3/catalog/performances/${performance.id}/availability`;
  const [first] = (await on.call<Availability>('GET', path)).data.seatCategories;
  if (!first) throw new Error('there is no seat category');
  const { capacity, free, held, sold } = first;
  return { capacity, free, held, sold };
};

export const placeIdsOf = (held: Held): string[] => held.lines.map(({ place }) => place.id);
