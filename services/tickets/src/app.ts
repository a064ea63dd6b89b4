import { requireQueue } from '@boxoffice/messaging';
import { directory, readVersion, repeat, text } from '@boxoffice/runtime';
import type { ServiceDefinition } from '@boxoffice/service';
import { skipWhenQuiet } from '@boxoffice/store';
import { createRoutes } from './commands.ts';
import { type Context, createContext } from './context.ts';
import { createDoorFront } from './control/door-files.ts';
import { currentFacts, examples, schemas } from './events.ts';
import { reactTo } from './reactions.ts';
import { collections, retention } from './store.ts';
import { INTERRUPTED_MS, resumeInterruptedReplacements } from './tickets/replacement.ts';

const SWEEP_MS = 10_000;

const settings = {
  /** Fonts of the installation, for letters that the product's own lack. */
  ticketFontsDirectory: directory('TICKET_FONTS_DIR', { default: '/usr/share/fonts' }),
  doorClientIds: text('DOOR_CLIENT_IDS', {
    default: '',
    pattern: /^[^=,]+=[^=,\s]+(,[^=,]+=[^=,\s]+)*$/,
    expected: 'names with client ids like Opera=CLIENT_ID, separated by commas',
  }),
};

const queues = [
  requireQueue('tickets.orders.v1'),
  requireQueue('tickets.contact-erased.v1'),
  requireQueue('tickets.performances.v1'),
];

/** It calls no other service. */
export const tickets: ServiceDefinition<typeof settings, Context> = {
  name: 'tickets',
  version: readVersion(import.meta.url),
  currentFacts,
  facts: { schemas, examples },
  settings,
  collections,
  retention: () => retention,
  queues,
  prepare: ({ store, serviceSecret, logger, settings: { ticketFontsDirectory: fontsDirectory } }) =>
    createContext(store, serviceSecret, Date.now, { fontsDirectory, logger }),
  tags: { tickets: 'Tickets of confirmed orders: documents, printing, replacement and the control at the door.' },
  operations: (_parts, context) => createRoutes(context),
  front: createDoorFront,
  reactions: (_parts, context) => queues.map((queue) => ({ queue, handle: reactTo(context) })),
  background: ({ store, logger }, context) => {
    const resume = () => resumeInterruptedReplacements(context);
    // Not where nothing was written since what is due then was found.
    const sweep = repeat(skipWhenQuiet(store, INTERRUPTED_MS + 2 * SWEEP_MS, resume), {
      everyMs: SWEEP_MS,
      atOnce: true,
      failed: (error) =>
        logger.error('interrupted replacements of tickets could not be completed; the next run tries again', { error }),
    });
    return {
      async close() {
        await sweep.close();
        await context.drawing.close();
      },
    };
  },
};
