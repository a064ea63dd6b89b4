import { inspect } from '../../src/round/inspection.ts';
import { beginRound, type Scenario } from '../../src/round/round.ts';
import { during, partnersOf } from '../../src/round/traffic.ts';

const PATIENCE_MS = 5_000;

/** The operator's check during sales and cancellations: what is under way is no violation. */
export const checking: Scenario = {
  name: 'checking',
  about: 'operator check during sales and cancellations',
  async play(context) {
    const round = await beginRound(context);
    const { violations } = await during(round, partnersOf(context, round, 1), async () => {
      while (round.journal.entries.length < 20) await new Promise((resolve) => setTimeout(resolve, 20));
      const operator = await inspect(context.deployment.data);
      return operator.check(PATIENCE_MS).finally(operator.close);
    });
    const wrong = violations.filter(({ text }) => !text.endsWith('(under way)')).map(({ text }) => text);
    round.alsoTrue = (_, check) =>
      check.that('round', wrong.length === 0, () => `during the sale: ${wrong.join(', ')}`);
    return round;
  },
};
