import type { BoxofficeClient, Product, SeatCategoryAvailability } from '@boxoffice/client';

/** A partner's copy of the catalogue and of what is free. */
export interface Mirror {
  readonly products: ReadonlyMap<string, Product>;
  readonly availability: ReadonlyMap<string, readonly SeatCategoryAvailability[]>;
  /** Ends with the error of the mirror, if it failed. */
  close(): Promise<void>;
}

/** Performances of one request for availability at most. */
const AT_ONCE = 200;

/** Reads everything, then what events name: many events that arrive together cost one reading. */
export const openMirror = async (client: BoxofficeClient): Promise<Mirror> => {
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
