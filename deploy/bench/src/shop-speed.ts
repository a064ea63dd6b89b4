import { startBareShop } from './bare-shop.ts';
import type { Hot } from './buyer.ts';
import { type Comparison, compare, type Measure } from './compare.ts';
import { apply } from './load.ts';
import type { Product } from './product.ts';
import { quantile } from './report.ts';
import { BROWSER, CART_ITEMS, checkOut, createVisitor, dataOf, fillCart, ORDERS, type Visitor } from './visitor.ts';

const READERS = 50;
const BUYERS = 16;
const READ_ROUNDS = 3;
const WRITE_ROUNDS = 2;

/** Requests of one round of writes. */
export const WRITES = 800;
/** Rounds of writes that use up places, each of them warmed up once. */
export const PLACES = WRITES * (WRITE_ROUNDS + 1) * 2;

const LIST = '/tnwr/v1/products?limit=20&type=show';

const reading =
  (path: string, seconds: number): Measure =>
  async (origin, cpu) => {
    const before = cpu();
    const load = { url: `${origin}${path}`, connections: READERS, seconds, headers: BROWSER };
    const { rate, p50, p99 } = await apply(load);
    return { rate, p50, p99, cpu: ((cpu() - before) / (rate * seconds)) * 1e6 };
  };

/** The first twenty shows, and the first of them with its availability. */
export const readSpeeds = async (
  product: Product,
  seconds: number,
  progress: (line: string) => void,
): Promise<{ readonly list: Comparison; readonly detail: Comparison }> => {
  const visitor = createVisitor(product.baseUrl);
  const first = await visitor.send('GET', LIST);
  const [show] = Object.keys(dataOf(first));
  const path = `/tnwr/v1/products/${show}`;
  const bare = await startBareShop(product, {
    [`GET ${LIST}`]: first,
    [`GET ${path}`]: await visitor.send('GET', path),
  });
  visitor.close();
  const at = `${READERS} connections, ${READ_ROUNDS} rounds`;
  progress(`list of products, ${at}`);
  const list = await compare(product, bare, reading(LIST, seconds), READ_ROUNDS);
  progress(`product with its availability, ${at}`);
  const detail = await compare(product, bare, reading(path, seconds), READ_ROUNDS);
  await bare.stop();
  return { list, detail };
};

/** Visitors that act in turn, each on its own connection, until so many answers are in. */
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

/** The first place in the cart, each time of a visitor with a session of its own, and the checkouts of these carts. */
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
