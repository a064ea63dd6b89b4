import { topology } from '@boxoffice/messaging';
import { number, versionOf } from '@boxoffice/runtime';
import type { ServiceDefinition } from '@boxoffice/service';
import { type Context, createContext } from './context.ts';
import { retentionOf } from './log/removal.ts';
import { startResuming } from './log/resume.ts';
import { onFact } from './reactions/fact.ts';
import { routes } from './routes.ts';
import { collections } from './store.ts';

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
  prepare: ({ store, serviceSecret, publicUrl, settings: { eventRetentionDays } }) =>
    createContext({ store, serviceSecret, publicUrl, retentionMs: eventRetentionDays * DAY_MS }),
  operations: (_parts, context) => routes(context),
  reactions: (_parts, context) => [{ queue: topology.eventsFacts, handle: (message) => onFact(context, message) }],
  background: ({ logger }, { waiting }) => startResuming(waiting, logger),
};
