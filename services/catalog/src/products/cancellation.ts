import { repeat } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { type Context, contextOf, invalidateCatalog, timestampOf } from '../context.ts';
import { cancelledWithProduct } from '../domain/performance.ts';
import { later } from '../domain/period.ts';
import { performanceCancelled } from '../events.ts';
import { performancesOf } from '../performances/performances.ts';
import { type ProductDocument, products } from '../store.ts';

// A cancelled product has many performances, each with a fact of its own. The product is the commit point: it is marked in the write
// that cancels it, and the mark goes when all its performances have followed. Any number of processes may do it at once.

/** Cancels the performances of a product that is marked, then ends the mark; nothing for any other. */
export const cancelPerformances = async (context: Context, product: ProductDocument): Promise<void> => {
  const { collections } = context;
  const { id: productId, cancelling } = product;
  if (!cancelling) return;
  for (const { id } of await performancesOf(collections, [productId])) {
    await collections.performances.update(id, (current) => {
      const next = cancelledWithProduct(current, cancelling, timestampOf(context));
      const fact = () => performanceCancelled({ performanceId: id, productId, cancelledAt: cancelling });
      return next && { next, events: [fact()] };
    });
  }
  // Modified once more: whoever read the product in between has seen performances that had not followed yet.
  await collections.products.update(productId, (current) => {
    const modifiedAt = later(current.modifiedAt, timestampOf(context));
    return current.cancelling ? { next: { ...current, cancelling: null, modifiedAt } } : undefined;
  });
};

/** Finishes what processes that died had begun; one indexed query if there is nothing. */
export const resumeCancellations = async (store: Store): Promise<void> => {
  const { acrossInstitutions } = store.collection(products);
  const marked = { where: { cancelling: { gt: '' } }, orderBy: 'cancelling', limit: 100 };
  for (const product of await acrossInstitutions.find(marked)) {
    const context = contextOf(store, product.institution);
    await cancelPerformances(context, product);
    await invalidateCatalog(context);
  }
};

const EVERY_MS = 30_000;

/** Finishes interrupted cancellations now and every half minute, until it is closed. */
export const startResuming = (
  store: Store,
  logger: { error(message: string, fields: { readonly error: unknown }): void },
): { close(): Promise<void> } =>
  repeat(() => resumeCancellations(store), {
    everyMs: EVERY_MS,
    atOnce: true,
    failed: (error) => logger.error('cancelled products could not be finished', { error }),
  });
