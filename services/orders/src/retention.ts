import type { Retentions } from '@boxoffice/service';
import { linksCollection, type OrderDocument } from './store.ts';

/**
 * A cart that was never bought is forgotten so long after its end: no shorter than a session lasts (SESSION_ABSOLUTE_SECONDS at most), so
 * the session that filled it never names a forgotten one. One that a later login took along is then an empty cart.
 */
const CART_RETENTION_MS = 24 * 60 * 60_000;

/** How long what this service stores is kept. */
export const retention: Retentions = {
  orders: {
    kept: 'for good; carts that were never bought a day after they ended (`CART_RETENTION_MS`)',
    ends: [{ field: 'abandonedAt', afterMs: CART_RETENTION_MS }],
    async along(store, document) {
      const { id, institution, performanceId, performanceIds } = document as OrderDocument;
      const links = store.collection(linksCollection).of(institution);
      const others = performanceIds.filter((other) => other !== performanceId);
      for (const other of others) await links.delete(`${id}.${other}`);
    },
  },
  performance_links: { kept: 'as long as their orders' },
  step_leases: { kept: 'an hour after their process ended (`LAPSED_KEPT_MS`)' },
};
