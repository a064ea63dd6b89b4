import type { Case, Finding, Invariant, Kind } from './findings.ts';

/** A violation: seen twice unchanged, while no pending work could have corrected it. */
export interface Violation {
  readonly invariant: Invariant;
  readonly institution: string;
  /** The ids of the documents at fault. */
  readonly ids: readonly string[];
  readonly text: string;
}

/** The state of a finding that is not confirmed yet. */
interface Suspect {
  readonly finding: Finding;
  readonly case: Case;
  /** Time on a monotonic clock, in milliseconds, since which everything read for it is unchanged. */
  readonly since: number;
  /** Time since which no pending work concerns it. */
  readonly quietSince: number | undefined;
}

/** The pending messages just before the second look. */
export interface OnTheWay {
  /** Whether an event with one of these keys is pending, or may be, in a queue that reveals no keys. */
  concerns(keys: readonly string[]): boolean;
}

/** Findings that are no violation (yet): how many wait for a process or a message. */
export interface Suspects {
  readonly size: number;
  /** The number of findings beyond those that are read again. */
  readonly left: number;
  /** Adds the findings of cases. */
  suspect(cases: readonly Case[]): void;
  /** The documents to read again, by kind. */
  toLookAt(): ReadonlyMap<Kind, readonly string[]>;
  /**
   * Records the second look at everything in {@link toLookAt} and the messages that were pending before; returns the
   * confirmed violations.
   */
  seen(cases: readonly Case[], onTheWay: OnTheWay, now: number): Violation[];
  /** Findings that pending work may still explain. */
  undecided(): Violation[];
}

const nameOf = ({ kind, id }: Case, { invariant, offenders }: Finding): string =>
  [invariant, kind, id, ...offenders].join(' ');

const violationOf = ({ case: { institution }, finding }: Suspect): Violation => ({
  invariant: finding.invariant,
  institution,
  ids: finding.offenders,
  text: finding.text,
});

/** The most findings that are read again; an installation with more is certainly faulty. */
const MOST = 10_000;

/** Creates an empty list of suspects. `settleMs`: how long a finding must stay unchanged without pending work. */
export const createSuspects = (settleMs: number): Suspects => {
  let suspects = new Map<string, Suspect>();
  let left = 0;
  return {
    get size() {
      return suspects.size;
    },
    get left() {
      return left;
    },
    suspect(cases) {
      for (const one of cases) {
        for (const finding of one.findings) {
          const name = nameOf(one, finding);
          if (suspects.has(name)) continue;
          // The first look's time does not count: the first round of second looks starts the clock.
          const known = { finding, case: one, since: Number.POSITIVE_INFINITY, quietSince: undefined };
          if (suspects.size < MOST) suspects.set(name, known);
          else left += 1;
        }
      }
    },
    toLookAt() {
      const ids = new Map<Kind, Set<string>>();
      for (const {
        case: { kind, id },
      } of suspects.values())
        ids.set(kind, (ids.get(kind) ?? new Set()).add(id));
      return new Map([...ids].map(([kind, some]) => [kind, [...some]]));
    },
    seen(cases, onTheWay, now) {
      const still = new Map<string, Suspect>();
      const certain: Violation[] = [];
      for (const one of cases) {
        for (const finding of one.findings) {
          const name = nameOf(one, finding);
          const before = suspects.get(name);
          const unchanged = before !== undefined && before.case.seen === one.seen && before.since <= now;
          const since = unchanged ? before.since : now;
          const quiet = !finding.underWay && !onTheWay.concerns(one.concerns);
          const quietSince = quiet ? ((unchanged ? before.quietSince : undefined) ?? now) : undefined;
          const suspect: Suspect = { finding, case: one, since, quietSince };
          if (quietSince !== undefined && now - quietSince >= settleMs) certain.push(violationOf(suspect));
          else still.set(name, suspect);
        }
      }
      suspects = still;
      return certain;
    },
    undecided: () => [...suspects.values()].map(violationOf),
  };
};
