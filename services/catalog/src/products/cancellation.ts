import type { Store } from '@boxoffice/store';
import { type Context, contextOf, invalidateCatalog, timestampOf } from '../context.ts';
import { cancelledWithProduct } from '../domain/performance.ts';
import { later } from '../domain/product.ts';
import { performanceCancelled } from '../events.ts';
import { performancesOf } from '../performances/performances.ts';
import { type ProductDocument, products } from '../store.ts';

// A cancelled product has many performances, each with an event of its own. The product is the commit point: the
// write that cancels it records a pending step (`cancelling`), which is cleared when all performances are cancelled.
// Any number of processes may run this concurrently.

/**
 * Completes the pending cancellation of a product: cancels its performances, then clears the step. No effect without
 * one.
 */
export const cancelPerformances = async (context: Context, product: ProductDocument): Promise<void> => {
  const { collections } = context;
  const { id: productId, cancelling } = product;
  if (!cancelling) return;
  for (const { id } of await performancesOf(collections, productId)) {
    await collections.performances.update(id, (current) => {
      const next = cancelledWithProduct(current, cancelling, timestampOf(context));
      return (
        next && { next, events: [performanceCancelled({ performanceId: id, productId, cancelledAt: cancelling })] }
      );
    });
  }
  // A new modifiedAt: a client that read the product in between has seen performances that were not cancelled yet.
  await collections.products.update(productId, (current) => {
    const modifiedAt = later(current.modifiedAt, timestampOf(context));
    return current.cancelling ? { next: { ...current, cancelling: null, modifiedAt } } : undefined;
  });
};

/** Completes cancellations whose process died; a single indexed query when there are none. */
export const resumeCancellations = async (store: Store): Promise<void> => {
  const { acrossInstitutions } = store.collection(products);
  const pending = { where: { cancelling: { gt: '' } }, orderBy: 'cancelling', limit: 100 };
  for (const product of await acrossInstitutions.find(pending)) {
    const context = contextOf(store, product.institution);
    await cancelPerformances(context, product);
    await invalidateCatalog(context);
  }
};
