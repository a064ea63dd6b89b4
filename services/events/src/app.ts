import { queueNamed } from '@boxoffice/messaging';
import { number, versionOf } from '@boxoffice/runtime';
import type { ServiceDefinition } from '@boxoffice/service';
import { type Context, createContext } from './context.ts';
import { startResuming } from './log/log.ts';
import { retentionOf } from './log/positions.ts';
import { measuringLag, watchEvents } from './metrics.ts';
import { onFact } from './reactions.ts';
import { routes } from './routes.ts';
import { collections, webhookRetention } from './store.ts';
import { describedWebhooks } from './types/schemas.ts';
import { type OpenWebhooks, webhookSettings, webhooksOf } from './webhooks/open.ts';

const DAY_MS = 24 * 60 * 60_000;

const settings = {
  /** Days for which the feed shows an event; fractions allowed. */
  eventRetentionDays: number('EVENT_RETENTION_DAYS', { default: 30, min: 0 }),
  ...webhookSettings,
};

interface State extends OpenWebhooks {
  readonly context: Context;
}

/** The events service: what partners hear of, as a feed and through webhooks. It calls only the authorizer. */
export const events: ServiceDefinition<typeof settings, State> = {
  name: 'events',
  version: versionOf(import.meta.url),
  collections,
  retention: ({ eventRetentionDays }) => ({ ...retentionOf(eventRetentionDays * DAY_MS), ...webhookRetention }),
  settings,
  calls: [{ service: 'authorizer', operations: { getClientScopes: {} } }],
  queues: [queueNamed('events.facts.v1')],
  prepare: (parts) => {
    const { store, serviceSecret, publicUrl, logger, metrics, settings: own } = parts;
    const context = createContext({
      store,
      serviceSecret,
      publicUrl,
      logger,
      retentionMs: own.eventRetentionDays * DAY_MS,
      onRecorded: metrics && measuringLag(metrics),
    });
    if (metrics) watchEvents(metrics, context);
    return { context, ...webhooksOf(parts, context) };
  },
  tags: {
    events: 'What happened in the institution, in order, to read or to follow.',
    webhooks: 'Addresses of a partner to which events are delivered, and their deliveries.',
  },
  operations: (_parts, { context, webhooks }) => routes(context, webhooks),
  webhooks: describedWebhooks,
  reactions: (_parts, { context }) => [
    { queue: queueNamed('events.facts.v1'), handle: (message) => onFact(context, message) },
  ],
  background: ({ store, logger }, { context, deliveries }) => {
    const resuming = startResuming(context.waiting, store, logger);
    deliveries.start();
    return {
      async close() {
        await deliveries.close();
        await resuming.close();
        await context.tail.close();
      },
    };
  },
};
