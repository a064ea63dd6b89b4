import type { Metrics } from '@boxoffice/runtime';
import type { Context } from './context.ts';
import type { NewEvent } from './store.ts';

const LAG_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];

/** Counts the events of this process, by how long after their fact they became visible. */
export const measuringLag = (metrics: Metrics): ((event: NewEvent, recordedAt: number) => void) => {
  const lag = metrics.histogram({
    name: 'events_lag_seconds',
    help: 'Time from a change to the visibility of its event',
    labels: ['resource'],
    buckets: LAG_SECONDS,
  });
  return ({ resource, occurredAt }, recordedAt) =>
    lag(Math.max(0, recordedAt - Date.parse(occurredAt)) / 1_000, { resource: resource.type });
};

/** Reads what waits, and who listens, when Prometheus scrapes. */
export const watchEvents = (metrics: Metrics, { waiting, streams, tail, now }: Context): void => {
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
};
