import { run } from './command.ts';
import { checkAudit, checkLicences, type Finding } from './supply-chain.ts';

interface Outcome {
  readonly ok: boolean;
  /** What else there is to say, on the same line. */
  readonly told?: string;
}

interface Check {
  readonly name: string;
  look(): Promise<Outcome>;
}

/** A check by a program, which says itself what is wrong. */
const by = (name: string, command: string, ...args: string[]): Check => ({
  name,
  look: async () => ({ ok: (await run(command, args)).status === 0 }),
});

const finding = (name: string, find: () => Promise<Finding>): Check => ({
  name,
  async look() {
    const { faults, told } = await find();
    for (const fault of faults) process.stdout.write(`${fault}\n`);
    return { ok: faults.length === 0, told };
  },
});

/** What `npm run check` looks at: seconds, nothing of the product is started. */
const checks: readonly Check[] = [
  by('lint and format', 'biome', 'ci', '--reporter=summary', '.'),
  by('types', 'tsc', '-p', '.'),
  by(
    'architecture',
    'depcruise',
    ...['--config', '.dependency-cruiser.mjs'],
    ...['libs', 'gateway', 'authorizer', 'services', 'deploy'],
  ),
  finding('licences', checkLicences),
  finding('dependency audit', checkAudit),
  by('compatibility with the last releases', 'node', '--conditions=source', 'deploy/release/src/main.ts', 'check'),
];

export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/** Runs every check, also after one failed, and tells each one's result. */
export const runChecks = async (): Promise<Tally> => {
  let failed = 0;
  for (const { name, look } of checks) {
    const started = performance.now();
    const { ok, told } = await look();
    if (!ok) failed += 1;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stdout.write(`${ok ? '✓' : '✗'} ${name} (${seconds} s)${told ? `: ${told}` : ''}\n`);
  }
  return { passed: checks.length - failed, failed };
};
