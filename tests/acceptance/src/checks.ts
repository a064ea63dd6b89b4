import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { checkDocuments } from './documents.ts';

/** The result of a command: its exit status (1 when it could not be started or was killed). */
interface Outcome {
  readonly status: number;
  readonly printed: string;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Collects what the command prints; default: it prints on this terminal. */
  readonly collect?: boolean;
}

/** Runs a command of the workspace to its end; never rejects. */
export async function run(
  command: string,
  args: readonly string[],
  { env = {}, collect = false }: RunOptions = {},
): Promise<Outcome> {
  const output = collect ? 'pipe' : 'inherit';
  const child = spawn(command, args, { stdio: ['ignore', output, output], env: { ...process.env, ...env } });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const status = await once(child, 'close').then(
    ([code]) => (typeof code === 'number' ? code : 1),
    (error: Error) => {
      printed += `${command}: ${error.message}\n`;
      if (!collect) process.stderr.write(printed);
      return 1;
    },
  );
  return { status, printed };
}

/** What a check found. `isUndone`: it could not run. */
interface Finding {
  readonly passed: boolean;
  readonly printed: string;
  readonly isUndone?: boolean;
}

type Check = () => Promise<Finding>;

/** A check by a program, whose findings are what it prints. */
const by =
  (command: string, ...args: string[]): Check =>
  async () => {
    const { status, printed } = await run(command, args, { collect: true });
    return { passed: status === 0, printed };
  };

const pnpm = (...args: string[]): Promise<Finding> => by('npm', 'run', '--silent', 'pnpm', '--', ...args, '--prod')();

/** The licences that the product's packages may have, as pnpm prints them: they require attribution at most. */
const LICENCES = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BlueOak-1.0.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'ISC',
    'MIT',
    'MIT-0',
    'OFL-1.1',
    'Python-2.0',
  ],
  ...['(MIT AND Zlib)', '(MIT OR CC0-1.0)'],
]);

/** The packages whose licence is not allowed, of the output of `pnpm licenses list --json`. */
export function listRefusedLicences(printed: string): string[] {
  return Object.entries<readonly { readonly name: string }[]>(JSON.parse(printed))
    .filter(([licence]) => !LICENCES.has(licence))
    .map(([licence, packages]) => `${licence}: ${packages.map(({ name }) => name).join(', ')}`);
}

const checkLicences: Check = async () => {
  const { passed, printed } = await pnpm('--recursive', 'licenses', 'list', '--json');
  if (!passed) return { passed, printed };
  const refused = listRefusedLicences(printed);
  return { passed: refused.length === 0, printed: refused.join('\n') };
};

/** The registry's advisories that are high or critical. Without an answer of the registry it is undone. */
const checkAudit: Check = async () => {
  const { passed, printed } = await pnpm('audit', '--audit-level', 'high');
  return { passed, printed, isUndone: !passed && /\bE(RR_)?[A-Z_]{4,}\b/.test(printed) };
};

/** The checks of `npm run check`: they take seconds and start nothing of the product. */
const all: Readonly<Record<string, Check>> = {
  'lint and format': by('biome', 'ci', '--reporter=summary', '.'),
  types: by('tsc', '-p', '.'),
  architecture: by(
    ...(['depcruise', '--config', '.dependency-cruiser.mjs'] as const),
    ...['libs', 'gateway', 'authorizer', 'services', 'deploy', 'tests'],
  ),
  'links of the documents, rules of the specification': async () => {
    const { faults } = await checkDocuments();
    return { passed: faults.length === 0, printed: faults.join('\n') };
  },
  'size of the client package': by('size-limit'),
  licences: checkLicences,
  'dependency audit': checkAudit,
  'description of the facts': by('node', '--conditions=source', 'deploy/contracts/src/asyncapi.ts', 'check'),
  'compatibility with the last releases': by(
    'node',
    '--conditions=source',
    'tests/compatibility/src/command.ts',
    'check',
  ),
};

/** Makes all checks at once and reports each result. `strict`, as before a release: one that could not run failed. */
export async function runChecks(strict = false, checks = all): Promise<{ passed: number; failed: number }> {
  const tally = { passed: 0, failed: 0 };
  const measure = async (look: Check) => {
    const started = performance.now();
    return { ...(await look()), seconds: ((performance.now() - started) / 1000).toFixed(1) };
  };
  const looks = Object.entries(checks).map(([name, look]) => ({ name, found: measure(look) }));
  for (const { name, found } of looks) {
    const { passed, printed, isUndone = false, seconds } = await found;
    const isSkipped = isUndone && !strict;
    if (!passed && !isSkipped) process.stdout.write(`${printed.trimEnd()}\n`);
    process.stdout.write(
      `${passed ? '✓' : isSkipped ? '–' : '✗'} ${name}${isUndone ? ': not done' : ''} (${seconds} s)\n`,
    );
    if (!isSkipped) tally[passed ? 'passed' : 'failed'] += 1;
  }
  return tally;
}

// npm run check [-- --strict]
if (import.meta.main) {
  const { passed, failed } = await runChecks(process.argv.includes('--strict'));
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
