// Rounds: one run of a scenario, its journal, the observed state, and the wait until it is quiet.

import type { Client } from '@boxoffice/testkit';
import { type Buyer, openBuyer } from '../client/buyer.ts';
import { type Feed, openFeed, type Receiver } from '../client/feed.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { Start } from '../deployment/process.ts';
import type { Check, Evidence } from '../invariants/verdict.ts';
import { createJournal, type Journal } from './journal.ts';
import type { Scope } from './observed-state.ts';
import { type Random, randomFrom } from './random.ts';
import { openHall, type Section } from './stage.ts';

/** One run of a scenario on a performance of its own, checked once it is quiet. */
export interface Round extends Scope {
  readonly journal: Journal;
  /** What a partner hears of it. */
  readonly feed: Feed;
  readonly receiver?: Receiver | undefined;
  /** The faults that the processes and engines suffered, in words. */
  readonly faults: string[];
  /** The restarts of the killed processes. */
  readonly revivals: Start[];
  /** The dead letters that it planted: `<queue> <key>`, or `<queue> <id>` of bytes that are no message. */
  readonly planted: string[];
  /** Whether the institution cancels the performance during the round. */
  readonly closed?: boolean;
  /** Unfinished client requests: the round is checked after them. */
  readonly unfinished: Promise<unknown>[];
  /**
   * The factor of every promised time: long rounds measure what is promised, with the machine to themselves, and short
   * ones run among other tests on machines of any speed.
   */
  readonly slack: number;
  /** Additional invariants of this round; called when it may be quiet, perhaps several times. */
  alsoTrue?: (evidence: Evidence, check: Check) => Promise<void> | void;
  /** Reverts the round's changes after its check. */
  afterwards?: () => Promise<void>;
}

/** The deployment and the size of a round. */
export interface Context {
  readonly deployment: Deployment;
  readonly api: Client;
  readonly random: Random;
  /** Of the whole run; with the turn, it decides what is chosen of a list. */
  readonly seed: string;
  /** How many rounds of the scenario were played before. */
  readonly turn: number;
  /** Unique in the installation. */
  readonly reference: string;
  /** The short version is part of every test run. */
  readonly size: 'short' | 'long';
  /** The crash points to kill at; default: the share of the turn. */
  readonly points?: readonly string[] | undefined;
  /** Receives the events of orders and tickets, of this round and of others. */
  readonly receiver?: Receiver | undefined;
  /** Default: one of the round's own. */
  readonly feed?: Feed;
}

/** A failure that a deployment must survive. */
export interface Scenario {
  readonly name: string;
  readonly about: string;
  /** How many long rounds play all of its faults; default 1. */
  readonly rounds?: number;
  /** What the deployment must have: servers of the harness, links with proxies, or several processes. */
  readonly needs?: 'broker' | 'links' | 'processes';
  play(context: Context): Promise<Round>;
}

/** The share of a list that this turn plays: turns meet every item, in an order by the seed, before they repeat one. */
export const shareOf = <T>({ seed, turn }: Pick<Context, 'seed' | 'turn'>, all: readonly T[], count: number): T[] => {
  const shuffled = randomFrom(`${seed}/shares`).shuffled(all);
  const size = Math.min(count, all.length);
  return Array.from({ length: size }, (_, index) => shuffled[(turn * size + index) % all.length] as T);
};

/** Starts a round: puts a performance on sale; by default one with places for a price and free ones. */
export const beginRound = async (
  { api, reference, size, receiver, feed: shared }: Context,
  sections: readonly Section[] = [
    { code: 'FLOOR', capacity: 600 },
    { code: 'FREE', capacity: 300, amount: 0 },
  ],
): Promise<Round> => {
  const since = new Date(Date.now() - 10_000);
  const feed = shared ?? (await openFeed(api));
  return {
    hall: await openHall(api, reference, sections),
    reference,
    since,
    journal: createJournal(),
    feed,
    receiver,
    faults: [],
    revivals: [],
    planted: [],
    unfinished: [],
    slack: size === 'short' ? 10 : 1,
  };
};

/** Returns `count` buyers of a round, each with habits of its own. */
export const buyersOf = ({ api, random }: Context, round: Round, count: number, persistent?: boolean): Buyer[] =>
  Array.from({ length: count }, (_, index) =>
    openBuyer({
      api,
      journal: round.journal,
      random: random.fork(`buyer ${index}`),
      reference: round.reference,
      ...(persistent === undefined ? {} : { persistent }),
    }),
  );
