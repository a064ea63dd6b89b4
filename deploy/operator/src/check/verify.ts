// The operator's check: finds violations of invariants across the stores of all services, while they run.

import { setTimeout as pause } from 'node:timers/promises';
import type { QueueDepth } from '@boxoffice/messaging';
import type { OutboxEvent, Store } from '@boxoffice/store';
import type { Case, Kind } from './findings.ts';
import { type Counts, lookAgain, lookAtAll, noCounts } from './passes.ts';
import { type CheckedStores, collectionsOf, patiently } from './reading.ts';
import { createSuspects, type OnTheWay, type Violation } from './suspects.ts';

interface VerifyOptions {
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

/** The most pending events that are matched by key; beyond this number every case counts as pending. */
const EVENTS = 5_000;

const keysOf = ({ key, data }: OutboxEvent): string[] => {
  const { orderId, performanceId, contactNumber } = data as Readonly<Record<string, unknown>>;
  return [key, orderId, performanceId, contactNumber].filter((one) => typeof one === 'string');
};

/** The pending messages, and the reason where the queues could not be read. */
interface Read extends OnTheWay {
  readonly unasked: string | undefined;
}

/**
 * Reads the pending messages: the events of every outbox, then the queue depths. The order matters: an event moves from
 * the outbox to the queue. Queues reveal no keys, so that any message, or an unreachable broker, makes every case
 * pending. Messages in processing are invisible; they take seconds at most, which the pause between two looks covers.
 */
const readOnTheWay = async (stores: readonly Store[], queues: () => Promise<readonly QueueDepth[]>): Promise<Read> => {
  const keys = new Set<string>();
  let all = false;
  for (const { outbox } of stores) {
    const events = await patiently(() => outbox.pending(EVENTS));
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
