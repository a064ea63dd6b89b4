import { type Break, breaksOf, nowOf } from './breaks.ts';
import { unsaid } from './changelog.ts';
import { type Process, processes } from './processes.ts';
import { hasFormats, releasedOf, type Withdrawn, withdrawnOf } from './snapshot.ts';

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

/**
 * Compares the current processes with their last releases, with everything that others read of them, and with their
 * CHANGELOGs.
 */
export const verdictOn = (some: readonly Process[]): Verdict => {
  const consumers = processes.flatMap((process) => {
    const released = releasedOf(process);
    return released ? [{ name: process.name, consumes: released.events.consumes }] : [];
  });
  const partners = processes.flatMap((process) => {
    const released = releasedOf(process);
    return released ? [{ name: process.name, version: released.events.version, formats: released.formats }] : [];
  });
  const all = some.map((process): Verdict => {
    const released = releasedOf(process);
    if (!released)
      return { breaks: [], announced: [], problems: [`${process.name} has no ${process.folder}/released`] };
    const found = breaksOf(nowOf(process), released, { consumers, partners });
    const verdict = judge(found, withdrawnOf(process), `${process.folder}/released/withdrawn.json`);
    const unkept = hasFormats(process) ? [] : [`${process.name} has no ${process.folder}/released/formats.json`];
    return { ...verdict, problems: [...verdict.problems, ...unkept, ...unsaid(process, released.events.version)] };
  });
  return {
    breaks: all.flatMap(({ breaks }) => breaks),
    announced: all.flatMap(({ announced }) => announced),
    problems: all.flatMap(({ problems }) => problems),
  };
};
