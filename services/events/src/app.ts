import { topology } from '@boxoffice/messaging';
import { number, versionOf } from '@boxoffice/runtime';
import type { ServiceDefinition } from '@boxoffice/service';
import { type Context, createContext } from './context.ts';
import { retentionOf } from './log/removal.ts';
import { startResuming } from './log/resume.ts';
import { measuringLag, watchEvents } from './metrics.ts';
import { onFact } from './reactions/fact.ts';
import { routes } from './routes.ts';
import { collections } from './store.ts';
import { describedWebhooks } from './types/webhooks.ts';

const DAY_MS = 24 * 60 * 60_000;

const settings = {
  /** Days for which the feed shows an event; fractions allowed. */
  eventRetentionDays: number('EVENT_RETENTION_DAYS', { default: 30, min: 0 }),
};

/** The events service: what partners hear of, as a feed and through webhooks. It calls no other service. */
export const events: ServiceDefinition<typeof settings, Context> = {
  name: 'events',
  version: versionOf(import.meta.url),
  collections,
  retention: ({ eventRetentionDays }) => retentionOf(eventRetentionDays * DAY_MS),
  settings,
  queues: [topology.eventsFacts],
  prepare: ({ store, serviceSecret, publicUrl, logger, metrics, settings: { eventRetentionDays } }) => {
    const context = createContext({
      store,
      serviceSecret,
      publicUrl,
      logger,
      retentionMs: eventRetentionDays * DAY_MS,
      onRecorded: metrics && measuringLag(metrics),
    });
    if (metrics) watchEvents(metrics, context);
    return context;
  },
  operations: (_parts, context) => routes(context),
  webhooks: describedWebhooks,
  reactions: (_parts, context) => [{ queue: topology.eventsFacts, handle: (message) => onFact(context, message) }],
  background: ({ logger }, { waiting, tail }) => {
    const resuming = startResuming(waiting, logger);
    return {
      async close() {
        await resuming.close();
        await tail.close();
      },
    };
  },
};
