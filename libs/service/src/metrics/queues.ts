import { type Handler, maxAttempts, type Queue, type QueueDepth } from '@boxoffice/messaging';
import type { Metrics } from '@boxoffice/runtime';

/** The metrics of a service's queues, by the name of the queue. */
interface QueueMetrics {
  /** The handler, timed: counts the outcome of each message, and redeliveries. */
  timed(queue: Queue, handle: Handler): Handler;
}

/** Creates the metrics. `depths` reads the service's queues at each scrape. */
export const queueMetrics = (metrics: Metrics, depths: () => Promise<readonly QueueDepth[]>): QueueMetrics => {
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
    timed:
      ({ name: queue }, handle) =>
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
};
