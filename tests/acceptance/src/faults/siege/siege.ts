// The siege: a sale at half of the measured capacity, without and with an attacker, and its table.

import { randomUUID } from 'node:crypto';
import { availableParallelism, loadavg } from 'node:os';
import { type Client, withToken } from '@boxoffice/testkit';
import { createdBy, openBuyer } from '../client/buyer.ts';
import { openShop } from '../client/shop.ts';
import type { Deployment, EnginesName } from '../deployment/deployment.ts';
import { type Random, randomFrom } from '../round/random.ts';
import { beginRound, type Context, type Round } from '../round/round.ts';
import { settle } from '../round/settle.ts';
import { anyPlaces, type Section } from '../round/stage.ts';
import { addressesIn, clientFrom } from './addresses.ts';
import { startAttacker } from './attacker/attacker.ts';
import { measureCapacity } from './capacity.ts';
import { openHonest, type Sale } from './honest.ts';
import { playPhase } from './phase.ts';
import { prepareAttack } from './prepare-attack.ts';
import { growth, openFiles, residentBytes, storedBy, watchMemory } from './resources.ts';
import { createSamples } from './samples.ts';
import type { SiegeReport } from './siege-report.ts';

export interface SiegeOptions {
  readonly engines: EnginesName;
  /** Of the attack, and of the same sale without it. */
  readonly minutes: number;
  /** The share of one core that the attacker may use. */
  readonly share: number;
  readonly seed: string;
  /** Starts a deployment with the product's own limits and these settings. */
  readonly start: (engines: EnginesName, settings: Readonly<Record<string, string>>) => Promise<Deployment>;
  readonly print: (line: string) => void;
}

const CAPACITY_SECONDS = 20;
/** Places of the hall in which the capacity is measured: more than are sold, since it must not sell out. */
const TRIAL_PLACES: Readonly<Record<EnginesName, number>> = { embedded: 40_000, scaled: 4_000 };
const ABREAST = 48;
/** The harness opens connections for its checks from one address, which may have 200. */
const CHECK_CONNECTIONS = 50;
const ATTACK_ADDRESSES = 50;
const CONNECTIONS = 10_000;
const SLOW_SOCKETS = 500;
/** Open files that a process needs beside the connections without a request. */
const OTHER_FILES = 2_000;
/** The sections of a hall; each has at most so many places. */
const SECTION = 20_000;
/** An order has at most two places, and not every arrival is one. */
const PLACES_PER_ARRIVAL = 1.5;
/** A cart whose response never arrived is known to nobody: it must end before the invariants are checked. */
const HOLD_SECONDS = 20;
/** Of the sale after the attack, at most. */
const AFTER_SECONDS = 60;

const sectionsFor = (places: number): Section[] =>
  Array.from({ length: Math.ceil(places / SECTION) }, (_, index) => ({
    code: `FLOOR${index + 1}`,
    capacity: Math.min(SECTION, Math.ceil(places) - index * SECTION),
  }));

const openSale = async (context: Context, places: number, random: Random): Promise<Sale> => {
  const round = await beginRound(context, 'siege', sectionsFor(places));
  const shop = await openShop(context.deployment, context.api, context.reference, round.hall, HOLD_SECONDS);
  return { round, shop, random };
};

/** An order of the honest partner, which a stolen token must not read. */
const someOrder = async (api: Client, { hall, journal, reference }: Round, random: Random): Promise<string> => {
  const buyer = openBuyer({ api, journal, random, reference: `${reference}/known`, persistent: true });
  const order = createdBy(await buyer.create([anyPlaces(hall, 1)]));
  if (!order) throw new Error('the first order of the sale was refused');
  await buyer.confirm(order.id);
  return order.id;
};

const play = async (deployment: Deployment, options: SiegeOptions, secret: string): Promise<SiegeReport> => {
  const { seed, share, minutes, print } = options;
  const random = randomFrom(`${seed}/${deployment.engines}`);
  const [load = 0] = loadavg();
  const anonymous = clientFrom(deployment.address, '127.0.3.1', CHECK_CONNECTIONS);
  const api = withToken(anonymous, deployment.partner);
  const honest = openHonest(deployment);
  const contextOf = (reference: string): Context => ({ deployment, api, random, reference, size: 'long' });

  const trial = await openSale(contextOf('siege-capacity'), TRIAL_PLACES[deployment.engines], random.fork('capacity'));
  const unused = createSamples();
  const capacity = await measureCapacity(ABREAST, CAPACITY_SECONDS, (index) =>
    honest.arrive(trial, unused, `${index}`, performance.now()),
  );
  const rate = capacity / 2;
  print(`capacity ${capacity.toFixed(0)} arrivals/s with ${ABREAST} at once; the sale has ${rate.toFixed(0)}/s`);

  const seconds = minutes * 60;
  const afterSeconds = Math.min(AFTER_SECONDS, seconds);
  const places = Math.max(1_000, rate * (2 * seconds + afterSeconds) * PLACES_PER_ARRIVAL);
  const sale = await openSale(contextOf('siege'), places, random.fork('sale'));
  const orderId = await someOrder(api, sale.round, random.fork('known'));
  const storedAtFirst = await storedBy(deployment);

  print(`the sale without an attacker, ${seconds} s`);
  const calm = await playPhase(honest, sale, 'calm', rate, seconds);
  const storedBetween = await storedBy(deployment);
  const residentBefore = await residentBytes(deployment);

  const name = 'siege-attacked';
  const knowledge = await prepareAttack(deployment, api, anonymous, { keyEncryptionKey: secret, orderId, name });
  const storedBefore = await storedBy(deployment);
  const files = await openFiles();
  const connections = Math.max(0, Math.min(CONNECTIONS, files - OTHER_FILES));
  print(`the sale with an attacker, ${seconds} s`);
  const memory = watchMemory(deployment);
  const attacker = startAttacker({
    address: deployment.address,
    from: addressesIn(0, ATTACK_ADDRESSES, 2),
    share,
    connections,
    slow: SLOW_SOCKETS,
    seed,
    ...knowledge,
  });
  const attacked = await playPhase(honest, sale, 'attacked', rate, seconds);
  const attack = await attacker.stop();
  const peak = memory.stop();
  const storedAfter = await storedBy(deployment);

  print(`the sale after the attack, ${afterSeconds} s`);
  const after = await playPhase(honest, sale, 'after', rate, afterSeconds);
  const residentAfter = await residentBytes(deployment);

  print('checking the invariants');
  const settled = await settle(deployment, api, [trial.round, sale.round]);
  return {
    engines: deployment.engines,
    seed,
    minutes,
    share,
    cores: availableParallelism(),
    load,
    capacity,
    rate,
    phases: { calm, attacked, after },
    attack,
    attackAddresses: ATTACK_ADDRESSES,
    wantedConnections: connections,
    resident: { before: residentBefore, peak: Math.max(peak, residentBefore), after: residentAfter },
    stored: { without: growth(storedAtFirst, storedBetween), with: growth(storedBefore, storedAfter) },
    settled,
  };
};

/** Plays the siege on one set of engines. @throws {Error} when the harness itself fails */
export const playSiege = async (options: SiegeOptions): Promise<SiegeReport> => {
  const secret = randomUUID() + randomUUID();
  const deployment = await options.start(options.engines, { KEY_ENCRYPTION_KEY: secret });
  try {
    return await play(deployment, options, secret);
  } catch (error) {
    for (const { name, output } of deployment.processes) options.print(`${name} printed:\n${output()}`);
    throw error;
  } finally {
    await deployment.close();
  }
};
