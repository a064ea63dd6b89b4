import { type ConcurrentSale, openConcurrentSale, type SaleCounts } from '@boxoffice/faults';
import type { Address } from '@boxoffice/testkit';
import type { Composition, Instance } from './composition.ts';
import { crash, drain, servedBy } from './instance.ts';
import type { Options } from './options.ts';

/** The running installation that sells, and the options of each step. */
export interface Selling {
  readonly composition: Composition;
  /** Of the gateway. */
  readonly address: Address;
  readonly partner: Parameters<typeof openConcurrentSale>[0]['partner'];
  readonly options: Options;
  /** Unique to this run. */
  readonly run: string;
}

const SERVICE = 'orders';

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Enough places for every buyer, and few enough for a database that scans them all. */
const PLACES = 1_500;

const openSale = ({ address, partner, options, run }: Selling, name: string): Promise<ConcurrentSale> =>
  openConcurrentSale({ address, partner }, { reference: `${name}-${run}`, buyers: options.buyers, capacity: PLACES });

const summaryOf = ({ ok, refused, unknown, failures }: SaleCounts): string =>
  `${ok} ok, ${refused} refused, ${unknown} unknown; ${failures} failed requests`;

/** Milliseconds for a sale to settle; another instance finishes the step of a dead process after at most 5,000. */
const SETTLED_WITHIN_MS = 60_000;

/** Ends a sale and compares the buyers' journal with the installation's state. @throws {Error} if they differ */
const verify = async (sale: ConcurrentSale): Promise<{ counts: SaleCounts; seconds: number }> => {
  await sale.end();
  const counts = sale.counts();
  const { violations, seconds, checked } = await sale.settle(SETTLED_WITHIN_MS);
  if (violations.length > 0) {
    const first = violations.slice(0, 10).join('\n');
    throw new Error(`${summaryOf(counts)}; of ${checked} facts ${violations.length} are wrong:\n${first}`);
  }
  return { counts, seconds };
};

const shares = async (instances: readonly Instance[], before: ReadonlyMap<string, number>): Promise<number[]> =>
  Promise.all(instances.map(async ({ id }) => (await servedBy(id)) - (before.get(id) ?? 0)));

const servedSoFar = async (instances: readonly Instance[]): Promise<Map<string, number>> =>
  new Map(await Promise.all(instances.map(async ({ id }) => [id, await servedBy(id)] as const)));

/** The least share of work for one instance, as a fraction of an equal share. */
const LEAST_SHARE = 0.2;

/** Scales from one instance to three during a sale: each must get work. */
export const scaleUp = async (selling: Selling): Promise<string> => {
  const { composition, options } = selling;
  const sale = await openSale(selling, 'scale');
  await composition.scale(SERVICE, 3);
  await composition.healthy(SERVICE, 3);
  const instances = await composition.instances(SERVICE);
  // Persistent connections are renewed within this time; then the new instances have their share.
  await pause(25);
  const before = await servedSoFar(instances);
  await pause(options.seconds);
  const served = await shares(instances, before);
  const { counts } = await verify(sale);
  const all = served.reduce((sum, one) => sum + one, 0);
  const text = `requests per instance ${served.join(', ')}; ${summaryOf(counts)}`;
  if (served.some((one) => one < (all / served.length) * LEAST_SHARE))
    throw new Error(`an instance lacks its share: ${text}`);
  if (counts.failures > 0) throw new Error(`${text}\n${counts.stories.join('\n')}`);
  return text;
};

/** Kills one of three instances during a sale: nothing acknowledged is lost, and the engine restarts it. */
export const killOne = async (selling: Selling): Promise<string> => {
  const { composition, options } = selling;
  const sale = await openSale(selling, 'kill');
  await pause(options.seconds / 2);
  const [victim] = await composition.instances(SERVICE);
  if (!victim) throw new Error('there is no instance to kill');
  await crash(victim.id);
  await pause(options.seconds / 2);
  await composition.healthy(SERVICE, 3);
  const { counts, seconds } = await verify(sale);
  return `${summaryOf(counts)}; nothing lost, quiet after ${seconds.toFixed(1)} s, three instances again`;
};

/**
 * The name of a replacement, and whether every request must succeed: an older version keeps its own promises, not the
 * current ones.
 */
export interface Replacement {
  readonly name: string;
  readonly image: string;
  readonly mustNotFail: boolean;
}

/**
 * Replaces all instances by those of another image during a sale: new ones start first, then the old ones drain.
 * Nothing may be lost.
 */
export const replaceAll = async (selling: Selling, { name, image, mustNotFail }: Replacement): Promise<string> => {
  const { composition, options } = selling;
  const old = await composition.instances(SERVICE);
  const sale = await openSale(selling, name);
  await pause(options.seconds / 2);
  composition.use(SERVICE, image);
  await composition.scale(SERVICE, old.length * 2);
  await composition.healthy(SERVICE, old.length * 2);
  const both = await composition.instances(SERVICE);
  const before = await servedSoFar(both);
  // Both versions run side by side.
  await pause(25);
  const served = await shares(both, before);
  const sumOf = (ofNew: boolean): number =>
    both.reduce((sum, one, index) => sum + ((one.image === image) === ofNew ? (served[index] ?? 0) : 0), 0);
  const endings = [];
  for (const { id } of old) endings.push(await drain(id));
  await pause(options.seconds / 2);
  const { counts } = await verify(sale);
  const left = await composition.instances(SERVICE);
  const statuses = endings.map(({ status }) => status).join(', ');
  const slowest = Math.max(...endings.map(({ seconds }) => seconds)).toFixed(1);
  const text = [
    `side by side the old ones served ${sumOf(false)}, the new ones ${sumOf(true)}`,
    `ended with status ${statuses} in at most ${slowest} s`,
    summaryOf(counts),
  ].join('; ');
  if (left.length !== old.length || left.some((one) => one.image !== image))
    throw new Error(`not all were replaced; ${text}`);
  if (mustNotFail && counts.failures > 0) throw new Error(`${text}\n${counts.stories.slice(0, 10).join('\n')}`);
  if (sumOf(true) === 0 || sumOf(false) === 0) throw new Error(`not both versions worked; ${text}`);
  if (endings.some(({ status }) => status !== 0)) throw new Error(text);
  return text;
};
