import { topology } from '@boxoffice/messaging';
import { directory, versionOf } from '@boxoffice/runtime';
import type { ServiceDefinition } from '@boxoffice/service';
import { type Context, createContext } from './context.ts';
import { currentFacts } from './current-facts.ts';
import { startOverdue } from './issue/overdue.ts';
import { onContactErased } from './reactions/contact-erased.ts';
import { onOrderCancelled } from './reactions/order-cancelled.ts';
import { ORDER_CONFIRMED, onOrderConfirmed } from './reactions/order-confirmed.ts';
import { onPerformanceMoved } from './reactions/performance-moved.ts';
import { startSweep } from './replacement/sweep.ts';
import { routes } from './routes.ts';
import { collections, retention } from './store.ts';

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
  background: ({ logger }, context) => {
    const sweep = startSweep(context, logger);
    const overdue = startOverdue(context, logger);
    return {
      async close() {
        await sweep.close();
        await overdue.close();
        await context.drawing.close();
      },
    };
  },
};
