// The runner of work that follows a write: the only one of the product (docs/follow-up-work.md).
import { type Logger, repeat, settleWithin } from '@boxoffice/runtime';
import {
  type Collection,
  type CollectionHandle,
  createQuiet,
  type Document,
  type DueWork,
  type Store,
} from '@boxoffice/store';
import {
  type Claim,
  groupWorkKinds,
  retryAfter,
  type WorkGroup,
  type WorkKindOf,
  type WorkResult,
  type WorkTable,
} from './kinds.ts';

/** How often work is looked for that other processes have made due, or whose time has come. Milliseconds. */
const POLL_MS = 1_000;
/** The same while nothing at all is written, where the engine tells. */
const QUIET_MS = 5_000;
/** How long a stop waits for handlers before it aborts them, and then for their end. */
const CLOSING_MS = 3_000;
/** Failures of one kind of work are logged once in this time. */
const LOG_EVERY_MS = 10_000;
/** Renewals within the time of a claim. */
const RENEWALS = 3;

export interface WorkOptions<State> {
  readonly store: Store;
  readonly collections: readonly Collection<Document>[];
  readonly work: WorkTable<State>;
  readonly state: State;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now?: () => number;
  readonly pollMs?: number;
  /** Default: {@link CLOSING_MS}. */
  readonly closingMs?: number;
  readonly random?: () => number;
}

export interface WorkRunner {
  /** No work is due by now and no handler is running: what is due is done, or postponed. For tests. */
  idle(): Promise<void>;
  /** Claims nothing more; waits for the handlers, then aborts them: what they leave is due at once, for others. */
  close(): Promise<void>;
}

interface CollectionRunner extends WorkRunner {
  /** The handlers that it has called so far. */
  countStarted(): number;
}

/** Every instance has one; the claims share the work. @throws if a collection declares work without a handler */
export function startWork<State>(options: WorkOptions<State>): WorkRunner {
  const { collections, work } = options;
  requireHandlers(collections, work);
  const runners = collections
    .filter(({ name }) => Object.keys(work[name] ?? {}).length > 0)
    .map((collection) => runCollection(options, collection));
  return {
    async idle() {
      const count = () => runners.reduce((sum, runner) => sum + runner.countStarted(), 0);
      // Work of one collection may make work of another due.
      for (let before = -1; before !== count(); ) {
        before = count();
        for (const runner of runners) await runner.idle();
      }
    },
    async close() {
      await Promise.all(runners.map((runner) => runner.close()));
    },
  };
}

/** @throws unless every work that a collection declares has one handler, and no other */
const requireHandlers = <State>(collections: readonly Collection<Document>[], table: WorkTable<State>): void => {
  const declared = collections.flatMap(({ name, work = [] }) => work.map((one) => `${name}.${one}`));
  const handled = Object.entries(table).flatMap(([name, kinds]) => Object.keys(kinds).map((one) => `${name}.${one}`));
  const odd = [...new Set([...declared, ...handled])].filter((one) => declared.includes(one) !== handled.includes(one));
  if (odd.length > 0) throw new Error(`declared without a handler, or handled and not declared: ${odd.join(', ')}`);
};

