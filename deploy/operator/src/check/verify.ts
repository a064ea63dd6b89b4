// The operator's check: finds violations of invariants across the stores of all services, while they run.

import { setTimeout as pause } from 'node:timers/promises';
import type { QueueDepth } from '@boxoffice/messaging';
import { type CheckedStores, collectionsOf } from './collections.ts';
import type { Case, Kind } from './findings.ts';
import { readOnTheWay } from './on-the-way.ts';
import { type Counts, lookAgain, lookAtAll, noCounts } from './passes.ts';
import { createSuspects, type Violation } from './suspects.ts';

export interface VerifyOptions {
  readonly stores: CheckedStores;
  readonly queues: () => Promise<readonly QueueDepth[]>;
  /** Only this institution's; default: all. */
  readonly institution?: string | undefined;
  /** How long a finding must stay unchanged, without pending work, to count. Default 3,000 ms. */
  readonly settleMs?: number;
  /** How long findings are read again before they count as undecided. Default 60,000 ms. */
  readonly patienceMs?: number;
  readonly tell?: (what: string) => void;
}

/** The least number of looks, even at a slow store. */
const LEAST_LOOKS = 3;

/** The result of a check. */
export interface Verified {
  readonly counts: Counts;
  readonly violations: readonly Violation[];
  /** Findings with pending work all the time: a step that never ends, or messages that no consumer takes. */
  readonly undecided: readonly Violation[];
  /** The number of findings beyond those that could be read again. */
  readonly more: number;
  /** Why the queues could not be read; undefined when they were, or nothing looked wrong. */
  readonly unasked: string | undefined;
}

const summary = (counts: Counts): string =>
  Object.entries(counts)
    .flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []))
    .join(', ');

/**
 * Reads everything once, on a running installation, and reads findings again: pending work changes or is waited for; a
 * finding that stays unchanged in two looks some seconds apart is a violation. Reads page by page and never writes.
 */
export const verify = async (options: VerifyOptions): Promise<Verified> => {
  const { stores, queues, institution, settleMs = 3_000, patienceMs = 60_000, tell = () => undefined } = options;
  const collections = collectionsOf(stores);
  const counts = noCounts();
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
    violations.push(...suspects.seen(await look(), onTheWay, at));
    if (suspects.size === 0 || (looks >= LEAST_LOOKS && performance.now() - startedAt > patienceMs)) break;
    tell(`${suspects.size} to be looked at again, ${violations.length} violations`);
    await pause(Math.min(1_000, settleMs / 2));
  }
  return { counts, violations, undecided: suspects.undecided(), more: suspects.left, unasked };
};
