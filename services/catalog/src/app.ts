import { topology } from '@boxoffice/messaging';
import { versionOf } from '@boxoffice/runtime';
import type { ServiceDefinition } from '@boxoffice/service';
import { startBackground } from './background.ts';
import { currentFacts } from './current-facts.ts';
import { reactTo } from './reactions/dispatch.ts';
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
