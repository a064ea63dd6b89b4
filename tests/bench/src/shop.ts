import { openClient } from '@boxoffice/testkit';
import {
  BROWSER,
  CART_ITEMS,
  checkOut,
  createBuyer,
  createVisitor,
  fillCart,
  type Hot,
  must,
  ORDERS,
  readAddress,
  requestOperaAuthorization,
  sellInShop,
  type Visitor,
} from './clients.ts';
import { apply, type Comparison, compare, type Measure } from './measure/load.ts';
import { type Product, runWithProduct } from './measure/processes.ts';
import { type Benchmark, computeQuantile, createMinimumTarget } from './measure/report.ts';

const READERS = 50;
const BUYERS = 16;
const READ_ROUNDS = 3;
const WRITE_ROUNDS = 2;

/** Requests of one round of writes. */
const WRITES = 800;
/** The places that all rounds of writes use up, including one warm-up each. */
const PLACES = WRITES * (WRITE_ROUNDS + 1) * 2;

type Headers = Readonly<Record<string, string>>;

/** Reads of one path by many connections. */
const reading =
  (path: string, headers: Headers, seconds: number): Measure =>
  async (origin, cpu) => {
    const before = cpu();
    const { rate, p50, p99 } = await apply({ url: `${origin}${path}`, connections: READERS, seconds, headers });
    return { rate, p50, p99, cpu: ((cpu() - before) / (rate * seconds)) * 1e6 };
  };

/** An API key of the opera whose rate limit a load does not reach. */
const createKey = async (product: Product): Promise<string> => {
  const partner = createBuyer(product, await requestOperaAuthorization(product));
  const body = { name: 'bench', ratePerMinute: 1_000_000 };
  const { data } = must(await partner.send<{ key: string }>('POST', '/svc/v3/api-keys', body));
  partner.close();
  return data.key;
};

/** What many visitors read: the shop's pages, without and with a session, and a partner's pages with an API key. */
const readSpeeds = async (
  product: Product,
  hot: Hot & { readonly productId: string },
  seconds: number,
  progress: (line: string) => void,
): Promise<[string, Comparison][]> => {
  const list = '/tnwr/v1/products?limit=20&type=show';
  const detail = `/tnwr/v1/products/${hot.productId}`;
  const visitor = createVisitor(product.baseUrl);
  const { token } = await fillCart(visitor, hot);
  visitor.close();
  const session = { ...BROWSER, 'x-auth-token': token };
  const key = { 'x-api-key': await createKey(product), 'accept-encoding': 'gzip' };
  const reads: readonly [name: string, path: string, headers: Headers][] = [
    ['list, 20 of 254 shows', list, BROWSER],
    ['product with availability', detail, BROWSER],
    ['list, in a session', list, session],
    ['product, in a session', detail, session],
    ['catalogue, with an API key', '/svc/v3/catalog', key],
    ['availability, with an API key', `/svc/v3/catalog/performances/${hot.performanceId}/availability`, key],
  ];
  const client = openClient(readAddress(product));
  const speeds: [string, Comparison][] = [];
  for (const [name, path, headers] of reads) {
    progress(`${name}, ${READERS} connections, ${READ_ROUNDS} rounds`);
    const answers = { [`GET ${path}`]: await client(path, { headers }) };
    speeds.push([name, await compare(product, answers, reading(path, headers, seconds), READ_ROUNDS)]);
  }
  return speeds;
};

/** Visitors that act in turn, each on its own connection, until `WRITES` responses have arrived. */
const writing =
  (act: (visitor: Visitor, origin: string) => Promise<number>): Measure =>
  async (origin, cpu) => {
    const visitors = Array.from({ length: BUYERS }, () => createVisitor(origin));
    const times: number[] = [];
    let turns = 0;
    const before = cpu();
    const started = performance.now();
    const work = async (visitor: Visitor): Promise<void> => {
      while (turns < WRITES) {
        turns += 1;
        times.push(await act(visitor, origin));
      }
    };
    await Promise.all(visitors.map(work));
    const seconds = (performance.now() - started) / 1000;
    for (const visitor of visitors) visitor.close();
    const used = ((cpu() - before) / WRITES) * 1e6;
    return { rate: WRITES / seconds, p50: computeQuantile(times, 0.5), p99: computeQuantile(times, 0.99), cpu: used };
  };

/** The first place in the cart, each time of a visitor with a new session, and the checkouts of these carts. */
const writeSpeeds = async (
  product: Product,
  hot: Hot,
  progress: (line: string) => void,
): Promise<[string, Comparison][]> => {
  const visitor = createVisitor(product.baseUrl);
  const { answer, token } = await fillCart(visitor, hot);
  const answers = { [`POST ${CART_ITEMS}`]: answer, [`POST ${ORDERS}`]: await checkOut(visitor, token) };
  visitor.close();
  const tokens: string[] = [];
  progress(`cart write and checkout, ${WRITES} of ${BUYERS} visitors at once, ${WRITE_ROUNDS} rounds`);
  const fill = writing(async (one, origin) => {
    const filled = await fillCart(one, hot);
    if (origin === product.baseUrl) tokens.push(filled.token);
    return filled.answer.ms;
  });
  const buy = writing(async (one, origin) => {
    const mine = origin === product.baseUrl ? tokens.shift() : token;
    return (await checkOut(one, mine ?? '')).ms;
  });
  return [
    ['cart write', await compare(product, answers, fill, WRITE_ROUNDS)],
    ['checkout', await compare(product, answers, buy, WRITE_ROUNDS)],
  ];
};

/** The requests of a web shop and of a page with an API key, over HTTPS through the gateway. */
export const shop: Benchmark = {
  about:
    'list, product, cart and checkout of a shop, and catalogue and availability with an API key, against a bare HTTPS ' +
    'proxy that sends the same bytes (--seconds 4)',
  async run(progress, { seconds = '4' }) {
    progress('starting the product with its demo data');
    const measured = await runWithProduct(async (product) => {
      const hot = await sellInShop(product, PLACES + 1_000);
      return {
        reads: await readSpeeds(product, hot, Number(seconds), progress),
        writes: await writeSpeeds(product, hot, progress),
      };
    });
    return {
      columns: ['', '/s', 'p50 ms', 'p99 ms', 'CPU µs', 'bare/s', 'bare p99 ms', 'bare CPU µs', 'ratio'],
      rows: [...measured.reads, ...measured.writes].map(([name, { ours, bare, ratio }]) => [
        ...[name, ours.rate, ours.p50, ours.p99, ours.cpu],
        ...[bare.rate, bare.p99, bare.cpu, ratio],
      ]),
      targets: measured.reads
        .filter(([name]) => !name.endsWith('in a session'))
        .map(([name, { ratio }]) => createMinimumTarget(`${name} against bare proxy, median`, ratio, 0.5)),
    };
  },
};
