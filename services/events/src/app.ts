import { requireQueue } from '@boxoffice/messaging';
import { number, readVersion } from '@boxoffice/runtime';
import { type ServiceDefinition, startCompletion } from '@boxoffice/service';
import { createRoutes } from './commands.ts';
import { type Context, createContext } from './context.ts';
import { deliver } from './deliveries/deliveries.ts';
import { describeRetention } from './log/positions.ts';
import { append } from './log/waiting.ts';
import { createLagMeter, watchEvents } from './metrics.ts';
import { recordFact } from './reactions.ts';
import {
  collections,
  WAITING_OF_0_3,
  WEBHOOKS_OF_0_3,
  waitingCollection,
  webhookRetention,
  webhooksCollection,
} from './store.ts';
import { describedWebhooks } from './types/schemas.ts';
import { type OpenWebhooks, openWebhooksFromSettings, webhookSettings } from './webhooks/open.ts';

const DAY_MS = 24 * 60 * 60_000;

const settings = {
  /** Days for which the feed shows an event; fractions allowed. */
  eventRetentionDays: number('EVENT_RETENTION_DAYS', { default: 30, min: 0 }),
  ...webhookSettings,
};

interface State extends OpenWebhooks {
  readonly context: Context;
}

/** It calls only the authorizer. */
export const events: ServiceDefinition<typeof settings, State> = {
  name: 'events',
  version: readVersion(import.meta.url),
  collections,
  retention: ({ eventRetentionDays }) => ({ ...describeRetention(eventRetentionDays * DAY_MS), ...webhookRetention }),
  settings,
  calls: [{ service: 'authorizer', operations: { getClientScopes: {} } }],
  queues: [requireQueue('events.facts.v1')],
  prepare: (parts) => {
    const { store, serviceSecret, publicUrl, logger, metrics, settings: own } = parts;
    const context = createContext({
      store,
      serviceSecret,
      publicUrl,
      logger,
      retentionMs: own.eventRetentionDays * DAY_MS,
      onRecorded: metrics && createLagMeter(metrics),
    });
    if (metrics) watchEvents(metrics, context);
    return { context, ...openWebhooksFromSettings(parts, context) };
  },
  tags: {
    events: 'What happened in the institution, in order, to read or to follow.',
    webhooks: 'Addresses of a partner to which events are delivered, and their deliveries.',
  },
  operations: (_parts, { context, webhooks }) => createRoutes(context, webhooks),
  webhooks: describedWebhooks,
  reactions: (_parts, { context }) => [
    { queue: requireQueue('events.facts.v1'), handle: (message) => recordFact(context, message) },
  ],
  work: { waiting_facts: { append }, webhooks: { deliver } },
  background: ({ store, logger }, { context }) => {
    const completions = [
      startCompletion(store, waitingCollection, WAITING_OF_0_3, logger),
      startCompletion(store, webhooksCollection, WEBHOOKS_OF_0_3, logger),
    ];
    return {
      async close() {
        await Promise.all(completions.map((one) => one.close()));
        await context.tail.close();
      },
    };
  },
};
