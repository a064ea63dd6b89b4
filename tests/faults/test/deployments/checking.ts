import { inspect } from '../../src/round/inspection.ts';
import { beginRound, type Scenario } from '../../src/round/round.ts';
import { during, partnersOf } from '../../src/round/traffic.ts';

/** How long a finding must stay unchanged, and how long it is read again. */
const TIMES = {
  embedded: { settleMs: 1_000, patienceMs: 5_000 },
  // The broker does not count a message that a consumer has taken: on a busy machine it may take seconds to handle.
  scaled: { settleMs: 8_000, patienceMs: 12_000 },
} as const;

/** The operator's check during sales and cancellations: what is under way is no violation. */
export const checking: Scenario = {
  name: 'checking',
  about: 'operator check during sales and cancellations',
  async play(context) {
    const round = await beginRound(context);
    const { violations } = await during(round, partnersOf(context, round, 1), async () => {
      while (round.journal.entries.length < 20) await new Promise((resolve) => setTimeout(resolve, 20));
      const operator = await inspect(context.deployment.data);
      const { settleMs, patienceMs } = TIMES[context.deployment.engines];
      return operator.check(patienceMs, settleMs).finally(operator.close);
    });
    const wrong = violations.filter(({ text }) => !text.endsWith('(under way)')).map(({ text }) => text);
    round.alsoTrue = (_, check) =>
      check.that('round', wrong.length === 0, () => `during the sale: ${wrong.join(', ')}`);
    return round;
  },
};
