import { type Break, breaksOf, type Process, processes, snapshotOf } from '@boxoffice/contracts';
import { releasedOf, type Withdrawn, withdrawnOf } from './snapshot.ts';
import { missingEntries } from './version.ts';

/** A break in one line. */
export const lineOf = ({ process, where, what, hurts }: Break): string =>
  `${process}: ${where}: ${what}\n  breaks ${hurts.join(', ')}`;

/** The result of the comparison with the last releases. */
export interface Verdict {
  readonly breaks: readonly Break[];
  /** Breaks that are announced in `released/withdrawn.json`. */
  readonly announced: readonly Break[];
  /** Other problems, in words. */
  readonly problems: readonly string[];
}

const changeOf = ({ where, what }: Break): string => `${where}: ${what}`;

/** Separates announced breaks from unannounced ones; an announcement without a change is a problem. */
export const judge = (found: readonly Break[], withdrawn: readonly Withdrawn[], file: string): Verdict => {
  const changes = withdrawn.map(({ change }) => change);
  const idle = changes.filter((change) => !found.some((one) => changeOf(one) === change));
  return {
    breaks: found.filter((one) => !changes.includes(changeOf(one))),
    announced: found.filter((one) => changes.includes(changeOf(one))),
    problems: idle.map((change) => `${file}: no change "${change}" was found`),
  };
};

/** Compares these processes with their last releases, with what others consume of them, and with the CHANGELOG. */
export const verdictOn = (some: readonly Process[]): Verdict => {
  const others = processes.map((one) => ({ ...one, consumes: releasedOf(one)?.events.consumes ?? {} }));
  const all = some.map((process): Verdict => {
    const released = releasedOf(process);
    if (!released)
      return { breaks: [], announced: [], problems: [`${process.name} has no ${process.folder}/released`] };
    const found = breaksOf(process, released, snapshotOf(process), others);
    const verdict = judge(found, withdrawnOf(process), `${process.folder}/released/withdrawn.json`);
    return { ...verdict, problems: [...verdict.problems, ...missingEntries(process, released.events.version)] };
  });
  return {
    breaks: all.flatMap(({ breaks }) => breaks),
    announced: all.flatMap(({ announced }) => announced),
    problems: all.flatMap(({ problems }) => problems),
  };
};
