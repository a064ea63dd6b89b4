import type { Metrics } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import type { Context } from './context.ts';
import type { DeliveryDependencies } from './deliveries/deliver.ts';
import type { Ending } from './deliveries/ends.ts';
import { deliveriesCollection, type NewEvent, webhooksCollection } from './store.ts';

const LAG_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];

/** Measures how long after their fact events became visible. */
export function createLagMeter(metrics: Metrics): (event: NewEvent, recordedAt: number) => void {
  const lag = metrics.histogram({
    name: 'events_lag_seconds',
    help: 'Time from a change to the visibility of its event',
    labels: ['resource'],
    buckets: LAG_SECONDS,
  });
  return ({ resource, occurredAt }, recordedAt) =>
    lag(Math.max(0, recordedAt - Date.parse(occurredAt)) / 1_000, { resource: resource.type });
}

export function watchEvents(metrics: Metrics, { waiting, streams, tail, now }: Context): void {
  metrics.watch(
    { name: 'events_waiting_seconds', help: 'Age of the oldest fact whose predecessor has not arrived' },
    async () => {
      const oldest = await waiting.oldest();
      return [{ value: oldest === undefined ? 0 : Math.max(0, now() - oldest) / 1_000 }];
    },
  );
  metrics.watch({ name: 'events_streams', help: 'Open streams of events' }, () => [{ value: streams.count }]);
  metrics.watch({ name: 'events_followers', help: 'Streams, and long polls that wait' }, () => [
    { value: tail.followers },
  ]);
}

const ENDINGS: readonly Ending[] = ['succeeded', 'failed', 'given_up'];
const STATES = ['active', 'paused', 'disabled'] as const;

/** One scrape looks at so many. */
const MOST_ACTIVE = 200;

/** Seconds from a fact to the delivery of its event. */
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300, 3_600, 86_400];

/** Each ending counts from 0, so that its first increase is seen. */
export function countDeliveries(metrics: Metrics | undefined, now: () => number): DeliveryDependencies['ended'] {
  if (!metrics) return () => undefined;
  const attempts = metrics.counter({
    name: 'events_webhook_attempts_total',
    help: 'Attempts to deliver events to webhooks, by how they ended; given_up: the last one of an event failed',
    labels: ['outcome'],
  });
  for (const outcome of ENDINGS) attempts({ outcome }, 0);
  const seconds = metrics.histogram({
    name: 'events_webhook_delivery_seconds',
    help: 'From the moment that an event was recorded to its successful delivery; redeliveries do not count',
    buckets: BUCKETS,
  });
  return (outcome, { origin }, event) => {
    attempts({ outcome });
    if (outcome === 'succeeded' && origin === 'feed') seconds(Math.max(0, now() - event.recordedAt) / 1000);
  };
}

/** Read from an index on scrape. Every instance reports the same value, so aggregate with `max`. */
export function watchWebhooks(store: Pick<Store, 'collection'>, metrics: Metrics, now: () => number): void {
  const webhooks = store.collection(webhooksCollection).acrossInstitutions;
  metrics.watch({ name: 'events_webhooks', help: 'Webhooks by state', labels: ['state'] }, () =>
    Promise.all(
      STATES.map(async (state) => ({ value: await webhooks.count({ deletedAt: null, state }), labels: { state } })),
    ),
  );
  const deliveries = store.collection(deliveriesCollection).acrossInstitutions;
  const overdue = {
    name: 'events_webhook_overdue_seconds',
    help: 'For how long the delivery of an active webhook that is due the longest has not been attempted',
  };
  metrics.watch(overdue, async () => {
    const active = await webhooks.find({ where: { deletedAt: null, state: 'active' }, limit: MOST_ACTIVE });
    const due = await Promise.all(
      active.map(({ id: webhookId }) => {
        const where = { webhookId, outcome: 'waiting', dueAt: { lte: now() } } as const;
        return deliveries.find({ where, orderBy: 'dueAt', limit: 1 });
      }),
    );
    const oldest = Math.min(now(), ...due.flat().map(({ dueAt }) => dueAt ?? now()));
    return [{ value: (now() - oldest) / 1000 }];
  });
}
