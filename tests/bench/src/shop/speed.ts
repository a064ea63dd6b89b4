import type { Hot } from '../client/buyer.ts';
import { apply } from '../client/load.ts';
import { type Comparison, compare, type Measure } from '../measure/compare.ts';
import type { Product } from '../measure/product.ts';
import { quantile } from '../measure/report.ts';
import { startBareShop } from './bare-shop.ts';
import {
  BROWSER,
  CART_ITEMS,
  checkOut,
  createVisitor,
  decodedDataOf,
  fillCart,
  ORDERS,
  type Visitor,
} from './visitor.ts';

const READERS = 50;
const BUYERS = 16;
const READ_ROUNDS = 3;
const WRITE_ROUNDS = 2;

/** Requests of one round of writes. */
export const WRITES = 800;
/** The places that all rounds of writes use up, including one warm-up each. */
export const PLACES = WRITES * (WRITE_ROUNDS + 1) * 2;

const LIST = '/tnwr/v1/products?limit=20&type=show';

/** Reads without a session, as visitors with an empty cart do, or with a session's token. */
const reading =
  (path: string, seconds: number, token?: string): Measure =>
  async (origin, cpu) => {
    const before = cpu();
    const headers = token === undefined ? BROWSER : { ...BROWSER, 'x-auth-token': token };
    const load = { url: `${origin}${path}`, connections: READERS, seconds, headers };
    const { rate, p50, p99 } = await apply(load);
    return { rate, p50, p99, cpu: ((cpu() - before) / (rate * seconds)) * 1e6 };
  };

interface Detail {
  readonly performances: readonly {
    readonly id: string;
    readonly seatCategories: readonly {
      readonly id: string;
      readonly free: number;
      readonly prices: readonly { readonly tariffId: string }[];
    }[];
  }[];
}

/** A place of the show that can be bought. */
const toBuy = ({ performances }: Detail): Hot => {
  for (const { id: performanceId, seatCategories } of performances) {
    const category = seatCategories.find(({ free, prices }) => free > 0 && prices.length > 0);
    if (category) {
      return { performanceId, seatCategoryId: category.id, tariffId: category.prices[0]?.tariffId ?? '' };
    }
  }
  throw new Error('the show has nothing to sell');
};

/** The comparisons of visitors' reads. */
export interface ReadSpeeds {
  readonly list: Comparison;
  readonly detail: Comparison;
  /** The same for visitors with a session. */
  readonly listInSession: Comparison;
  readonly detailInSession: Comparison;
}

/** The first twenty shows, and one of them with its availability. */
export const readSpeeds = async (
  product: Product,
  seconds: number,
  progress: (line: string) => void,
): Promise<ReadSpeeds> => {
  const visitor = createVisitor(product.baseUrl);
  const first = await visitor.send('GET', LIST);
  const [show] = Object.keys(decodedDataOf(first));
  const path = `/tnwr/v1/products/${show}`;
  const one = await visitor.send('GET', path);
  const { token } = await fillCart(visitor, toBuy(decodedDataOf(one) as unknown as Detail));
  visitor.close();
  const bare = await startBareShop(product, { [`GET ${LIST}`]: first, [`GET ${path}`]: one });
  const read = (name: string, address: string, session?: string): Promise<Comparison> => {
    progress(`${name}, ${READERS} connections, ${READ_ROUNDS} rounds`);
    return compare(product, bare, reading(address, seconds, session), READ_ROUNDS);
  };
  const speeds = {
    list: await read('list of products', LIST),
    detail: await read('product with its availability', path),
    listInSession: await read('list of products, in a session', LIST, token),
    detailInSession: await read('product with its availability, in a session', path, token),
  };
  await bare.stop();
  return speeds;
};

/** Visitors that act in turn, each on its own connection, until `WRITES` responses have arrived. */
const writing =
  (act: (visitor: Visitor, turn: number) => Promise<number>): Measure =>
  async (origin, cpu) => {
    const visitors = Array.from({ length: BUYERS }, () => createVisitor(origin));
    const times: number[] = [];
    let turns = 0;
    const before = cpu();
    const started = performance.now();
    const work = async (visitor: Visitor): Promise<void> => {
      while (turns < WRITES) {
        turns += 1;
        times.push(await act(visitor, turns));
      }
    };
    await Promise.all(visitors.map(work));
    const seconds = (performance.now() - started) / 1000;
    for (const visitor of visitors) visitor.close();
    const used = ((cpu() - before) / WRITES) * 1e6;
    return { rate: WRITES / seconds, p50: quantile(times, 0.5), p99: quantile(times, 0.99), cpu: used };
  };

/** The first place in the cart, each time of a visitor with a new session, and the checkouts of these carts. */
export const writeSpeeds = async (
  product: Product,
  hot: Hot,
  progress: (line: string) => void,
): Promise<{ readonly cart: Comparison; readonly checkout: Comparison }> => {
  const visitor = createVisitor(product.baseUrl);
  const { answer, token } = await fillCart(visitor, hot);
  const answers = { [`POST ${CART_ITEMS}`]: answer, [`POST ${ORDERS}`]: await checkOut(visitor, token) };
  visitor.close();
  const bare = await startBareShop(product, answers);
  const at = `${WRITES} of ${BUYERS} visitors at once, ${WRITE_ROUNDS} rounds`;
  const tokens: string[] = [];
  progress(`cart write, ${at}`);
  const fill: Measure = (origin, cpu) =>
    writing(async (one) => {
      const filled = await fillCart(one, hot);
      if (origin === product.baseUrl) tokens.push(filled.token);
      return filled.answer.ms;
    })(origin, cpu);
  const cart = await compare(product, bare, fill, WRITE_ROUNDS);
  progress(`checkout, ${at}`);
  const buy: Measure = (origin, cpu) =>
    writing(async (one) => {
      const mine = origin === product.baseUrl ? tokens.shift() : token;
      return (await checkOut(one, mine ?? '')).ms;
    })(origin, cpu);
  const checkout = await compare(product, bare, buy, WRITE_ROUNDS);
  await bare.stop();
  return { cart, checkout };
};
