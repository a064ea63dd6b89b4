import { topology } from '@boxoffice/messaging';
import { directory, repeat, versionOf } from '@boxoffice/runtime';
import type { ServiceDefinition } from '@boxoffice/service';
import { unlessQuiet } from '@boxoffice/store';
import { type Context, createContext } from './context.ts';
import { currentFacts } from './current-facts.ts';
import { issueOverdue, OVERDUE_MS } from './issue/overdue.ts';
import { onContactErased } from './reactions/contact-erased.ts';
import { onOrderCancelled } from './reactions/order-cancelled.ts';
import { ORDER_CONFIRMED, onOrderConfirmed } from './reactions/order-confirmed.ts';
import { onPerformanceMoved } from './reactions/performance-moved.ts';
import { INTERRUPTED_MS, resumeInterrupted } from './replacement/replace.ts';
import { routes } from './routes.ts';
import { collections, retention } from './store.ts';

const SWEEP_MS = 10_000;

const settings = {
  /** Fonts of the installation, for letters that the product's own lack. */
  ticketFontsDirectory: directory('TICKET_FONTS_DIR', { default: '/usr/share/fonts' }),
};

/** The tickets service: issue, printing, beneficiary, control. It calls no other service. */
export const tickets: ServiceDefinition<typeof settings, Context> = {
  name: 'tickets',
  version: versionOf(import.meta.url),
  currentFacts,
  settings,
  collections,
  retention: () => retention,
  queues: [topology.ticketsOrders, topology.ticketsContactErased, topology.ticketsPerformances],
  prepare: ({ store, serviceSecret, logger, settings: { ticketFontsDirectory: fontsDirectory } }) =>
    createContext(store, serviceSecret, Date.now, { fontsDirectory, logger }),
  tags: {
    tickets: 'Tickets of confirmed orders: documents, printing, replacement and the control at the door.',
  },
  operations: (_parts, context) => routes(context),
  reactions: (_parts, context) => [
    {
      queue: topology.ticketsOrders,
      handle: (message) =>
        message.type === ORDER_CONFIRMED ? onOrderConfirmed(context, message) : onOrderCancelled(context, message),
    },
    { queue: topology.ticketsContactErased, handle: (message) => onContactErased(context, message) },
    { queue: topology.ticketsPerformances, handle: (message) => onPerformanceMoved(context, message) },
  ],
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
