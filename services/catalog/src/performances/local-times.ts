// Compares starts with what was meant, when the rules of time zones change.

import { type Logger, repeat } from '@boxoffice/runtime';
import type { Closable } from '@boxoffice/service';
import { rewrite, type Store } from '@boxoffice/store';
import { clocks } from '../clocks.ts';
import { createContext, invalidateCatalog, readTimestamp } from '../context.ts';
import { computeMeantStart, hasMovedLocalTime } from '../domain/clocks.ts';
import { restoreLocalTime } from '../domain/performance.ts';
import { createPerformanceMovedFact } from '../events.ts';
import { institutions, type PerformanceDocument, performances } from '../store.ts';
import { recordModification } from './performances.ts';

export interface MovedLocalTime {
  readonly institution: string;
  readonly performance: string;
  readonly startDate: string;
  readonly timeZone: string;
  /** Which release of the time zone database said so. */
  readonly meant: string;
  readonly meantBy: string;
  readonly shown: string;
}

export function detectMovedLocalTime(performance: PerformanceDocument): MovedLocalTime | undefined {
  const { id, institution, startDate, timeZone, state, meantStart } = performance;
  if (meantStart === undefined || state === 'cancelled' || !hasMovedLocalTime(performance, clocks)) return undefined;
  const shown = clocks.wallTime(startDate, timeZone);
  return {
    ...{ institution, performance: id, startDate, timeZone },
    ...{ meant: meantStart.time, meantBy: meantStart.release, shown },
  };
}

const PAGE = 200;

/** Lists performances to come, of an institution or of all. */
export async function listMovedLocalTimes(
  store: Store,
  { institution, now = Date.now }: { readonly institution?: string | undefined; readonly now?: () => number } = {},
): Promise<MovedLocalTime[]> {
  const known = await store.collection(institutions).acrossInstitutions.find({ orderBy: 'id' });
  const ids = institution === undefined ? known.map(({ id }) => id) : [institution];
  const moved: MovedLocalTime[] = [];
  for (const id of ids) {
    const of = store.collection(performances).of(id);
    let after: { readonly value: string; readonly id: string } | undefined;
    for (;;) {
      const where = { startDate: { gt: new Date(now()).toISOString() } };
      const page = await of.find({ where, orderBy: 'startDate', limit: PAGE, ...(after ? { after } : {}) });
      moved.push(...page.flatMap((one) => detectMovedLocalTime(one) ?? []));
      const last = page.at(-1);
      if (!last || page.length < PAGE) break;
      after = { value: last.startDate, id: last.id };
    }
  }
  return moved;
}

/** Changes the start like any other change. Resolves to the start; undefined if nothing had to move. */
export async function keepLocalTime(
  store: Store,
  { institution, performance: id }: Pick<MovedLocalTime, 'institution' | 'performance'>,
  now: () => number = Date.now,
): Promise<string | undefined> {
  const context = createContext(store, institution, now);
  const found = await context.collections.performances.get(id);
  if (!found || detectMovedLocalTime(found) === undefined) return undefined;
  await recordModification(context, found.productId);
  let moved: string | undefined;
  await context.collections.performances.update(id, (current) => {
    const next = current.state === 'cancelled' ? undefined : restoreLocalTime(current, clocks, readTimestamp(context));
    moved = next?.startDate;
    return next && { next, events: [createPerformanceMovedFact(next)] };
  });
  await invalidateCatalog(context);
  return moved;
}

/** Keeps the instant, and takes its local time for what is meant. */
export async function keepInstant(
  store: Store,
  { institution, performance: id }: Pick<MovedLocalTime, 'institution' | 'performance'>,
): Promise<void> {
  await createContext(store, institution).collections.performances.update(id, (current) => ({
    next: { ...current, meantStart: computeMeantStart(current, clocks) },
  }));
}

/** Milliseconds: instances of the last release may write performances without what was meant. */
const EVERY_MS = 600_000;

/** Longer than most installations need; two instances at once do no harm. */
const LEASE_MS = 3_600_000;

/** So many are named in the log. */
const NAMED = 20;

/** Warns of moved starts, once, and completes what was meant in performances of earlier releases. */
export function watchLocalTimes(store: Store, log: Pick<Logger, 'info' | 'warn'>): Closable {
  let isTold = false;
  const tell = async (): Promise<void> => {
    const moved = await listMovedLocalTimes(store);
    log.info(`local times are those of the IANA time zone database ${clocks.release}`);
    if (moved.length > 0) {
      const named = moved
        .slice(0, NAMED)
        .map(({ performance, meant, shown }) => `${performance} (${meant}, now ${shown})`);
      const more = moved.length > NAMED ? ` and ${moved.length - NAMED} more` : '';
      log.warn(
        `clocks show another time than was meant at the start of ${named.join(', ')}${more}: operator performances keep-local-time moves them`,
      );
    }
    isTold = true;
  };
  const run = async (): Promise<void> => {
    if (!isTold) await tell();
    const without = { where: { 'meantStart.release': null }, limit: 1 } as const;
    const [one] = await store.collection(performances).acrossInstitutions.find(without);
    if (one && (await store.lease('meant-starts', LEASE_MS))) await rewrite(store, performances);
  };
  const logFailure = (error: unknown) => log.warn('the local times of starts could not be compared', { error });
  return repeat(run, { everyMs: EVERY_MS, atOnce: true, failed: logFailure });
}
