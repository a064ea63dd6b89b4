import type { Client } from '@boxoffice/testkit';
import type { Deployment } from '../deployment/deployment.ts';
import { claimsIn } from '../invariants/evidence.ts';
import { checkFacts } from '../invariants/facts.ts';
import { checkRound } from '../invariants/index.ts';
import { createCheck, type Verdict } from '../invariants/verdict.ts';
import { inspect } from './inspection.ts';
import { observeState } from './observed-state.ts';
import type { Round } from './round.ts';

export interface SettleOptions {
  /** The timeout until every invariant holds. Default: the 30 s that I8 specifies, with the slack of the rounds. */
  readonly patienceMs?: number;
  /** How long it must then hold: longer than the delay of the latest copy of a message. */
  readonly steadyMs?: number;
}

/** The result of rounds once they are quiet. */
export interface Settled extends Verdict {
  /** Seconds until every invariant held; the whole timeout when one never did. */
  readonly seconds: number;
}

const QUIET_MS = 30_000;
const READY_WITHIN = 10;
const LOOK_EVERY_MS = 250;

/**
 * Waits until all rounds satisfy every invariant and stay so, or the timeout passes; returns the remaining violations.
 */
export const settle = async (
  deployment: Deployment,
  api: Client,
  rounds: readonly Round[],
  { patienceMs, steadyMs = 1_500 }: SettleOptions = {},
): Promise<Settled> => {
  await Promise.all(rounds.flatMap(({ unfinished }) => unfinished));
  const inspection = await inspect(deployment.data);
  const startedAt = performance.now();
  const passed = () => performance.now() - startedAt;
  const quietMs = patienceMs ?? QUIET_MS * Math.max(...rounds.map(({ slack }) => slack));
  const longestMs = quietMs + Math.max(0, ...rounds.map((round) => round.patienceMs ?? 0));

  const look = async (): Promise<Verdict> => {
    const check = createCheck();
    const [pending, deadLetters] = await Promise.all([inspection.pending(), inspection.deadLetters()]);
    checkFacts({ pending, deadLetters, planted: rounds.flatMap(({ planted }) => planted) }, check);
    for (const round of rounds) {
      const { journal, slack, closed = false } = round;
      const { entries, checkouts, carts } = journal;
      const observed = await observeState(api, round, carts);
      // Read after the state, so that what led to it can be in it.
      const heard = { events: await round.feed.read(), delivered: round.receiver };
      const endingsOf = (service: 'orders' | 'tickets') => deployment.runs(service).flatMap((one) => one.endings());
      const endings = { orders: endingsOf('orders'), tickets: endingsOf('tickets') };
      const held = new Set(claimsIn(observed).map(({ line }) => line.place.id));
      const isLoose = observed.places.some(({ id, state }) => state === 'held' && !held.has(id));
      const holds = isLoose ? await inspection.holds(round.hall.performanceId) : [];
      const loose = holds.filter(({ placeId }) => !held.has(placeId));
      const evidence = { entries, checkouts, observed, holds: loose, heard, closed, endings, slack };
      checkRound(evidence, check);
      await round.alsoTrue?.(evidence, check);
      for (const { name, seconds, secondsAlive, story } of round.revivals) {
        check.that(
          'I8',
          secondsAlive <= READY_WITHIN * slack,
          () => `${name} ready after ${seconds.toFixed(1)} s: ${story.join(', ')}`,
        );
      }
    }
    return check.verdict;
  };

  try {
    let clean: number | undefined;
    for (;;) {
      const at = passed();
      const verdict = await look();
      if (verdict.violations.length > 0) clean = undefined;
      else clean ??= at;
      if (clean !== undefined && at - clean >= steadyMs) return { ...verdict, seconds: clean / 1000 };
      if (clean === undefined && at > longestMs) return { ...verdict, seconds: at / 1000 };
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  } finally {
    await inspection.close();
  }
};
