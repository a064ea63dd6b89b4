import { setTimeout as pause } from 'node:timers/promises';
import type { QueueDepth } from '@boxoffice/messaging';
import type { OutboxEvent, Store } from '@boxoffice/store';
import type { Case, Finding, Invariant, Kind } from './findings.ts';
import { type Counts, createCounts, lookAgain, lookAtAll } from './passes.ts';
import { type CheckedStores, openCollections, retryWhileUnavailable } from './reading.ts';

/** A violation: seen twice unchanged, while no pending work could have corrected it. */
export interface Violation {
  readonly invariant: Invariant;
  readonly institution: string;
  readonly ids: readonly string[];
  readonly text: string;
}

interface Suspect {
  readonly finding: Finding;
  readonly case: Case;
  /** Time on a monotonic clock, in milliseconds, since which everything read for it is unchanged. */
  readonly since: number;
  /** Time since which no pending work concerns it. */
  readonly quietSince: number | undefined;
}

/** The pending messages just before the second look. */
interface OnTheWay {
  /** Whether an event with one of these keys is pending, or may be, in a queue that reveals no keys. */
  concerns(keys: readonly string[]): boolean;
}

/** The most findings that are read again; an installation with more is certainly faulty. */
const MOST = 10_000;

interface VerifyOptions {
  readonly stores: CheckedStores;
  readonly queues: () => Promise<readonly QueueDepth[]>;
  readonly institution?: string | undefined;
  /** How long a finding must stay unchanged, without pending work, to count. Default 3,000 ms. */
  readonly settleMs?: number;
  /** How long findings are read again before they count as undecided. Default 60,000 ms. */
  readonly patienceMs?: number;
  readonly tell?: (what: string) => void;
}

/** The most pending events that are matched by key; beyond this number every case counts as pending. */
const EVENTS = 5_000;

/** The pending messages, and the reason where the queues could not be read. */
interface Read extends OnTheWay {
  readonly unasked: string | undefined;
}

/** The least number of looks, even at a slow store. */
const LEAST_LOOKS = 3;

export interface Verified {
  readonly counts: Counts;
  readonly violations: readonly Violation[];
  /** Findings with pending work all the time: a step that never ends, or messages that no consumer takes. */
  readonly undecided: readonly Violation[];
  readonly more: number;
  /** Why the queues could not be read; undefined when they were, or nothing looked wrong. */
  readonly unasked: string | undefined;
}

/** A finding that stays unchanged in two looks some seconds apart, without pending work, is a violation. */
export async function verify(options: VerifyOptions): Promise<Verified> {
  const { stores, queues, institution, settleMs = 3_000, patienceMs = 60_000, tell = () => undefined } = options;
  const collections = openCollections(stores);
  const counts = createCounts();
  const suspects = createSuspects(settleMs);
  for await (const cases of lookAtAll(collections, counts, institution)) {
    suspects.suspect(cases);
    tell(summary(counts));
  }
  const violations: Violation[] = [];
  const look = async (): Promise<Case[]> => {
    const cases: Case[] = [];
    const wanted: ReadonlyMap<Kind, readonly string[]> = suspects.toLookAt();
    for (const [kind, ids] of wanted) cases.push(...(await lookAgain(collections, kind, ids)));
    return cases;
  };
  const startedAt = performance.now();
  let unasked: string | undefined;
  for (let looks = 1; suspects.size > 0; looks += 1) {
    const onTheWay = await readOnTheWay(Object.values(stores), queues);
    unasked = onTheWay.unasked;
    const at = performance.now();
    violations.push(...suspects.confirm(await look(), onTheWay, at));
    if (suspects.size === 0 || (looks >= LEAST_LOOKS && performance.now() - startedAt > patienceMs)) break;
    tell(`${suspects.size} to be looked at again, ${violations.length} violations`);
    await pause(Math.min(1_000, settleMs / 2));
  }
  return { counts, violations, undecided: suspects.listUndecided(), more: suspects.left, unasked };
}

/**
 * Creates an empty list of suspects: findings that are no violation (yet), of which some wait for a process or a
 * message. `settleMs`: how long a finding must stay unchanged without pending work.
 */
const createSuspects = (settleMs: number) => {
  let suspects = new Map<string, Suspect>();
  let left = 0;
  return {
    get size() {
      return suspects.size;
    },
    /** The number of findings beyond those that are read again. */
    get left() {
      return left;
    },
    /** Adds the findings of cases. */
    suspect(cases: readonly Case[]): void {
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
    toLookAt(): ReadonlyMap<Kind, readonly string[]> {
      const ids = new Map<Kind, Set<string>>();
      for (const {
        case: { kind, id },
      } of suspects.values())
        ids.set(kind, (ids.get(kind) ?? new Set()).add(id));
      return new Map([...ids].map(([kind, some]) => [kind, [...some]]));
    },
    /**
     * Records the second look at everything in `toLookAt` and the messages that were pending before; returns the
     * confirmed violations.
     */
    confirm(cases: readonly Case[], onTheWay: OnTheWay, now: number): Violation[] {
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
    /** Findings that pending work may still explain. */
    listUndecided: () => [...suspects.values()].map(violationOf),
  };
};

const nameOf = ({ kind, id }: Case, { invariant, offenders }: Finding): string =>
  [invariant, kind, id, ...offenders].join(' ');

const violationOf = ({ case: { institution }, finding }: Suspect): Violation => ({
  invariant: finding.invariant,
  institution,
  ids: finding.offenders,
  text: finding.text,
});

const summary = (counts: Counts): string =>
  Object.entries(counts)
    .flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []))
    .join(', ');

/**
 * Outboxes before queues, as events move. Queues reveal no keys: any message, or an unreachable broker, makes every
 * case pending. Messages in processing take seconds at most, which the pause between two looks covers.
 */
const readOnTheWay = async (stores: readonly Store[], queues: () => Promise<readonly QueueDepth[]>): Promise<Read> => {
  const keys = new Set<string>();
  let all = false;
  for (const { outbox } of stores) {
    const events = await retryWhileUnavailable(() => outbox.pending(EVENTS));
    if (events.length >= EVENTS) all = true;
    for (const event of events) for (const key of keysOf(event)) keys.add(key);
  }
  let unasked: string | undefined;
  const depths = await queues().catch((error: unknown) => {
    unasked = error instanceof Error ? error.message : String(error);
    return [];
  });
  if (unasked !== undefined || depths.some(({ waiting, retrying }) => waiting + retrying > 0)) all = true;
  return { unasked, concerns: (some) => all || some.some((key) => keys.has(key)) };
};

const keysOf = ({ key, data }: OutboxEvent): string[] => {
  const { orderId, performanceId, contactNumber } = data as Readonly<Record<string, unknown>>;
  return [key, orderId, performanceId, contactNumber].filter((one) => typeof one === 'string');
};
