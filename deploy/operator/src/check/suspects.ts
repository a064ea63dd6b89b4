import type { Case, Finding, Invariant, Kind } from './findings.ts';

/** Something that must not be: seen twice alike, while nothing was on its way that could have set it right. */
export interface Violation {
  readonly invariant: Invariant;
  readonly institution: string;
  /** The ids of what is wrong. */
  readonly ids: readonly string[];
  readonly text: string;
}

/** What is known of a finding that has not been confirmed yet. */
interface Suspect {
  readonly kind: Kind;
  readonly id: string;
  readonly finding: Finding;
  readonly case: Case;
  /** Since when, on a clock that only goes forward, everything that was read for it is unchanged; milliseconds. */
  readonly since: number;
  /** Since when nothing has been on its way to it. */
  readonly quietSince: number | undefined;
}

/** What was on its way just before the suspects were looked at. */
export interface OnTheWay {
  /** Whether an event with one of these keys waits to be published, or any may in a queue that tells no keys. */
  concerns(keys: readonly string[]): boolean;
}

/** Why what looked wrong is no violation (yet): how many findings wait for a process or a message. */
export interface Suspects {
  readonly size: number;
  /** So many more looked wrong than are looked at again. */
  readonly left: number;
  /** Takes up what looks wrong in cases that were looked at. */
  suspect(cases: readonly Case[]): void;
  /** What to look at again, by kind. */
  toLookAt(): ReadonlyMap<Kind, readonly string[]>;
  /** Tells what a second look showed of all that {@link toLookAt} named, and what was on its way before; answers what is certain now. */
  seen(cases: readonly Case[], onTheWay: OnTheWay, now: number): Violation[];
  /** What could not be told from something under way. */
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

/** So many are looked at again; an installation with more is beyond doubt. */
const MOST = 10_000;

/** Begins with no suspicion. `settleMs`: how long a finding must be unchanged, with nothing on its way to it. */
export const createSuspects = (settleMs: number, most = MOST): Suspects => {
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
          const { kind, id } = one;
          // When it was seen does not count: the first round of second looks begins the clock.
          const known = { kind, id, finding, case: one, since: Number.POSITIVE_INFINITY, quietSince: undefined };
          if (suspects.size < most) suspects.set(name, known);
          else left += 1;
        }
      }
    },
    toLookAt() {
      const ids = new Map<Kind, Set<string>>();
      for (const { kind, id } of suspects.values()) ids.set(kind, (ids.get(kind) ?? new Set()).add(id));
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
          const suspect: Suspect = { kind: one.kind, id: one.id, finding, case: one, since, quietSince };
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