const runCollection = <State>(options: WorkOptions<State>, collection: Collection<Document>): CollectionRunner => {
  const { store, work: table, state, logger, now = Date.now, random = Math.random } = options;
  const { pollMs = POLL_MS, closingMs = CLOSING_MS } = options;
  const { acrossInstitutions: documents }: CollectionHandle<Document> = store.collection(collection);
  const log = createLog({ logger }, collection.name);
  const groups = groupWorkKinds(table[collection.name] ?? {});
  const running = new Map<Promise<void>, { readonly institution: string; readonly group: WorkGroup<State> }>();
  const stopping = new AbortController();
  const quietMs = createQuiet(store);
  let isClosed = false;
  let begun = 0;
  /** Whether the last look found nothing that it could not begin; when it was, and what is due next. */
  let isSettled = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let nextAt = Number.POSITIVE_INFINITY;

  /** Calls the handler; returns what becomes of the work. Undefined: the handler has said it. */
  const attempt = async (
    name: string,
    kind: WorkKindOf<State>,
    document: Document,
    { since, tries, claim: token }: DueWork,
  ): Promise<DueWork | null | undefined> => {
    const isHeld: Claim['isHeld'] = ({ due }) => due?.[name]?.claim === token;
    try {
      const result: WorkResult = await kind.handle(state, document, { since, tries, signal: stopping.signal, isHeld });
      if (result === 'recorded') return undefined;
      return result === 'done' ? null : { at: result.again, since, tries: 0 };
    } catch (error) {
      // What a stop has ended is done by whoever comes first.
      if (stopping.signal.aborted) return { at: now(), since, tries };
      log('work that follows a write has failed and is tried again', name, document, error, tries + 1);
      const { retries } = kind;
      const delay = retryAfter(retries, tries + 1, random()) ?? retries.delaysMs.at(-1) ?? 0;
      return { at: now() + delay, since, tries: tries + 1 };
    }
  };

  const work = async (document: Document, name: string, kind: WorkKindOf<State> | undefined): Promise<void> => {
    let entry = document.due?.[name];
    if (!kind || !entry) return;
    const move = async (to: DueWork | null): Promise<void> => {
      if (entry && (await documents.moveDue(document.id, name, entry, to))) entry = to ?? undefined;
    };
    const renew = async (): Promise<void> => {
      if (entry) await move({ ...entry, at: now() + kind.claimMs });
    };
    const logFailure = (error: unknown) => log('a claim of work could not be renewed', name, document, error);
    const renewal = repeat(renew, { everyMs: kind.claimMs / RENEWALS, failed: logFailure });
    const left = await attempt(name, kind, document, entry);
    await renewal.close();
    // Where this fails the claim ends by itself, and the work is done again.
    if (left !== undefined) await move(left);
  };

  const begin = (document: Document, name: string, group: WorkGroup<State>): void => {
    const own = work(document, name, group.kinds[name])
      .catch((error: unknown) => log('the end of work could not be recorded', name, document, error))
      .finally(() => {
        running.delete(own);
        if (!isSettled) void loop.wake();
      });
    running.set(own, { institution: document.institution, group });
    begun += 1;
  };

  /** How many documents may be claimed for a group, and of which institutions none, since they have their share. */
  const room = (group: WorkGroup<State>): { readonly limit: number; readonly except: readonly string[] } => {
    const all = [...running.values()];
    const most = Math.max(...groups.map((one) => one.slots(state)));
    const free = Math.min(most - all.length, group.slots(state) - all.filter((one) => one.group === group).length);
    const counts = [...Map.groupBy(all, ({ institution }) => institution)];
    const full = counts.filter(([, those]) => those.length >= group.institutionSlots);
    const others = counts.map(([, those]) => those.length).filter((count) => count < group.institutionSlots);
    const limit = Math.min(free, group.institutionSlots - Math.max(0, ...others));
    return { limit, except: full.map(([institution]) => institution) };
  };

  /** Begins what is due of a group; returns whether nothing is left that others keep from its slot. */
  const lookAt = async (group: WorkGroup<State>): Promise<boolean> => {
    const forMs = Object.fromEntries(Object.entries(group.kinds).map(([name, { claimMs }]) => [name, claimMs]));
    for (;;) {
      const { limit, except } = room(group);
      if (limit <= 0 || isClosed) return false;
      const claimed = await documents.claimDue({ now: now(), limit, forMs, except });
      for (const { document, work: names } of claimed) for (const name of names) begin(document, name, group);
      if (claimed.length === 0) return except.length === 0;
    }
  };

  const look = async (): Promise<void> => {
    isSettled = false;
    nextAt = Number.POSITIVE_INFINITY;
    lookedAt = performance.now();
    const settled: boolean[] = [];
    for (const group of groups) settled.push(await lookAt(group));
    isSettled = settled.every(Boolean);
  };

  let isWoken = true;
  /** Looks, unless nothing can be due: nothing was written since the last look found nothing. */
  const lookUnlessQuiet = async (): Promise<void> => {
    const isQuiet = quietMs() > 0 && isSettled && performance.now() - lookedAt < QUIET_MS;
    if (isQuiet && !isWoken && now() < nextAt) return;
    isWoken = false;
    await look();
  };
  const logFailure = (error: unknown) =>
    logger.warn('due work could not be read', { collection: collection.name, error });
  const loop = repeat(lookUnlessQuiet, { everyMs: pollMs, atOnce: true, failed: logFailure });
  const wake = (): Promise<void> => {
    isWoken = true;
    return loop.wake();
  };
  const unsubscribe = store.onDue((name, at) => {
    if (name !== collection.name) return;
    const ms = at - now();
    if (ms <= 0) void wake();
    // What is due before the next look does not wait for it.
    else if (ms < pollMs) setTimeout(() => void wake(), ms).unref();
    nextAt = Math.min(nextAt, at);
  });

  return {
    countStarted: () => begun,
    async idle() {
      do {
        await Promise.all(running.keys());
        await wake();
      } while (running.size > 0);
    },
    async close() {
      isClosed = true;
      unsubscribe();
      await loop.close();
      const all = Promise.all(running.keys());
      await settleWithin(all, closingMs, () => stopping.abort());
      await settleWithin(all, CLOSING_MS, () => undefined);
    },
  };
};

const createLog = ({ logger }: Pick<WorkOptions<unknown>, 'logger'>, collection: string) => {
  const loggedAt = new Map<string, number>();
  return (message: string, name: string, { id, institution }: Document, error: unknown, attempt?: number): void => {
    if (performance.now() - (loggedAt.get(name) ?? Number.NEGATIVE_INFINITY) < LOG_EVERY_MS) return;
    loggedAt.set(name, performance.now());
    logger.warn(message, { collection, part: name, institution, id, error, ...(attempt && { attempt }) });
  };
};
