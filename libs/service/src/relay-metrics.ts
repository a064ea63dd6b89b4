import type { RelayMetrics } from '@boxoffice/messaging';
import type { Metrics } from '@boxoffice/runtime';

/** The relay's figures: how much it publishes, and how far it is behind. */
export const relayMetrics = (metrics: Metrics): RelayMetrics => {
  const published = metrics.counter({ name: 'relay_published_total', help: 'Events that the bus confirmed' });
  const failed = metrics.counter({ name: 'relay_failed_total', help: 'Attempts to publish an event that failed' });
  const age = metrics.gauge({ name: 'relay_backlog_seconds', help: 'Age of the oldest event not published yet' });
  return {
    published: (count) => published({}, count),
    failed: (count) => failed({}, count),
    backlogAge: (seconds) => age(seconds),
  };
};
