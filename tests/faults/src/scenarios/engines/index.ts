// Faults of what the processes stand on: the broker, the store and the links, during traffic.

import type { Context, Round } from '../../round/round.ts';
import { beginRound } from '../../round/round.ts';
import { duringTraffic } from '../../round/traffic.ts';

/** A fault that was played. */
export interface Suffered {
  /** The fault, in words. */
  readonly words: string;
  /** Why the product cannot have suffered it; undefined if it did. Called after the traffic. */
  readonly unseen: () => string | undefined;
}

/**
 * Plays faults one after the other during traffic. A fault that nobody suffered is a violation of the round: it would
 * prove nothing.
 */
export const sufferDuringTraffic = async <Fault>(
  context: Context,
  name: string,
  faults: readonly Fault[],
  suffer: (fault: Fault, round: Round) => Promise<Suffered>,
): Promise<Round> => {
  const { random } = context;
  const round = await beginRound(context, name, [
    { code: 'FLOOR', capacity: 600 },
    { code: 'FREE', capacity: 200, amount: 0 },
  ]);
  const suffered: Suffered[] = [];
  await duringTraffic(context, round, { buyers: 4, visitors: 3 }, async () => {
    for (const fault of faults) {
      await new Promise((resolve) => setTimeout(resolve, random.between(500, 2_000)));
      const one = await suffer(fault, round);
      suffered.push(one);
      round.faults.push(one.words);
    }
  });
  round.alsoTrue = (_evidence, check) => {
    for (const { words, unseen } of suffered)
      check.that('round', unseen() === undefined, () => `${words}: ${unseen()}`);
  };
  return round;
};
