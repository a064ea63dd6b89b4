// Rounds: one run of a scenario, its journal, the observed state, and the wait until it is quiet.

import type { Client } from '@boxoffice/testkit';
import { type Buyer, openBuyer } from '../client/buyer.ts';
import { type Feed, openFeed, type Receiver } from '../client/feed.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { Start } from '../deployment/process.ts';
import type { Evidence } from '../invariants/evidence.ts';
import type { Check } from '../invariants/verdict.ts';
import { createJournal, type Journal } from './journal.ts';
import type { Scope } from './observed-state.ts';
import type { Random } from './random.ts';
import { type Hall, openHall, type Section } from './stage.ts';

/** One run of a scenario on a performance of its own, checked once it is quiet. */
export interface Round extends Scope {
  readonly scenario: string;
  readonly journal: Journal;
  /** What a partner hears of it. */
  readonly feed: Feed;
  readonly receiver?: Receiver | undefined;
  /** The faults that the processes and engines suffered, in words. */
  readonly faults: string[];
  /** Figures of the round that the plan reports. */
  readonly remarks: string[];
  /** The restarts of the killed processes. */
  readonly revivals: Start[];
  /** The dead letters that it planted: `<queue> <key>`, or `<queue> <id>` of bytes that are no message. */
  readonly planted: string[];
  /** Whether the institution cancels the performance during the round. */
  readonly closed?: boolean;
  /** Unfinished client requests: the round is checked after them. */
  readonly unfinished: Promise<unknown>[];
  /**
   * The factor of every promised time: the plan measures what is promised, with the machine to itself, and the short
   * version runs among other tests on machines of any speed.
   */
  readonly slack: number;
  /** How much longer than usual its invariants may take to hold; default 0. */
  readonly patienceMs?: number;
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
  /** Unique in the installation. */
  readonly reference: string;
  /** The short version is part of every test run. */
  readonly size: 'short' | 'long';
  /** Receives the events of orders and tickets, of this round and of others. */
  readonly receiver?: Receiver | undefined;
  /** Default: one of the round's own. */
  readonly feed?: Feed;
}

/** A failure that a deployment must survive. */
export interface Scenario {
  readonly name: string;
  readonly about: string;
  /** Whether it needs a broker beside the processes. */
  readonly needsBroker?: boolean;
  play(context: Context): Promise<Round>;
}

/** Starts a round: puts a performance on sale. */
export const beginRound = async (
  { api, reference, size, receiver, feed: shared }: Context,
  scenario: string,
  sections: readonly Section[],
): Promise<Round> => {
  const since = new Date(Date.now() - 1_000);
  const feed = shared ?? (await openFeed(api));
  const hall: Hall = await openHall(api, reference, sections);
  return {
    scenario,
    hall,
    reference,
    since,
    journal: createJournal(),
    feed,
    receiver,
    faults: [],
    remarks: [],
    revivals: [],
    planted: [],
    unfinished: [],
    slack: size === 'short' ? 10 : 1,
  };
};

/** Continues without waiting for the clients; the round is checked after they finish. */
export const leave = (round: Round, clients: readonly Promise<unknown>[]): void => {
  round.unfinished.push(...clients);
  // The rejection reaches the caller that awaits the round.
  for (const client of clients) client.catch(() => undefined);
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
