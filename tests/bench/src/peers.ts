// The same sale on the product and on pretix, in one run.

import { createBuyer, putOnSale, requestOperaAuthorization } from './clients.ts';
import { findMissingPackages, installPretix, type Pretix, startPretix } from './measure/pretix.ts';
import {
  type Product,
  readTreeCpuSeconds,
  runInScratchDirectory,
  runWithProduct,
  waitForRest,
} from './measure/processes.ts';
import { type Benchmark, computeMedian, computeQuantile, createMinimumTarget } from './measure/report.ts';
import { type Buy, buyInOneCall, buyInTwoCalls, countSurplus, type Load, measureLoad, type Way } from './purchase.ts';

const CLIENTS = [1, 8, 32];
const MOST = Math.max(...CLIENTS);
const PLACES = 20_000;
/** Fewer than the attempts of the last round. */
const SCARCE = 48;
const WARM_UP_SECONDS = 2;

interface Seller {
  readonly name: string;
  readonly pids: readonly number[];
  /** Puts so many places on sale; returns how each of the clients buys one. */
  offer(places: number): Promise<readonly Buy[]>;
}

const createSellers = async (product: Product, pretix: Pretix, version: string): Promise<readonly Seller[]> => {
  const authorization = await requestOperaAuthorization(product);
  const buyers = Array.from({ length: MOST }, () => createBuyer(product, authorization));
  const ours = (name: string, way: Way): Seller => ({
    name,
    pids: [product.pid],
    async offer(places) {
      const hot = await putOnSale(createBuyer(product, authorization), places);
      return buyers.map((buyer) => () => way(buyer, hot));
    },
  });
  const theirs = (name: string, isPaid: boolean): Seller => ({
    name: `pretix ${version}, ${name}`,
    pids: pretix.pids,
    offer: async (places) => Array<Buy>(MOST).fill(await pretix.putOnSale(places, isPaid)),
  });
  return [
    ours('one call', buyInOneCall),
    ours('two calls', buyInTwoCalls),
    theirs('unpaid order', false),
    theirs('paid order', true),
  ];
};

interface Round extends Load {
  readonly aMinute: number;
  /** Of the servers per 1,000 sales, with what they did after the last answer. */
  readonly cpuSeconds: number;
}

const measureRound = async ({ pids, offer }: Seller, clients: number, seconds: number): Promise<Round> => {
  const buys = await offer(PLACES);
  const measureCpu = () => readTreeCpuSeconds(pids);
  const before = await waitForRest(measureCpu);
  const load = await measureLoad(buys.slice(0, clients), seconds);
  const sold = load.places.length;
  const used = (await waitForRest(measureCpu, 120_000)) - before;
  return { ...load, aMinute: (sold / load.seconds) * 60, cpuSeconds: (used / sold) * 1_000 };
};

/** The rounds of a seller with so many clients, and what it sold too much when places were scarce. */
interface Measured {
  readonly seller: Seller;
  readonly clients: number;
  readonly rounds: Round[];
  oversold: number | '';
}

const measure = async (
  sellers: readonly Seller[],
  rounds: number,
  seconds: number,
  progress: (line: string) => void,
): Promise<readonly Measured[]> => {
  const measured: Measured[] = sellers.flatMap((seller) =>
    CLIENTS.map((clients) => ({ seller, clients, rounds: [], oversold: '' })),
  );
  progress('warming up');
  for (const seller of sellers) await measureRound(seller, MOST, WARM_UP_SECONDS);
  for (let round = 1; round <= rounds; round += 1) {
    for (const clients of CLIENTS) {
      const turns = measured.filter((each) => each.clients === clients);
      for (const each of round % 2 === 0 ? turns.reverse() : turns) {
        progress(`round ${round} of ${rounds}: ${each.seller.name}, clients: ${clients}`);
        each.rounds.push(await measureRound(each.seller, clients, seconds));
      }
    }
  }
  for (const each of measured.filter(({ clients }) => clients === MOST)) {
    progress(`${each.seller.name}: ${SCARCE} places, clients until they are refused: ${MOST}`);
    const load = await measureLoad(await each.seller.offer(SCARCE), Number.POSITIVE_INFINITY);
    each.oversold = countSurplus(load, SCARCE);
  }
  return measured;
};

type Four = [Measured, Measured, Measured, Measured];

const computeRate = ({ rounds }: Measured): number => computeMedian(rounds.map(({ aMinute }) => aMinute));
const computeCost = ({ rounds }: Measured): number => computeMedian(rounds.map(({ cpuSeconds }) => cpuSeconds));

/** One place of general admission; over HTTPS through the gateway here, over HTTP without a proxy there. */
export const peers: Benchmark = {
  about:
    'the same sale here and on pretix; medians of interleaved rounds (--rounds 3, --seconds 5, --venv FOLDER with pretix)',
  findMissing({ venv }) {
    const packages = findMissingPackages(venv);
    return packages.length === 0
      ? undefined
      : `pretix cannot run here without ${packages.join(', ')}: apt-get install ${packages.join(' ')}`;
  },
  async run(progress, { rounds = '3', seconds = '5', venv }) {
    const installed = await installPretix(venv, progress);
    const measured = await runInScratchDirectory(async (directory) => {
      progress('starting pretix with an empty database; the first one takes minutes');
      const pretix = await startPretix(directory, installed);
      const work = async (product: Product) =>
        measure(await createSellers(product, pretix, installed.version), Number(rounds), Number(seconds), progress);
      return runWithProduct(work).finally(pretix.stop);
    });
    const [one, two, , paid] = measured.filter(({ clients }) => clients === MOST) as Four;
    const oversold = Number(one.oversold) + Number(two.oversold);
    const [sales, cost] = [computeRate(one) / computeRate(paid), computeCost(paid) / computeCost(one)];
    return {
      columns: ['', 'clients', 'sales a minute', 'CPU s per 1,000', 'p50 ms', 'p99 ms', 'oversold'],
      rows: measured.map((each) => {
        const ms = each.rounds.flatMap((round) => round.ms);
        return [
          each.seller.name,
          `${each.clients}`,
          computeRate(each),
          computeCost(each),
          computeQuantile(ms, 0.5),
          computeQuantile(ms, 0.99),
          each.oversold,
        ];
      }),
      targets: [
        createMinimumTarget('sales a minute in one call against its paid orders, most clients', sales, 40),
        createMinimumTarget('processor time of its paid order against one call, most clients', cost, 50),
        { what: 'oversold here', target: '0', reached: `${oversold}`, met: oversold === 0 },
      ],
    };
  },
};
