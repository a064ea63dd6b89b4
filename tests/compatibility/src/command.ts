// Releases: snapshots of each process, and comparison with the last release.

import { type Process, processes } from '@boxoffice/contracts';
import { record } from './documents.ts';
import { computeVerdict, formatBreak, listObjections, type Verdict } from './release.ts';
import { readReleasedSnapshot, writeSnapshot } from './snapshot.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const report = ({ breaks, announced, problems }: Verdict): boolean => {
  for (const one of breaks) say(formatBreak(one));
  for (const one of announced) say(`${formatBreak(one)} (announced)`);
  for (const one of problems) say(one);
  if (breaks.length > 0) {
    say('A change that others depend on is made in steps: see CONTRIBUTING.md, "Release a service".');
    say('A version that has not been delivered can be replaced: npm run release -- NAME --replace');
  }
  return breaks.length + problems.length === 0;
};

/** `replace`: whether the current release, which was not delivered, is overwritten. */
const release = async (chosen: readonly Process[], replace: boolean): Promise<boolean> => {
  const together = chosen.map(({ name }) => name);
  const objections = chosen.flatMap((one) =>
    listObjections(one, { together, replace }).map((objection) => `${one.name}: ${objection}`),
  );
  for (const objection of objections) say(objection);
  // An unpublished version breaks no one, nor does a first one.
  if (objections.length > 0 || (!replace && !report(computeVerdict(chosen.filter(readReleasedSnapshot))))) return false;
  for (const one of chosen) {
    writeSnapshot(one);
    say(`${one.name} ${one.version}: ${one.folder}/released`);
  }
  if (chosen.length === processes.length) await record();
  else say('When the others are released, record what they store: npm run release -- documents');
  return true;
};

const check = (): boolean => {
  const verdict = computeVerdict(processes);
  const passes = report(verdict);
  const but = verdict.announced.length > 0 ? ' but what is announced' : '';
  if (passes) say(`${processes.length} processes: nothing breaks${but}`);
  return passes;
};

/** Runs `check`, records documents, or releases the named processes; returns the exit status. */
const run = async (words: readonly string[]): Promise<number> => {
  const names = words.filter((word) => !word.startsWith('--'));
  if (names.join(' ') === 'check') return check() ? 0 : 1;
  if (names.join(' ') === 'documents') {
    await record();
    return 0;
  }
  const chosen = processes.filter(({ name }) => names.includes(name) || names.includes('all'));
  const unknown = names.filter((name) => name !== 'all' && !processes.some((one) => one.name === name));
  if (chosen.length > 0 && unknown.length === 0) return (await release(chosen, words.includes('--replace'))) ? 0 : 1;
  if (unknown.length > 0) say(`there is no process ${unknown.join(', ')}`);
  const all = processes.map(({ name }) => name).join(', ');
  say(`npm run release -- NAME… [--replace], documents or check; there are: ${all}, or all of them: all`);
  return 2;
};

// npm run release -- check | documents | NAME… | all [--replace]
process.exitCode = await run(process.argv.slice(2));
