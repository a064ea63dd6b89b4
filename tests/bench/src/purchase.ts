import {
  type Buyer,
  confirm,
  createBuyer,
  type Hot,
  holdOne,
  must,
  putOnSale,
  requestOperaAuthorization,
} from './clients.ts';
import { type Product, readCpuSeconds, runWithProduct } from './measure/processes.ts';
import { type Benchmark, computeQuantile, createMinimumTarget } from './measure/report.ts';

const CLIENTS = 32;
const PLACES = 20_000;
const WARM_UP_PLACES = 2_000;

/** The result of one load, as its clients see it. */
interface Load {
  readonly holdMs: number[];
  readonly confirmMs: number[];
  /** The place of every confirmed order. */
  readonly places: string[];
  readonly seconds: number;
}

/** Every client buys one place after the other until none is left or the time is up. */
const offerLoad = async (buyers: readonly Buyer[], hot: Hot, seconds: number): Promise<Load> => {
  const [holdMs, confirmMs, places]: [number[], number[], string[]] = [[], [], []];
  const started = performance.now();
  const buy = async (buyer: Buyer): Promise<void> => {
    while (performance.now() - started < seconds * 1000) {
      const held = await holdOne(buyer, hot);
      if (held.status === 'order_places_unavailable') return;
      holdMs.push(must(held).ms);
      const confirmed = must(await confirm(buyer, held.data.id));
      confirmMs.push(confirmed.ms);
      places.push(...confirmed.data.lines.map(({ place }) => place.id));
    }
  };
  await Promise.all(buyers.map(buy));
  return { holdMs, confirmMs, places, seconds: (performance.now() - started) / 1000 };
};

/** The number of places sold beyond the capacity or sold twice. */
const countOversold = ({ places }: Load): number =>
  places.length - new Set(places).size + Math.max(0, places.length - PLACES);

const soldIn = async (buyer: Buyer, { performanceId }: Hot): Promise<number> => {
  const { data } = await buyer.send<{ seatCategories: { sold: number }[] }>(
    'GET',
    `/svc/v3/catalog/performances/${performanceId}/availability`,
  );
  return data.seatCategories[0]?.sold ?? Number.NaN;
};

const measure = async (product: Product, seconds: number, progress: (line: string) => void) => {
  const authorization = await requestOperaAuthorization(product);
  const buyers = Array.from({ length: CLIENTS }, () => createBuyer(product, authorization));
  const [first] = buyers as [Buyer];
  progress(`warming up: ${WARM_UP_PLACES} places`);
  await offerLoad(buyers, await putOnSale(first, WARM_UP_PLACES), seconds);
  const hot = await putOnSale(first, PLACES);
  progress(`${CLIENTS} clients, ${PLACES} places, at most ${seconds} s`);
  const [before, own] = [readCpuSeconds(product.pid), readCpuSeconds(process.pid)];
  const result = await offerLoad(buyers, hot, seconds);
  const [used, load] = [readCpuSeconds(product.pid) - before, readCpuSeconds(process.pid) - own];
  const sold = await soldIn(first, hot);
  for (const buyer of buyers) buyer.close();
  return { result, used, load, sold };
};

/** One place after the other on one hot performance: hold, then confirm on account, over HTTPS through the gateway. */
export const purchase: Benchmark = {
  about: `${CLIENTS} clients buy single places of one performance of ${PLACES}, everything durable (--seconds 60)`,
  async run(progress, { seconds = '60' }) {
    progress('starting the product with its demo data');
    const { result, used, load, sold } = await runWithProduct((product) => measure(product, Number(seconds), progress));
    const bought = result.places.length;
    const aMinute = (bought / result.seconds) * 60;
    return {
      columns: ['', 'figure'],
      rows: [
        ['purchases', bought],
        ['purchases a minute', aMinute],
        ['hold p50 ms', computeQuantile(result.holdMs, 0.5)],
        ['hold p99 ms', computeQuantile(result.holdMs, 0.99)],
        ['confirm p50 ms', computeQuantile(result.confirmMs, 0.5)],
        ['confirm p99 ms', computeQuantile(result.confirmMs, 0.99)],
        ['CPU seconds per 1,000 purchases', (used / bought) * 1000],
        ["of the clients' own, on the same cores", (load / bought) * 1000],
      ],
      targets: [
        createMinimumTarget('purchases a minute', aMinute, 15_000, ''),
        { what: 'oversold', target: '0', reached: `${countOversold(result)}`, met: countOversold(result) === 0 },
        { what: 'sold in the catalogue', target: `${bought}`, reached: `${sold}`, met: sold === bought },
      ],
    };
  },
};
