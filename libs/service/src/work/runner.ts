// The runner of work that follows a write: the only one of the product (docs/follow-up-work.md).
import { type Logger, repeat, runWhenWoken, settleWithin } from '@boxoffice/runtime';
import {
  type Collection,
  type CollectionHandle,
  type Document,
  type DueWork,
  type Store,
  type StoreWatch,
  watchStore,
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

/**
 * How often a process looks for work that others have made due, or whose time comes. It learns then what is due by the
 * next look, so that what a dead process has made due {@link scheduleSoon} waits two seconds at most. Milliseconds.
 */
export const WATCH_MS = 5_000;
/** What is due after this time is started with what else is due by the same second. Milliseconds. */
const GRAIN_MS = 1_000;
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
  /** Of the store, that others have as well. Default: one of its own. */
  readonly watch?: StoreWatch;
  /** Milliseconds between two looks of the watch. Default: {@link WATCH_MS}. */
  readonly watchMs?: number;
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
  /** Work of it is due at that instant. */
  expect(at: number): void;
  /** The handlers that it has called so far. */
  countStarted(): number;
}

/** Every instance has one; the claims share the work. @throws if a collection declares work without a handler */
export function startWork<State>(options: WorkOptions<State>): WorkRunner {
  const { store, collections, work, logger, watchMs = WATCH_MS } = options;
  requireHandlers(collections, work);
  const own = collections.filter(({ name }) => Object.keys(work[name] ?? {}).length > 0);
  const byName = new Map(own.map((collection) => [collection.name, runCollection(options, collection, watchMs)]));
  const runners = [...byName.values()];
  const unsubscribe = store.onDue((name, at) => byName.get(name)?.expect(at));
  const watch = options.watch ?? watchWaiting(store, { everyMs: watchMs, logger });
  const unwatch = watch.onLook(({ due }) => {
    for (const [name, at] of Object.entries(due)) byName.get(name)?.expect(at);
  });
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
      unsubscribe();
      unwatch();
      if (!options.watch) await watch.close();
      await Promise.all(runners.map((runner) => runner.close()));
    },
  };
}

export function watchWaiting(
  store: Store,
  { everyMs = WATCH_MS, logger }: { readonly everyMs?: number; readonly logger: Pick<Logger, 'warn'> },
): StoreWatch {
  const logFailure = (error: unknown) => logger.warn('the store could not be asked for what waits in it', { error });
  return watchStore(store, { everyMs, failed: logFailure });
}

/** @throws unless every work that a collection declares has one handler, and no other */
const requireHandlers = <State>(collections: readonly Collection<Document>[], table: WorkTable<State>): void => {
  const declared = collections.flatMap(({ name, work = [] }) => work.map((one) => `${name}.${one}`));
  const handled = Object.entries(table).flatMap(([name, kinds]) => Object.keys(kinds).map((one) => `${name}.${one}`));
  const odd = [...new Set([...declared, ...handled])].filter((one) => declared.includes(one) !== handled.includes(one));
  if (odd.length > 0) throw new Error(`declared without a handler, or handled and not declared: ${odd.join(', ')}`);
};

const runCollection = <State>(
  options: WorkOptions<State>,
  collection: Collection<Document>,
  watchMs: number,
): CollectionRunner => {
  const { store, work: table, state, logger, now = Date.now, random = Math.random } = options;
  const { closingMs = CLOSING_MS } = options;
  const { acrossInstitutions: documents }: CollectionHandle<Document> = store.collection(collection);
  const log = createLog({ logger }, collection.name);
  const groups = groupWorkKinds(table[collection.name] ?? {});
  const running = new Map<Promise<void>, { readonly institution: string; readonly group: WorkGroup<State> }>();
  const stopping = new AbortController();
  let isClosed = false;
  let started = 0;
  /** Whether the last look found nothing that it could not begin. */
  let isSettled = false;
  /** The looks to come, by their instants. */
  const coming = new Map<number, NodeJS.Timeout>();

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
    started += 1;
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
    const settled: boolean[] = [];
    for (const group of groups) settled.push(await lookAt(group));
    isSettled = settled.every(Boolean);
  };

  const logFailure = (error: unknown) =>
    logger.warn('due work could not be read', { collection: collection.name, error });
  const loop = runWhenWoken(look, { failed: logFailure });

  return {
    expect(at) {
      const ms = at - now();
      if (ms <= 0) void loop.wake();
      // The watch finds it.
      if (ms <= 0 || ms >= watchMs) return;
      const instant = ms < GRAIN_MS ? at : Math.ceil(at / GRAIN_MS) * GRAIN_MS;
      if (coming.has(instant)) return;
      const begin = (): void => {
        coming.delete(instant);
        void loop.wake();
      };
      // A timer may be early, by less than this millisecond.
      coming.set(instant, setTimeout(begin, instant - now() + 1).unref());
    },
    countStarted: () => started,
    async idle() {
      do {
        await Promise.all(running.keys());
        await loop.wake();
      } while (running.size > 0);
    },
    async close() {
      isClosed = true;
      for (const timer of coming.values()) clearTimeout(timer);
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
