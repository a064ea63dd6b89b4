import { run } from './command.ts';

interface Check {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** What `npm run check` looks at: seconds, no program is started. */
const checks: readonly Check[] = [
  { name: 'lint and format', command: 'biome', args: ['ci', '--reporter=summary', '.'] },
  { name: 'types', command: 'tsc', args: ['-p', '.'] },
  {
    name: 'architecture',
    command: 'depcruise',
    args: ['--config', '.dependency-cruiser.mjs', 'libs', 'gateway', 'authorizer', 'services', 'deploy'],
  },
];

export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/** Runs every check, also after one failed, and tells each one's result. */
export const runChecks = async (): Promise<Tally> => {
  let failed = 0;
  for (const { name, command, args } of checks) {
    const { status, seconds } = await run(command, args);
    if (status !== 0) failed += 1;
    process.stdout.write(`${status === 0 ? '✓' : '✗'} ${name} (${seconds.toFixed(1)} s)\n`);
  }
  return { passed: checks.length - failed, failed };
};
