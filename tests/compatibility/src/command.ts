import { lineOf } from './breaks.ts';
import { type Verdict, verdictOn } from './check.ts';
import { type Process, processes } from './processes.ts';
import { record } from './record.ts';
import { objectionsTo, snapshotOf, writeSnapshot } from './release.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const tell = ({ breaks, announced, problems }: Verdict): boolean => {
  for (const one of breaks) say(lineOf(one));
  for (const one of announced) say(`${lineOf(one)} (announced)`);
  for (const one of problems) say(one);
  if (breaks.length > 0) {
    say('A change that others depend on is made in steps: see CONTRIBUTING.md, "Release a service".');
    say('A version that has not been delivered can be replaced: npm run release -- NAME --replace');
  }
  return breaks.length + problems.length === 0;
};

interface Choice {
  /** Whether the current release is overwritten. */
  readonly replace: boolean;
  /** Overwrites only the token and message formats of an unpublished version. */
  readonly onlyFormats: boolean;
}

const release = async (chosen: readonly Process[], { replace, onlyFormats }: Choice): Promise<boolean> => {
  const together = chosen.map(({ name }) => name);
  const objections = chosen.flatMap((one) =>
    objectionsTo(one, { together, replace }).map((objection) => `${one.name}: ${objection}`),
  );
  for (const objection of objections) say(objection);
  // An unpublished version breaks no one.
  if (objections.length > 0 || (!replace && !tell(withoutFirst(verdictOn(chosen))))) return false;
  if (onlyFormats) {
    for (const one of chosen) writeSnapshot(one, { formats: one.formats });
    return true;
  }
  const recording = await record();
  for (const one of chosen) {
    writeSnapshot(one, snapshotOf(one, recording));
    say(`${one.name} ${one.version}: ${one.folder}/released`);
  }
  return true;
};

/** A first release needs no earlier one. */
const withoutFirst = (verdict: Verdict): Verdict => ({
  ...verdict,
  problems: verdict.problems.filter((problem) => !problem.endsWith('/released')),
});

const check = (): boolean => {
  const verdict = verdictOn(processes);
  const passes = tell(verdict);
  const but = verdict.announced.length > 0 ? ' but what is announced' : '';
  if (passes) say(`${processes.length} processes: nothing breaks${but}`);
  return passes;
};

/** Runs `check` or releases the named processes; returns the exit status. */
export const run = async (words: readonly string[]): Promise<number> => {
  const replace = words.includes('--replace');
  const onlyFormats = replace && words.includes('--formats');
  const names = words.filter((word) => !word.startsWith('--'));
  if (names.length === 1 && names[0] === 'check') return check() ? 0 : 1;
  const chosen = processes.filter(({ name }) => names.includes(name) || names.includes('all'));
  const unknown = names.filter((name) => name !== 'all' && !processes.some((one) => one.name === name));
  if (chosen.length > 0 && unknown.length === 0) return (await release(chosen, { replace, onlyFormats })) ? 0 : 1;
  const all = processes.map(({ name }) => name).join(', ');
  if (unknown.length > 0) say(`there is no process ${unknown.join(', ')}`);
  say(`npm run release -- NAME… [--replace [--formats]], or check; there are: ${all}, or all of them: all`);
  return 2;
};
