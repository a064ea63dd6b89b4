import type { AnyOperation } from '@boxoffice/http';
import { queueNamed } from '@boxoffice/messaging';
import { directory, repeat, text, versionOf } from '@boxoffice/runtime';
import type { ServiceDefinition } from '@boxoffice/service';
import { unlessQuiet } from '@boxoffice/store';
import { keyRoutes } from './barcode/routes.ts';
import { type Context, contextIn, createContext, createContextOf } from './context.ts';
import { createDoorFront } from './control/door-files.ts';
import { controlRoutes } from './control/routes.ts';
import { scanRoutes } from './control/scan-routes.ts';
import { statusRoutes } from './control/status-routes.ts';
import { documentRoutes } from './document/routes.ts';
import { currentFacts, examples, schemas } from './events.ts';
import { issueOverdue, OVERDUE_MS } from './issue/issue.ts';
import { internalRoutes } from './issue/routes.ts';
import { reactTo } from './reactions.ts';
import { collections, retention } from './store.ts';
import { printingRoutes } from './tickets/printing.ts';
import { INTERRUPTED_MS, replacementRoutes, resumeInterrupted } from './tickets/replacement.ts';
import { ticketRoutes } from './tickets/routes.ts';
import { shopRoutes } from './tickets/shop.ts';

const SWEEP_MS = 10_000;

const settings = {
  /** Fonts of the installation, for letters that the product's own lack. */
  ticketFontsDirectory: directory('TICKET_FONTS_DIR', { default: '/usr/share/fonts' }),
  /** The clients at which stewards sign in at /door/, by the name that the page shows. */
  doorClientIds: text('DOOR_CLIENT_IDS', {
    default: '',
    pattern: /^[^=,]+=[^=,\s]+(,[^=,]+=[^=,\s]+)*$/,
    expected: 'names with client ids like Opera=CLIENT_ID, separated by commas',
  }),
};

const queues = [
  queueNamed('tickets.orders.v1'),
  queueNamed('tickets.contact-erased.v1'),
  queueNamed('tickets.performances.v1'),
];

/** The tickets service: issue, printing, beneficiary, control. It calls no other service. */
export const tickets: ServiceDefinition<typeof settings, Context> = {
  name: 'tickets',
  version: versionOf(import.meta.url),
  currentFacts,
  facts: { schemas, examples },
  settings,
  collections,
  retention: () => retention,
  queues,
  prepare: ({ store, serviceSecret, logger, settings: { ticketFontsDirectory: fontsDirectory } }) =>
    createContext(store, serviceSecret, Date.now, { fontsDirectory, logger }),
  tags: {
    tickets: 'Tickets of confirmed orders: documents, printing, replacement and the control at the door.',
  },
  operations: (_parts, context) => routes(context),
  front: createDoorFront,
  reactions: (_parts, context) => queues.map((queue) => ({ queue, handle: reactTo(context) })),
  background: ({ store, logger }, context) => {
    /** At once and then regularly; not where nothing was written since what is due after `dueMs` was found. */
    const sweep = (dueMs: number, work: () => Promise<void>, failure: string) =>
      repeat(unlessQuiet(store, dueMs + 2 * SWEEP_MS, work), {
        everyMs: SWEEP_MS,
        atOnce: true,
        failed: (error) => logger.error(`${failure}; the next run tries again`, { error }),
      });
    const sweeps = [
      sweep(
        INTERRUPTED_MS,
        () => resumeInterrupted(context),
        'interrupted replacements of tickets could not be completed',
      ),
      sweep(OVERDUE_MS, () => issueOverdue(context, logger), 'overdue tickets could not be issued'),
    ];
    return {
      async close() {
        for (const one of sweeps) await one.close();
        await context.drawing.close();
      },
    };
  },
};

/** Every operation of the tickets service. Those of the institution API see what their caller may see. */
export function routes(context: Context): AnyOperation[] {
  const contextOf = createContextOf(context);
  return [
    ...ticketRoutes(contextOf),
    ...keyRoutes(context),
    ...documentRoutes(contextOf),
    ...replacementRoutes(contextOf),
    ...printingRoutes(contextOf),
    ...controlRoutes(contextOf),
    ...scanRoutes(contextOf),
    ...statusRoutes(contextOf),
    ...internalRoutes(context),
    // The pos service decides which user may see a ticket.
    ...shopRoutes(({ institution }) => contextIn(context, institution)),
  ];
}
