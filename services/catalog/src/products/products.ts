import { Fault } from '@boxoffice/envelope';
import { scheduleSoon, type WorkResult } from '@boxoffice/service';
import { type IdempotencyRecord, type Store, UniqueViolation } from '@boxoffice/store';
import {
  type Context,
  createContext,
  invalidateCatalog,
  readTimestamp,
  refuseProblems,
  requireInstitution,
  throwNotFound,
} from '../context.ts';
import { cancelForProduct, type PerformanceInput } from '../domain/performance.ts';
import {
  applyProductChange,
  buildProduct,
  findProductProblems,
  hasManyPerformances,
  listNextStates,
  mayBecome,
  type ProductDetails,
  type ProductState,
  selectLater,
} from '../domain/product.ts';
import { createPerformanceCancelledFact } from '../events.ts';
import { checkPerformances, listProductPerformances, writePerformance } from '../performances/performances.ts';
import { requireTax } from '../pricing/rules.ts';
import { readTicketFees, type TicketFees } from '../pricing/ticket-fees.ts';
import type { PerformanceDocument, ProductDocument } from '../store.ts';

export async function cancelPerformances(store: Store, product: ProductDocument): Promise<WorkResult> {
  const context = createContext(store, product.institution);
  await cancelWithProduct(context, product);
  await invalidateCatalog(context);
  return 'done';
}

/** Each performance has an event of its own; any number of processes may do it at once. */
const cancelWithProduct = async (context: Context, product: ProductDocument): Promise<void> => {
  const { collections } = context;
  const { id: productId } = product;
  const cancelledAt = pendingSince(product);
  if (cancelledAt === undefined) return;
  for (const { id } of await listProductPerformances(collections, productId)) {
    await collections.performances.update(id, (current) => {
      const next = cancelForProduct(current, cancelledAt, readTimestamp(context));
      return next && { next, events: [createPerformanceCancelledFact({ performanceId: id, productId, cancelledAt })] };
    });
  }
  // A client that read the product in between has seen performances that were not cancelled yet.
  await collections.products.update(productId, (current) => {
    if (pendingSince(current) === undefined) return undefined;
    const modifiedAt = selectLater(current.modifiedAt, readTimestamp(context));
    return { next: { ...current, modifiedAt }, due: { cancelPerformances: null } };
  });
};

/** Undefined: no performances are to be cancelled. */
const pendingSince = ({ state, cancelledAt, due }: ProductDocument): string | undefined =>
  state === 'cancelled' && due?.cancelPerformances ? cancelledAt : undefined;

export interface Offering {
  readonly product: ProductDocument;
  readonly performances: readonly PerformanceDocument[];
  readonly currency: string;
  readonly fees: TicketFees;
}

/** @throws Fault `not_found` */
export async function findOffering({ collections }: Context, id: string): Promise<Offering> {
  const [product, performances, institution] = await Promise.all([
    collections.products.get(id),
    listProductPerformances(collections, id),
    requireInstitution(collections),
  ]);
  const fees = await readTicketFees(collections, institution);
  return product ? { product, performances, currency: institution.currency, fees } : throwNotFound();
}

export interface NewOffering extends ProductDetails {
  readonly state: ProductState;
  readonly performances: readonly PerformanceInput[];
  /** If given, it must be the institution's. */
  readonly currency?: string | undefined;
}

/** Called once performances and currency are known. */
type RecordFor = (offering: (product: ProductDocument) => Offering) => IdempotencyRecord<ProductDocument> | undefined;

/**
 * Places are written first, then performances, then the product, without which no query finds the others. @throws Fault
 * `product_duplicate_code`, `semantically_invalid`, `conflict`
 */
export async function createProduct(
  context: Context,
  { state, performances: inputs, currency: wanted, ...details }: NewOffering,
  recordFor: RecordFor,
): Promise<Offering> {
  const { collections } = context;
  refuseProblems(findProductProblems(details));
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
  await requireTax(context, details.taxId);
  if ((await collections.products.count({ code: details.code })) > 0) duplicate(details.code);
  const fees = await readTicketFees(collections);
  const id = context.newId('prd');
  const performances: PerformanceDocument[] = [];
  for (const input of inputs) {
    performances.push(await writePerformance(context, { id, type: details.type }, input, currency));
  }
  const offering = (product: ProductDocument): Offering => ({ product, performances, currency, fees });
  const product = await collections.products
    .insert({ id, ...buildProduct(details, state, readTimestamp(context)) }, { idempotencyRecord: recordFor(offering) })
    .catch(onDuplicate(details.code));
  await invalidateCatalog(context);
  return offering(product);
}

const duplicate = (code: string): never => {
  throw new Fault('product_duplicate_code', `Another product has the code ${code}.`);
};

const onDuplicate = (code: string) => (error: unknown) =>
  error instanceof UniqueViolation && error.index === 'code' ? duplicate(code) : Promise.reject(error);

/**
 * `to` makes the new details and state, or throws to refuse; it is pure. `taxId`: what the change names. Performances that have not begun are cancelled
 * after the write. @throws Fault `not_found`, `product_duplicate_code`, `product_state_conflict`,
 * `semantically_invalid`
 */
export async function changeProduct(
  context: Context,
  id: string,
  to: (offering: Offering) => ProductDetails & { readonly state: ProductState },
  recordFor?: RecordFor,
  taxId?: string | null,
): Promise<Offering> {
  const { product: _, ...shown } = await findOffering(context, id);
  await requireTax(context, taxId);
  const offering = (product: ProductDocument): Offering => ({ product, ...shown });
  let code = '';
  const product = await context.collections.products
    .update(
      id,
      (current) => {
        const { state, ...details } = to(offering(current));
        code = details.code;
        refuseProblems([
          ...(details.type === current.type ? [] : ['$.type cannot be changed']),
          ...findProductProblems(details),
        ]);
        if (!mayBecome(current.state, state)) {
          const next = listNextStates(current.state).join(', ') || 'nothing else';
          throw new Fault('product_state_conflict', `A product that is ${current.state} can become: ${next}.`);
        }
        const now = readTimestamp(context);
        const changed = applyProductChange(current, details, state, now);
        if (state !== 'cancelled' || current.state === 'cancelled') return changed && { next: changed };
        return (
          changed && {
            next: { ...changed, cancelledAt: now },
            due: { cancelPerformances: scheduleSoon(context.now()) },
          }
        );
      },
      { idempotencyRecord: recordFor?.((written) => asCancelled(offering(written))) },
    )
    .catch((error: unknown) => onDuplicate(code)(error));
  if (!product) return throwNotFound();
  await cancelWithProduct(context, product);
  await invalidateCatalog(context);
  return asCancelled(offering(product));
}

const asCancelled = ({ product, performances, ...more }: Offering): Offering => {
  const since = pendingSince(product);
  const now = (one: PerformanceDocument) =>
    (since === undefined ? undefined : cancelForProduct(one, since, since)) ?? one;
  return { product, performances: performances.map(now), ...more };
};
