import { parseArgs } from 'node:util';
import type { EnginesName } from './deployment/deployment.ts';

/** The options of `npm run faults`. */
export interface Asked {
  readonly minutes: number;
  readonly seed: string;
  readonly engines: readonly EnginesName[];
  readonly scenarios: readonly string[];
}

export const USAGE = `npm run faults -- [--minutes N] [--seed S] [--engines embedded|scaled|both] [--scenario NAME,…]

Plays the fault scenarios against the product, one after the other, until the time is over, and checks the invariants after each.
The seed decides every choice; exit status 1 tells of a violation.`;

/** Reads the arguments. @throws {Error} that names the wrong argument */
export const readCommandLine = (args: readonly string[], known: readonly string[]): Asked => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '5' },
      seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
      engines: { type: 'string', default: 'both' },
      scenario: { type: 'string' },
    },
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error(`--minutes is a number above 0, not ${values.minutes}`);
  const engines: Readonly<Record<string, readonly EnginesName[]>> = {
    embedded: ['embedded'],
    scaled: ['scaled'],
    both: ['embedded', 'scaled'],
  };
  const chosen = engines[values.engines];
  if (!chosen) throw new Error(`--engines is embedded, scaled or both, not ${values.engines}`);
  const scenarios = values.scenario?.split(',') ?? known;
  const unknown = scenarios.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`no scenario ${unknown.join(', ')}; there are: ${known.join(', ')}`);
  return { minutes, seed: values.seed, engines: chosen, scenarios };
};
