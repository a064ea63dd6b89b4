import {
  type Backlog,
  type Handler,
  maxAttempts,
  type Queue,
  type QueueDepth,
  type RelayMetrics,
} from '@boxoffice/messaging';
import type { Metrics } from '@boxoffice/runtime';
import {
  type Collection,
  type CollectionHandle,
  type Document,
  type Documents,
  keepHandles,
  type Store,
  wrapCollection,
  wrapMethods,
} from '@boxoffice/store';
import type { WorkTable } from './work/kinds.ts';

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5];

type Call = (...given: unknown[]) => unknown;

/** Times calls, and counts updates that lost a race. Outside of collections: `together`, `idempotency`, `outbox`, `leases`, `waiting`. */
export function instrumentStore(store: Store, metrics: Metrics, service: string): Store {
  const took = metrics.histogram({
    name: 'store_operation_duration_seconds',
    help: 'Time of a call of the store',
    labels: ['service', 'collection', 'operation'],
    buckets: SECONDS,
  });
  const retried = metrics.counter({
    name: 'store_update_retries_total',
    help: 'Updates retried because another write of the document came first',
    labels: ['service', 'collection'],
  });

  const counting =
    (collection: string) =>
    <Method>(method: Method, operation: string): Method => {
      const call = (...given: unknown[]): unknown => {
        const startedAt = performance.now();
        const note = () => took((performance.now() - startedAt) / 1_000, { service, collection, operation });
        const [id, fn, ...rest] = given;
        const isUpdate = operation === ('update' satisfies keyof Documents<Document>) && typeof fn === 'function';
        const countRetry = () => retried({ service, collection });
        const result = (method as Call)(...(isUpdate ? [id, countingRetries(fn as Call, countRetry), ...rest] : given));
        if (result instanceof Promise) result.then(note, note);
        return result;
      };
      return call as Method;
    };
  return {
    ...store,
    collection: keepHandles((declared) => wrapCollection(store.collection(declared), counting(declared.name))),
    getTogether: counting('together')(store.getTogether, 'get'),
    idempotency: wrapMethods(store.idempotency, counting('idempotency')),
    outbox: wrapMethods(store.outbox, counting('outbox')),
    lease: counting('leases')(store.lease, 'lease'),
    waiting: counting('waiting')(store.waiting, 'get'),
  };
}

/** Wraps `fn` of an update to count its repeated calls, each caused by a concurrent write of the document. */
const countingRetries = (fn: Call, countRetry: () => void): Call => {
  let calls = 0;
  return (...given) => {
    calls += 1;
    if (calls > 1) countRetry();
    return fn(...given);
  };
};

/** Calls `depths` at each scrape. */
export function createQueueMetrics(metrics: Metrics, depths: () => Promise<readonly QueueDepth[]>) {
  const took = metrics.histogram({
    name: 'queue_message_duration_seconds',
    help: 'Time to handle a message, by outcome',
    labels: ['queue', 'outcome'],
  });
  const again = metrics.counter({
    name: 'queue_redeliveries_total',
    help: 'Deliveries for another attempt',
    labels: ['queue'],
  });
  const messages = { name: 'queue_messages', help: 'Messages of a queue, by their state', labels: ['queue', 'state'] };
  metrics.watch(messages, async () =>
    (await depths()).flatMap(({ queue, waiting, retrying, dead }) => [
      { value: waiting, labels: { queue, state: 'waiting' } },
      { value: retrying, labels: { queue, state: 'retrying' } },
      { value: dead, labels: { queue, state: 'dead' } },
    ]),
  );
  return {
    /** The handler, timed: counts the outcome of each message, and redeliveries. */
    timed:
      ({ name: queue }: Queue, handle: Handler): Handler =>
      async (message, attempt) => {
        const startedAt = performance.now();
        const note = (outcome: string) => took((performance.now() - startedAt) / 1_000, { queue, outcome });
        if (attempt > 1) again({ queue });
        try {
          await handle(message, attempt);
          note('handled');
        } catch (error) {
          const isDead = attempt >= maxAttempts || (error as Error | undefined)?.name === 'Unreadable';
          note(isDead ? 'dead' : 'retried');
          throw error;
        }
      },
  };
}

const labels = ['service'];

export function relayMetrics(metrics: Metrics, service: string): RelayMetrics {
  const published = metrics.counter({ name: 'relay_published_total', help: 'Events that the bus confirmed', labels });
  const failed = metrics.counter({
    name: 'relay_failed_total',
    help: 'Attempts to publish an event that failed',
    labels,
  });
  return {
    published: (count) => published({ service }, count),
    failed: (count) => failed({ service }, count),
  };
}

export function watchBacklog(metrics: Metrics, service: string, backlog: () => Backlog): void {
  const events = { name: 'relay_backlog_events', help: 'Events committed and not published yet', labels };
  metrics.watch(events, () => [{ value: backlog().events, labels: { service } }]);
  const seconds = { name: 'relay_backlog_seconds', help: 'Age of the oldest event not published yet', labels };
  metrics.watch(seconds, () => {
    const { oldest } = backlog();
    const age = oldest === undefined ? 0 : Math.max(0, Date.now() - Date.parse(oldest)) / 1_000;
    return [{ value: age, labels: { service } }];
  });
}

/** Failed promised work is tried again within this time. Milliseconds. */
const SOON_MS = 40_000;
/** Documents that a scrape reads of a collection. */
const MOST = 1_000;

interface WatchedWork {
  readonly service: string;
  readonly store: Store;
  readonly collections: readonly Collection<Document>[];
  readonly work: WorkTable<never>;
  readonly now?: () => number;
}

/** For how long the oldest work of each kind is due and not done; of those that end some time only what is due now. */
export function watchWork(metrics: Metrics, { service, store, collections, work, now = Date.now }: WatchedWork): void {
  const meter = {
    name: 'work_due_seconds',
    help: 'For how long the oldest work that follows a write is due and not done',
    labels: ['service', 'collection', 'work', 'promised'],
  };
  for (const collection of collections) {
    const kinds = Object.entries(work[collection.name] ?? {});
    if (kinds.length === 0) continue;
    const { acrossInstitutions }: CollectionHandle<Document> = store.collection(collection);
    metrics.watch(meter, async () => {
      const at = now();
      const found = await acrossInstitutions.listDue({ until: at + SOON_MS, limit: MOST });
      return kinds.map(([name, kind]) => {
        const since = Math.min(at, ...found.flatMap(({ due }) => due?.[name]?.since ?? []));
        const promised = String(typeof kind === 'function' || !kind.dropped);
        return { value: (at - since) / 1_000, labels: { service, collection: collection.name, work: name, promised } };
      });
    });
  }
}
