import type { RelayMetrics } from '@boxoffice/messaging';
import type { Metrics } from '@boxoffice/runtime';

const labels = ['service'];

/** The figures of a service's relay: how much it publishes, and how far it is behind. */
export const relayMetrics = (metrics: Metrics, service: string): RelayMetrics => {
  const published = metrics.counter({ name: 'relay_published_total', help: 'Events that the bus confirmed', labels });
  const failed = metrics.counter({
    name: 'relay_failed_total',
    help: 'Attempts to publish an event that failed',
    labels,
  });
  const age = metrics.gauge({
    name: 'relay_backlog_seconds',
    help: 'Age of the oldest event not published yet',
    labels,
  });
  return {
    published: (count) => published({ service }, count),
    failed: (count) => failed({ service }, count),
    backlogAge: (seconds) => age(seconds, { service }),
  };
};
