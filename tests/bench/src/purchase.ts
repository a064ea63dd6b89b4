import { dirname } from 'node:path';
import {
  type Answered,
  type Buyer,
  confirm,
  createBuyer,
  type Hot,
  holdOne,
  must,
  type Order,
  putOnSale,
  requestOperaAuthorization,
  sellOne,
} from './clients.ts';
import { apply } from './measure/load.ts';
import { type Product, readCpuSeconds, runWithProduct, startChild } from './measure/processes.ts';
import { type Benchmark, computeQuantile, createMinimumTarget } from './measure/report.ts';

const CLIENTS = 32;
const PLACES = 20_000;
const WARM_UP_PLACES = 2_000;

/** Buys one place; undefined when none is left. */
export type Buy = () => Promise<{ readonly ms: number; readonly place: string } | undefined>;

const isSoldOut = ({ status }: Answered<Order>): boolean => status === 'order_places_unavailable';

const getPlace = ({ data }: Answered<Order>): string => data.lines[0]?.place.id ?? '';

export type Way = (buyer: Buyer, hot: Hot) => ReturnType<Buy>;

/** Hold, then confirm on account: the milliseconds of both. */
export const buyInTwoCalls: Way = async (buyer, hot) => {
  const held = await holdOne(buyer, hot);
  if (isSoldOut(held)) return undefined;
  const confirmed = must(await confirm(buyer, must(held).data.id));
  return { place: getPlace(confirmed), ms: held.ms + confirmed.ms };
};

export const buyInOneCall: Way = async (buyer, hot) => {
  const sold = await sellOne(buyer, hot);
  return isSoldOut(sold) ? undefined : { place: getPlace(must(sold)), ms: sold.ms };
};

export interface Load {
  readonly ms: number[];
  readonly places: string[];
  readonly seconds: number;
}

/** Every client buys one place after the other until none is left or the time is up. */
export async function measureLoad(clients: readonly Buy[], seconds: number): Promise<Load> {
  const [ms, places]: [number[], string[]] = [[], []];
  const started = performance.now();
  const buyOn = async (buy: Buy): Promise<void> => {
    while (performance.now() - started < seconds * 1000) {
      const bought = await buy();
      if (!bought) return;
      ms.push(bought.ms);
      places.push(bought.place);
    }
  };
  await Promise.all(clients.map(buyOn));
  return { ms, places, seconds: (performance.now() - started) / 1000 };
}

export function countSurplus({ places }: Load, capacity: number): number {
  return places.length - new Set(places).size + Math.max(0, places.length - capacity);
}

const soldIn = async (buyer: Buyer, { performanceId }: Hot): Promise<number> => {
  const { data } = await buyer.send<{ seatCategories: { sold: number }[] }>(
    'GET',
    `/svc/v3/catalog/performances/${performanceId}/availability`,
  );
  return data.seatCategories[0]?.sold ?? Number.NaN;
};

/** The processor seconds of a request for 1 KB through a bare HTTPS proxy, with the product's certificate. */
const measureBareProxy = async ({ caFile }: Product, seconds: number): Promise<number> => {
  const upstream = await startChild<{ readonly url: string }>('bare', ['upstream']);
  const proxy = await startChild<{ readonly url: string }>('bare', ['proxy', upstream.announced.url, dirname(caFile)]);
  const load = { url: `${proxy.announced.url}/`, connections: CLIENTS, headers: {} };
  await apply({ ...load, seconds: 2 });
  const before = readCpuSeconds(proxy.child.pid);
  const { rate } = await apply({ ...load, seconds });
  const used = readCpuSeconds(proxy.child.pid) - before;
  for (const program of [proxy, upstream]) await program.stop();
  return used / (rate * seconds);
};

const measure = async (product: Product, seconds: number, progress: (line: string) => void) => {
  const authorization = await requestOperaAuthorization(product);
  const buyers = Array.from({ length: CLIENTS }, () => createBuyer(product, authorization));
  const [first] = buyers as [Buyer];
  const measureOne = async (what: string, way: Way) => {
    const fill = (hot: Hot) => {
      const clients = buyers.map((buyer) => () => way(buyer, hot));
      return measureLoad(clients, seconds);
    };
    progress(`${what}: warming up with ${WARM_UP_PLACES} places`);
    await fill(await putOnSale(first, WARM_UP_PLACES));
    const hot = await putOnSale(first, PLACES);
    progress(`${what}: ${CLIENTS} clients, ${PLACES} places, at most ${seconds} s`);
    const [before, own] = [readCpuSeconds(product.pid), readCpuSeconds(process.pid)];
    const load = await fill(hot);
    const [used, clients] = [readCpuSeconds(product.pid) - before, readCpuSeconds(process.pid) - own];
    return { load, used, clients, sold: await soldIn(first, hot) };
  };
  const two = await measureOne('two calls', buyInTwoCalls);
  const one = await measureOne('one call', buyInOneCall);
  for (const buyer of buyers) buyer.close();
  progress('a bare HTTPS proxy');
  return { two, one, bare: await measureBareProxy(product, Math.min(seconds, 10)) };
};

type Measured = Awaited<ReturnType<typeof measure>>['one'];

const countAMinute = ({ load }: Measured): number => (load.places.length / load.seconds) * 60;
const countCpuSeconds = ({ load, used }: Measured): number => (used / load.places.length) * 1000;

/** One place after the other on one hot performance, over HTTPS through the gateway, in two calls and in one. */
export const purchase: Benchmark = {
  about: `${CLIENTS} clients buy single places of a performance of ${PLACES}, in two calls and in one, everything durable (--seconds 60)`,
  async run(progress, { seconds = '60' }) {
    progress('starting the product with its demo data');
    const { two, one, bare } = await runWithProduct((product) => measure(product, Number(seconds), progress));
    const all = [two, one];
    const sold = all.map((each) => each.sold);
    const bought = all.map(({ load }) => load.places.length);
    const tooMany = all.reduce((sum, { load }) => sum + countSurplus(load, PLACES), 0);
    return {
      columns: ['', 'two calls', 'one call', 'ratio'],
      rows: [
        ['purchases', ...bought, ''],
        ['purchases a minute', ...all.map(countAMinute), countAMinute(one) / countAMinute(two)],
        ['p50 ms', ...all.map(({ load }) => computeQuantile(load.ms, 0.5)), ''],
        ['p99 ms', ...all.map(({ load }) => computeQuantile(load.ms, 0.99)), ''],
        ['CPU seconds per 1,000 purchases', ...all.map(countCpuSeconds), countCpuSeconds(one) / countCpuSeconds(two)],
        ['in requests through a bare HTTPS proxy', ...all.map((each) => countCpuSeconds(each) / bare / 1000), ''],
        [
          "of the clients' own, on the same cores",
          ...all.map(({ load, clients }) => (clients / load.places.length) * 1000),
          '',
        ],
      ],
      targets: [
        createMinimumTarget('purchases a minute in two calls', countAMinute(two), 15_000, ''),
        { what: 'oversold', target: '0', reached: `${tooMany}`, met: tooMany === 0 },
        {
          what: 'sold in the catalogue',
          target: bought.join(' and '),
          reached: sold.join(' and '),
          met: sold.every((count, index) => count === bought[index]),
        },
      ],
    };
  },
};
