import { topology } from '@boxoffice/messaging';
import { type Logger, repeat, versionOf } from '@boxoffice/runtime';
import type { ServiceDefinition } from '@boxoffice/service';
import type { Store } from '@boxoffice/store';
import { currentFacts } from './current-facts.ts';
import { resumeCancellations } from './products/cancellation.ts';
import { announceInstitutions } from './provisioning/institutions.ts';
import { reactTo } from './reactions.ts';
import { routes } from './routes.ts';
import { collections, retention } from './store.ts';

/** The catalog service: institutions, products, performances, places, tariffs and points of sale. */
export const catalog: ServiceDefinition = {
  name: 'catalog',
  version: versionOf(import.meta.url),
  currentFacts,
  collections,
  retention: () => retention,
  tags: {
    catalog: 'Everything that is on sale, in one answer.',
    products: 'Shows, passes, memberships and goods.',
    performances: 'Dates of a product, with their seat categories, prices and places.',
    availability: 'How many places are free.',
    tariffs: 'Kinds of prices, such as full price or students.',
    'points-of-sale': 'Web shops and counters, each with what it sells.',
  },
  operations: ({ store }) => routes(store),
  queues: [topology.catalogReleases],
  reactions: ({ store }) => [{ queue: topology.catalogReleases, handle: reactTo(store) }],
  background: ({ store, logger }) => startBackground(store, logger),
};

const EVERY_MS = 30_000;

/**
 * At once and every 30 seconds, until it is closed: completes interrupted cancellations, and announces institutions that
 * a former release has created.
 */
export const startBackground = (store: Store, logger: Pick<Logger, 'error'>): { close(): Promise<void> } => {
  const loop = (work: (store: Store) => Promise<void>, failure: string) =>
    repeat(() => work(store), {
      everyMs: EVERY_MS,
      atOnce: true,
      failed: (error) => logger.error(`${failure}; the next run tries again`, { error }),
    });
  const loops = [
    loop(resumeCancellations, 'interrupted cancellations of products could not be completed'),
    loop(announceInstitutions, 'institutions could not be announced'),
  ];
  return {
    close: async () => {
      await Promise.all(loops.map((one) => one.close()));
    },
  };
};
