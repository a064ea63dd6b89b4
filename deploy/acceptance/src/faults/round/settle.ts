import type { Api } from '../client/api.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { checkFacts } from '../invariants/facts.ts';
import { checkRound } from '../invariants/index.ts';
import { createCheck, type Verdict } from '../invariants/verdict.ts';
import { inspect } from './inspection.ts';
import { observeState } from './observed-state.ts';
import type { Round } from './round.ts';

export interface SettleOptions {
  /** How long it may take until everything is as it must be; I8 says 30 s. */
  readonly patienceMs?: number;
  /** How long it must then stay so: longer than the latest copy of a message is late. */
  readonly steadyMs?: number;
}

/** What became of rounds once they were quiet. */
export interface Settled extends Verdict {
  /** Until everything was as it must be; the patience, when it never was. */
  readonly seconds: number;
}

const READY_WITHIN = 10;
const LOOK_EVERY_MS = 250;

/** Waits until all rounds are as they must be and stay so, or the patience is over; answers what is wrong then. */
export const settle = async (
  deployment: Deployment,
  api: Api,
  rounds: readonly Round[],
  { patienceMs = 30_000, steadyMs = 1_500 }: SettleOptions = {},
): Promise<Settled> => {
  await Promise.all(rounds.flatMap(({ unfinished }) => unfinished));
  const inspection = await inspect(deployment.engine);
  const begun = performance.now();
  const passed = () => performance.now() - begun;

  const look = async (): Promise<Verdict> => {
    const check = createCheck();
    const [pending, deadLetters] = await Promise.all([inspection.pending(), inspection.deadLetters()]);
    checkFacts({ pending, deadLetters, planted: rounds.flatMap(({ planted }) => planted) }, check);
    for (const round of rounds) {
      const { journal, closed = false } = round;
      const { entries, checkouts, carts } = journal;
      const evidence = { entries, checkouts, observed: await observeState(api, round, carts), closed };
      checkRound(evidence, check);
      await round.alsoTrue?.(evidence, check);
      for (const { name, seconds, secondsAlive, story } of round.revivals) {
        check.that(
          'I8',
          secondsAlive <= READY_WITHIN,
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
      if (clean === undefined && at > patienceMs) return { ...verdict, seconds: at / 1000 };
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  } finally {
    await inspection.close();
  }
};
