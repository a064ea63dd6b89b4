// Rounds: one run of a scenario, its journal, the observed state, and the wait until it is quiet.

import type { DeadLetter } from '@boxoffice/messaging';
import type { OutboxEvent } from '@boxoffice/store';
import type { Client } from '@boxoffice/testkit';
import { type Buyer, openBuyer } from '../client/buyer.ts';
import { type Feed, openDeploymentReceiver, openFeed, type Receiver } from '../client/feed.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { Start } from '../deployment/process.ts';
import { checkRound } from '../invariants/orders.ts';
import { type Check, createCheck, type Evidence, type Verdict } from '../invariants/verdict.ts';
import { inspect } from './inspection.ts';
import { createJournal, type Journal } from './journal.ts';
import { createRandom, type Random } from './random.ts';
import { observeState, openHall, type Scope, type Section } from './stage.ts';

/** One run of a scenario on a performance of its own, checked once it is quiet. */
export interface Round extends Scope {
  readonly journal: Journal;
  readonly feed: Feed;
  readonly receiver?: Receiver | undefined;
  readonly faults: string[];
  readonly revivals: Start[];
  /** The dead letters that it planted: `<queue> <key>`, or `<queue> <id>` of bytes that are no message. */
  readonly planted: string[];
  /** Whether the institution cancels the performance during the round. */
  readonly closed?: boolean;
  readonly unfinished: Promise<unknown>[];
  /**
   * The factor of every promised time: long rounds measure what is promised, with the machine to themselves, and short
   * ones run among other tests on machines of any speed.
   */
  readonly slack: number;
  /** Additional invariants of this round; called when it may be quiet, perhaps several times. */
  alsoTrue?: (evidence: Evidence, check: Check) => Promise<void> | void;
  afterwards?: () => Promise<void>;
}

export interface Context {
  readonly deployment: Deployment;
  readonly api: Client;
  readonly random: Random;
  /** Of the whole run; with the turn, it decides what is chosen of a list. */
  readonly seed: string;
  readonly turn: number;
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
export function selectShare<T>({ seed, turn }: Pick<Context, 'seed' | 'turn'>, all: readonly T[], count: number): T[] {
  const shuffled = createRandom(`${seed}/shares`).shuffle(all);
  const size = Math.min(count, all.length);
  return Array.from({ length: size }, (_, index) => shuffled[(turn * size + index) % all.length] as T);
}

/** Starts a round: puts a performance on sale; by default one with places for a price and free ones. */
export async function beginRound(
  { api, reference, size, receiver, feed: shared }: Context,
  sections: readonly Section[] = [
    { code: 'FLOOR', capacity: 600 },
    { code: 'FREE', capacity: 300, amount: 0 },
  ],
): Promise<Round> {
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
}

/** Returns `count` buyers of a round, each with habits of its own. */
export function openBuyers({ api, random }: Context, round: Round, count: number, persistent?: boolean): Buyer[] {
  return Array.from({ length: count }, (_, index) =>
    openBuyer({
      api,
      journal: round.journal,
      random: random.fork(`buyer ${index}`),
      reference: round.reference,
      ...(persistent === undefined ? {} : { persistent }),
    }),
  );
}

/** The time until everything must be right, and that of the start of a killed process. */
const QUIET_MS = 30_000;
const READY_SECONDS = 10;
/** How long everything must stay right: longer than the delay of the latest copy of a message. */
const STEADY_MS = 1_500;
const LOOK_EVERY_MS = 500;

/** messages: outboxes drain, and the dead letters are exactly the planted ones. */
export function checkMessages(
  pending: readonly Pick<OutboxEvent, 'type' | 'key'>[],
  deadLetters: readonly Pick<DeadLetter, 'id' | 'queue' | 'reason' | 'message'>[],
  planted: readonly string[],
  check: Check,
): void {
  check.that('messages', pending.length === 0, () => {
    const some = pending.slice(0, 5).map(({ type, key }) => `${type} of ${key}`);
    return `${pending.length} events are not published: ${some.join(', ')}`;
  });
  const expected = new Set(planted);
  for (const { id, queue, reason, message } of deadLetters) {
    const name = `${queue} ${message.type === 'unreadable' ? message.id : message.key}`;
    check.that('messages', expected.delete(name), () => `dead letter ${id} (${message.type}): ${reason}`);
  }
  check.that('messages', expected.size === 0, () => `planted and not a dead letter: ${[...expected].join(', ')}`);
}

/**
 * Waits until what clients know of the rounds agrees with the product and stays so, or the patience ends (default: the
 * promised 30 s, with the slack of the rounds), then checks what is stored. Returns the remaining violations.
 */
export async function settle(
  deployment: Deployment,
  api: Client,
  rounds: readonly Round[],
  patienceMs = QUIET_MS * Math.max(...rounds.map(({ slack }) => slack)),
): Promise<Verdict> {
  await Promise.all(rounds.flatMap(({ unfinished }) => unfinished));
  const inspection = await inspect(deployment.data);
  const startedAt = performance.now();
  const getElapsedMs = () => performance.now() - startedAt;

  const look = async (): Promise<Verdict> => {
    const check = createCheck();
    const [pending, deadLetters] = await Promise.all([inspection.pending(), inspection.deadLetters()]);
    const planted = rounds.flatMap((round) => round.planted);
    checkMessages(pending, deadLetters, planted, check);
    for (const round of rounds) {
      const { entries, checkouts, carts } = round.journal;
      const observed = await observeState(api, round, carts);
      // Read after the state, so that what led to it can be in it.
      const received = { events: await round.feed.read(), delivered: round.receiver };
      const evidence = { entries, checkouts, observed, received, closed: round.closed ?? false };
      checkRound(evidence, check);
      await round.alsoTrue?.(evidence, check);
      for (const { name, seconds, secondsAlive, story } of round.revivals) {
        const text = () => `${name} ready after ${seconds.toFixed(1)} s: ${story.join(', ')}`;
        check.that('recovery', secondsAlive <= READY_SECONDS * round.slack, text);
      }
    }
    return check.verdict;
  };

  try {
    for (let clean: number | undefined; ; ) {
      const at = getElapsedMs();
      const seen = await look();
      clean = seen.violations.length > 0 ? undefined : (clean ?? at);
      const isOver = clean === undefined ? at > patienceMs : at - clean >= STEADY_MS;
      if (isOver) {
        const stored = await inspection.check(Math.max(0, patienceMs - getElapsedMs()));
        return {
          checked: seen.checked + stored.checked,
          violations: [...seen.violations, ...stored.violations],
        };
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  } finally {
    await inspection.close();
  }
}

export interface Played extends Verdict {
  readonly round: Round;
  readonly seconds: number;
}

/** Plays a scenario once, waits until the deployment is quiet and checks it. */
export async function playRound(play: (context: Context) => Promise<Round>, context: Context): Promise<Played> {
  const startedAt = performance.now();
  const receiver = await openDeploymentReceiver(context.deployment, context.api);
  const round = await play({ ...context, receiver });
  const verdict = await settle(context.deployment, context.api, [round]);
  await receiver.close();
  await round.afterwards?.();
  return { ...verdict, round, seconds: (performance.now() - startedAt) / 1000 };
}
