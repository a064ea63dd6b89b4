import { Fault } from '@boxoffice/envelope';
import { type IdempotencyRecord, type Store, UniqueViolation } from '@boxoffice/store';
import {
  type Context,
  contextOf,
  institutionOf,
  invalidateCatalog,
  notFound,
  refuseProblems,
  timestampOf,
} from '../context.ts';
import { cancelledWithProduct, type PerformanceInput } from '../domain/performance.ts';
import {
  changedProduct,
  hasManyPerformances,
  later,
  mayBecome,
  newProduct,
  nextStates,
  type ProductDetails,
  type ProductState,
  productProblems,
} from '../domain/product.ts';
import { performanceCancelled } from '../events.ts';
import { checkPerformances, performancesOf, writePerformance } from '../performances/performances.ts';
import { type PerformanceDocument, type ProductDocument, products } from '../store.ts';

// A cancelled product has many performances, each with an event of its own. The product is the commit point: the
// write that cancels it records a pending step (`cancelling`), which is cleared when all performances are cancelled.
// Any number of processes may run this concurrently.

/**
 * Completes the pending cancellation of a product: cancels its performances, then clears the step. No effect without
 * one.
 */
const cancelPerformances = async (context: Context, product: ProductDocument): Promise<void> => {
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

/** A product with everything that its answer shows. */
export interface Offering {
  readonly product: ProductDocument;
  readonly performances: readonly PerformanceDocument[];
  readonly currency: string;
}

const duplicate = (code: string): never => {
  throw new Fault('product_duplicate_code', `Another product has the code ${code}.`);
};

const onDuplicate = (code: string) => (error: unknown) =>
  error instanceof UniqueViolation && error.index === 'code' ? duplicate(code) : Promise.reject(error);

/** A product and its performances. @throws Fault `not_found` */
export const findOffering = async ({ collections }: Context, id: string): Promise<Offering> => {
  const [product, performances, { currency }] = await Promise.all([
    collections.products.get(id),
    performancesOf(collections, id),
    institutionOf(collections),
  ]);
  return product ? { product, performances, currency } : notFound();
};

export interface NewOffering extends ProductDetails {
  readonly state: ProductState;
  readonly performances: readonly PerformanceInput[];
  /** If given, it must be the institution's. */
  readonly currency?: string | undefined;
}

/** Makes the idempotency record of a creation or change, once performances and currency are known. */
type RecordFor = (offering: (product: ProductDocument) => Offering) => IdempotencyRecord<ProductDocument> | undefined;

/**
 * Creates a product with its performances. Places are written first, then performances, then the product: without the
 * product, no query finds the others. @throws Fault `product_duplicate_code`, `semantically_invalid`, `conflict`
 */
export const createProduct = async (
  context: Context,
  { state, performances: inputs, currency: wanted, ...details }: NewOffering,
  recordFor: RecordFor,
): Promise<Offering> => {
  const { collections } = context;
  refuseProblems(productProblems(details));
  if (inputs.length > 1 && !hasManyPerformances(details.type)) {
    throw new Fault('conflict', 'A product that is not a show has exactly one performance.');
  }
  const { currency } = await checkPerformances(
    collections,
    details.type,
    inputs,
    (index) => `$.performances[${index}]`,
  );
  if (wanted !== undefined && wanted !== currency) {
    refuseProblems([`$.currency must be ${currency}, the currency of the institution`]);
  }
  if ((await collections.products.count({ code: details.code })) > 0) duplicate(details.code);
  const id = context.newId('prd');
  const performances: PerformanceDocument[] = [];
  for (const input of inputs) {
    performances.push(await writePerformance(context, { id, type: details.type }, input, currency));
  }
  const offering = (product: ProductDocument): Offering => ({ product, performances, currency });
  const product = await collections.products
    .insert({ id, ...newProduct(details, state, timestampOf(context)) }, { idempotencyRecord: recordFor(offering) })
    .catch(onDuplicate(details.code));
  await invalidateCatalog(context);
  return offering(product);
};

/** The offering after `cancelPerformances` has completed. */
const asCancelled = ({ product, performances, currency }: Offering): Offering => {
  const { cancelling } = product;
  const now = (one: PerformanceDocument) =>
    (cancelling ? cancelledWithProduct(one, cancelling, cancelling) : undefined) ?? one;
  return { product, performances: performances.map(now), currency };
};

/**
 * Changes a product. `to` makes the new details and state, or throws to refuse; it is pure. Its cancellation is one write; the performances that have not begun are cancelled after it, or
 * by `resumeCancellations` if this process dies.
 * @throws Fault `not_found`, `product_duplicate_code`, `product_state_conflict`, `semantically_invalid`
 */
export const changeProduct = async (
  context: Context,
  id: string,
  to: (offering: Offering) => ProductDetails & { readonly state: ProductState },
  recordFor?: RecordFor,
): Promise<Offering> => {
  const { performances, currency } = await findOffering(context, id);
  const offering = (product: ProductDocument): Offering => ({ product, performances, currency });
  let code = '';
  const product = await context.collections.products
    .update(
      id,
      (current) => {
        const { state, ...details } = to(offering(current));
        code = details.code;
        refuseProblems([
          ...(details.type === current.type ? [] : ['$.type cannot be changed']),
          ...productProblems(details),
        ]);
        if (!mayBecome(current.state, state)) {
          const next = nextStates(current.state).join(', ') || 'nothing else';
          throw new Fault('product_state_conflict', `A product that is ${current.state} can become: ${next}.`);
        }
        const now = timestampOf(context);
        const changed = changedProduct(current, details, state, now);
        const cancelling = state === 'cancelled' && current.state !== 'cancelled' ? { cancelling: now } : {};
        return changed && { next: { ...changed, ...cancelling } };
      },
      { idempotencyRecord: recordFor?.((written) => asCancelled(offering(written))) },
    )
    .catch((error: unknown) => onDuplicate(code)(error));
  if (!product) return notFound();
  await cancelPerformances(context, product);
  await invalidateCatalog(context);
  return asCancelled(offering(product));
};
