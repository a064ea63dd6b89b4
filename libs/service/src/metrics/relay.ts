import type { Backlog, RelayMetrics } from '@boxoffice/messaging';
import type { Metrics } from '@boxoffice/runtime';

const labels = ['service'];

/** The metrics of a service's relay: how much it publishes. */
export const relayMetrics = (metrics: Metrics, service: string): RelayMetrics => {
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
};

/** The relay's backlog: the number of events in its outbox, and the age of the oldest. */
export const watchBacklog = (metrics: Metrics, service: string, backlog: () => Backlog): void => {
  const events = { name: 'relay_backlog_events', help: 'Events committed and not published yet', labels };
  metrics.watch(events, () => [{ value: backlog().events, labels: { service } }]);
  const seconds = { name: 'relay_backlog_seconds', help: 'Age of the oldest event not published yet', labels };
  metrics.watch(seconds, () => {
    const { oldest } = backlog();
    const age = oldest === undefined ? 0 : Math.max(0, Date.now() - Date.parse(oldest)) / 1_000;
    return [{ value: age, labels: { service } }];
  });
};
