import { parseArgs } from 'node:util';
import type { EnginesName } from './deployment/deployment.ts';

/** The options of `npm run faults`. */
export interface FaultsOptions {
  readonly minutes: number;
  readonly seed: string;
  readonly engines: readonly EnginesName[];
  /** Whether the command line names the engines: then none of them may be skipped. */
  readonly enginesNamed: boolean;
  readonly scenarios: readonly string[];
}

export const USAGE = `npm run faults -- [--minutes N] [--seed S] [--engines embedded|scaled|both] [--scenario NAME,…]

Plays the fault scenarios against the product, one after the other, and checks the invariants after each. The minutes
(default 5) are divided between the deployments; every scenario is played at least once on each. The scaled deployment
needs TEST_MONGODB_URL and TEST_RABBITMQ_CONTROL; without them it is skipped, unless --engines names it.
The seed determines every choice.

Exit status: 0 no violation; 1 a violation, or the harness failed; 2 wrong arguments, engines that --engines names are
not configured, or no scenario could be played.`;

/** Reads the arguments. @throws {Error} that names the wrong argument */
export const readCommandLine = (args: readonly string[], known: readonly string[]): FaultsOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '5' },
      seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
      engines: { type: 'string' },
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
  const chosen = engines[values.engines ?? 'both'];
  if (!chosen) throw new Error(`--engines is embedded, scaled or both, not ${values.engines}`);
  const scenarios = values.scenario?.split(',') ?? known;
  const unknown = scenarios.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`no scenario ${unknown.join(', ')}; there are: ${known.join(', ')}`);
  return { minutes, seed: values.seed, engines: chosen, enginesNamed: values.engines !== undefined, scenarios };
};
