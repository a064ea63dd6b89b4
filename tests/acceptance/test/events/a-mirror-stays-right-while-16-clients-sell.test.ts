import { isDeepStrictEqual } from 'node:util';
import {
  type BoxofficeClient,
  type Product as CatalogProduct,
  createClient,
  type Product,
  type SeatCategoryAvailability,
} from '@boxoffice/client';
import { openConcurrentSale } from '@boxoffice/faults';
import { createFetch, waitUntil } from '@boxoffice/testkit';
import { beforeAll, expect, test } from '@jest/globals';
import { findDemoClient } from '../../src/product.ts';
import { useProduct } from '../product.ts';

/** A partner's copy of the catalogue and of what is free. */
interface Mirror {
  readonly products: ReadonlyMap<string, Product>;
  readonly availability: ReadonlyMap<string, readonly SeatCategoryAvailability[]>;
  /** Ends with the error of the mirror, if it failed. */
  close(): Promise<void>;
}

/** Performances of one request for availability at most. */
const AT_ONCE = 200;

/** Reads everything, then what events name: many events that arrive together cost one reading. */
const openMirror = async (client: BoxofficeClient): Promise<Mirror> => {
  const products = new Map<string, Product>();
  const availability = new Map<string, readonly SeatCategoryAvailability[]>();
  let modifiedSince: string | undefined;

  const readCatalogue = async (): Promise<void> => {
    const catalog = await client.getCatalog({ query: { ...(modifiedSince && { modifiedSince }) } });
    for (const product of catalog.products) products.set(product.id, product);
    for (const id of catalog.removed) products.delete(id);
    modifiedSince = catalog.asOf;
  };
  const readAvailability = async (performanceIds: readonly string[]): Promise<void> => {
    for (let start = 0; start < performanceIds.length; start += AT_ONCE) {
      const query = { performanceIds: performanceIds.slice(start, start + AT_ONCE).join(',') };
      const { items } = await client.listAvailability({ query });
      for (const { performanceId, seatCategories } of items) availability.set(performanceId, seatCategories);
    }
  };

  // The cursor first: what happens during the reading comes again as an event.
  const { nextCursor } = await client.listEvents();
  await readCatalogue();
  await readAvailability([...products.values()].flatMap(({ performances }) => performances.map(({ id }) => id)));

  const changed = new Set<string>();
  let isCatalogueChanged = false;
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    while (isCatalogueChanged || changed.size > 0) {
      const performanceIds = [...changed];
      changed.clear();
      if (isCatalogueChanged) {
        isCatalogueChanged = false;
        await readCatalogue();
      }
      await readAvailability(performanceIds);
    }
    reading = undefined;
  };

  const closing = new AbortController();
  const follow = async (): Promise<void> => {
    const types = ['product.*', 'performance.*', 'order.*'] as const;
    for await (const { type, resource, data } of client.events({ after: nextCursor, types, signal: closing.signal })) {
      if ('performanceIds' in data) for (const id of data.performanceIds) changed.add(id);
      else isCatalogueChanged = true;
      if (type.startsWith('performance.')) changed.add(resource.id);
      reading ??= read();
    }
  };
  const following = follow().catch((error: unknown) => {
    if (!closing.signal.aborted) throw error;
  });
  return {
    products,
    availability,
    async close() {
      closing.abort();
      await following;
      await reading;
    },
  };
};

// A partner's program, which knows the package and the documentation alone, beside clients that sell.

const product = useProduct({ RATE_LIMIT_PER_MINUTE: '1000000', ADDRESS_LIMIT_PER_MINUTE: '1000000' });
let client: BoxofficeClient;
beforeAll(() => {
  const { clientId, clientSecret } = findDemoClient(product, 'opera', 'full');
  client = createClient({
    baseUrl: product.address.baseUrl,
    fetch: createFetch(product.address),
    clientId,
    clientSecret,
  });
});

const byId = <T extends { readonly id: string }>(all: Iterable<T>): T[] =>
  [...all].sort((a, b) => (a.id < b.id ? -1 : 1));

/** What the mirror should be, read anew. */
const truth = async () => {
  const { products } = await client.getCatalog();
  const performanceIds = products.flatMap(({ performances }) => performances.map(({ id }) => id));
  const availability: Record<string, unknown> = {};
  for (let start = 0; start < performanceIds.length; start += 200) {
    const query = { performanceIds: performanceIds.slice(start, start + 200).join(',') };
    const { items } = await client.listAvailability({ query });
    for (const { performanceId, seatCategories } of items) availability[performanceId] = seatCategories;
  }
  return { products: byId(products), availability };
};

const mirrored = ({ products, availability }: Mirror, { availability: known }: Awaited<ReturnType<typeof truth>>) => ({
  products: byId(products.values()),
  // What is no longer published stays in the mirror's availability, unread.
  availability: Object.fromEntries([...availability].filter(([id]) => id in known)),
});

/** Changes that an institution makes while others sell: a name, a new performance, one that is cancelled. */
const changeCatalogue = async (products: readonly CatalogProduct[]): Promise<void> => {
  const [renamed, closed] = products.filter(
    ({ state, performances }) => state === 'running' && performances.length > 0,
  );
  if (!renamed || !closed) throw new Error('the catalogue has no two running products');
  await client.changeProduct({ path: { productId: renamed.id }, body: { name: { en: 'Renamed during the sale' } } });
  const [performance] = closed.performances;
  await client.changePerformance({
    path: { performanceId: String(performance?.id) },
    body: { durationMinutes: 91 },
  });
  const last = closed.performances.at(-1);
  await client.changePerformance({ path: { performanceId: String(last?.id) }, body: { state: 'cancelled' } });
};

test('a mirror of the catalogue and of its availability stays right while 16 clients sell', async () => {
  const mirror = await openMirror(client);
  const before = await truth();
  expect(mirrored(mirror, before)).toEqual(before);

  const partner = findDemoClient(product, 'opera', 'full');
  const sale = await openConcurrentSale(
    { address: product.address, partner },
    { reference: 'mirror', buyers: 16, capacity: 2_000 },
  );
  await changeCatalogue(before.products);
  await waitUntil(async () => sale.counts().ok > 300, { what: '300 requests of the sale', withinMs: 180_000 });
  await sale.end();

  // Once it is quiet, both agree; what was still under way comes as events.
  await waitUntil(
    async () => {
      const now = await truth();
      return isDeepStrictEqual(mirrored(mirror, now), now);
    },
    { what: 'the mirror to agree with the catalogue', everyMs: 500, withinMs: 180_000 },
  ).catch(async (error: unknown) => {
    const now = await truth();
    expect(mirrored(mirror, now)).toEqual(now);
    throw error;
  });
  expect(mirror.products.size).toBeGreaterThan(before.products.length);
  await mirror.close();
}, 600_000);
