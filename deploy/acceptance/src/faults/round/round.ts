import type { Api } from '../client/api.ts';
import { type Buyer, openBuyer } from '../client/buyer.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { Start } from '../deployment/process.ts';
import type { Evidence } from '../invariants/evidence.ts';
import type { Check } from '../invariants/verdict.ts';
import { createJournal, type Journal } from './journal.ts';
import type { Scope } from './observed-state.ts';
import type { Random } from './random.ts';
import { type Hall, openHall, type Section } from './stage.ts';

/** One playing of a scenario, on a performance of its own: what is checked when it is quiet. */
export interface Round extends Scope {
  readonly scenario: string;
  readonly journal: Journal;
  /** What the harness killed, by name. */
  readonly kills: string[];
  /** How what was killed became ready again. */
  readonly revivals: Start[];
  /** Dead letters that it has planted: `<queue> <key>`. */
  readonly planted: string[];
  /** Whether the institution cancels the performance in it. */
  readonly closed?: boolean;
  /** What its clients are still waiting for: nothing is checked before. */
  readonly unfinished: Promise<unknown>[];
  /** What must be true of this round beside that of every round; asked when it may be quiet, perhaps several times. */
  alsoTrue?: (evidence: Evidence, check: Check) => Promise<void> | void;
  /** Puts back what the round has changed, when it has been checked. */
  afterwards?: () => Promise<void>;
}

/** Where a scenario is played, and how big. */
export interface Context {
  readonly deployment: Deployment;
  readonly api: Api;
  readonly random: Random;
  /** Unique in the installation. */
  readonly reference: string;
  /** A short version is for every run of the tests. */
  readonly size: 'short' | 'long';
}

/** Something that a deployment has to survive. */
export interface Scenario {
  readonly name: string;
  readonly about: string;
  /** Whether it needs a broker beside the processes. */
  readonly needsBroker?: boolean;
  play(context: Context): Promise<Round>;
}

/** Begins a round: a performance goes on sale. */
export const beginRound = async (
  { api, reference }: Context,
  scenario: string,
  sections: readonly Section[],
): Promise<Round> => {
  const since = new Date(Date.now() - 1_000);
  const hall: Hall = await openHall(api, reference, sections);
  return {
    scenario,
    hall,
    reference,
    since,
    journal: createJournal(),
    kills: [],
    revivals: [],
    planted: [],
    unfinished: [],
  };
};

/** Goes on without them; the round is not checked before they are over. */
export const leave = (round: Round, clients: readonly Promise<unknown>[]): void => {
  round.unfinished.push(...clients);
  // Whoever waits for the round hears of it.
  for (const client of clients) client.catch(() => undefined);
};

/** So many buyers of a round, each with habits of its own. */
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
