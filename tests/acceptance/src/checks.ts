import { checkClientSize } from './client-size.ts';
import { run } from './command.ts';
import { checkDocuments } from './documents.ts';
import { checkFolders } from './folders.ts';
import { checkAudit, checkLicences, type Finding } from './supply-chain.ts';
import { checkWallClock } from './wall-clock.ts';

/** The result of a check; `undone` means that it could not run. */
export interface Outcome {
  readonly result: 'passed' | 'failed' | 'undone';
  /** An addition to the result, on the same line. */
  readonly summary?: string;
  /** What was found, printed before the result. */
  readonly findings?: string;
}

/** One check of `npm run check`. */
export interface Check {
  readonly name: string;
  look(): Promise<Outcome>;
}

/** A check by a program, whose findings are what it prints. */
const by = (name: string, command: string, ...args: string[]): Check => ({
  name,
  look: async () => {
    const { status, printed } = await run(command, args, { collect: true });
    return { result: status === 0 ? 'passed' : 'failed', findings: printed };
  },
});

const finding = (name: string, find: () => Promise<Finding>): Check => ({
  name,
  async look() {
    const { faults, summary, undone } = await find();
    if (undone) return { result: 'undone', summary };
    const findings = faults.map((fault) => `${fault}\n`).join('');
    return { result: faults.length === 0 ? 'passed' : 'failed', summary, findings };
  },
});

/** The checks of `npm run check`: they take seconds and start nothing of the product. */
const all: readonly Check[] = [
  by('lint and format', 'biome', 'ci', '--reporter=summary', '.'),
  by('types', 'tsc', '-p', '.'),
  by(
    'architecture',
    'depcruise',
    ...['--config', '.dependency-cruiser.mjs'],
    ...['libs', 'gateway', 'authorizer', 'services', 'deploy', 'tests'],
  ),
  finding('tests without stopwatches', checkWallClock),
  finding('links of the documents', checkDocuments),
  finding('sentences about the folders', checkFolders),
  finding('size of the client package', checkClientSize),
  finding('licences', checkLicences),
  finding('dependency audit', checkAudit),
  by('compatibility with the last releases', 'node', '--conditions=source', 'tests/compatibility/src/main.ts', 'check'),
];

export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

export interface ChecksOptions {
  /** Whether a check that could not run counts as failed, as before a release. Default: it is not counted. */
  readonly strict?: boolean;
  /** Default: all checks. */
  readonly checks?: readonly Check[];
  /** Default: prints the line. */
  readonly tell?: (line: string) => void;
}

const MARKS = { passed: '✓', failed: '✗', undone: '–' } as const;

/** Makes all checks at once, also after a failure, and reports each result, in the order of the list. */
export const runChecks = async (options: ChecksOptions = {}): Promise<Tally> => {
  const { strict = false, checks = all, tell = (line) => process.stdout.write(`${line}\n`) } = options;
  const tally = { passed: 0, failed: 0, undone: 0 };
  const timed = async ({ look }: Check) => {
    const started = performance.now();
    return { ...(await look()), seconds: ((performance.now() - started) / 1000).toFixed(1) };
  };
  const looks = checks.map((check) => ({ name: check.name, look: timed(check) }));
  for (const { name, look } of looks) {
    const { result, summary, findings = '', seconds } = await look;
    const counted = result === 'undone' && strict ? 'failed' : result;
    tally[counted] += 1;
    const shown = counted === 'failed' ? findings.trimEnd() : '';
    if (shown !== '') tell(shown);
    tell(`${MARKS[counted]} ${name} (${seconds} s)${summary ? `: ${summary}` : ''}`);
  }
  return { passed: tally.passed, failed: tally.failed };
};
