import { isDeepStrictEqual } from 'node:util';
import { Fault } from '@boxoffice/envelope';
import { type IdempotencyRecord, type Store, UniqueViolation } from '@boxoffice/store';
import {
  type Context,
  invalidateCatalog,
  readMoneyRules,
  readTimestamp,
  refuseProblems,
  throwNotFound,
} from '../context.ts';
import {
  findPointOfSaleProblems,
  isPaymentProvider,
  type PaymentMethod,
  type PointOfSaleDetails,
} from '../domain/point-of-sale.ts';
import { type PointOfSaleDocument, pointsOfSale } from '../store.ts';
import { findLogoProblems } from './logo.ts';
import { listProviders } from './providers.ts';

/** @throws Fault `semantically_invalid`, `point_of_sale_duplicate_host` */
export async function createPointOfSale(
  context: Context,
  details: PointOfSaleDetails,
  idempotencyRecord?: IdempotencyRecord<PointOfSaleDocument>,
): Promise<PointOfSaleDocument> {
  refuseProblems(problemsOf(details, await readRules(context, details.tariffIds, details.paymentMethods)));
  const now = readTimestamp(context);
  const created = await context.collections.pointsOfSale
    .insert({ id: details.serviceHost, ...details, createdAt: now, updatedAt: now }, { idempotencyRecord })
    .catch((error: unknown) => {
      if (!(error instanceof UniqueViolation)) throw error;
      throw new Fault('point_of_sale_duplicate_host', 'Another point of sale has the same service host.');
    });
  await invalidateCatalog(context);
  return created;
}

/** `tariffIds`, `paymentMethods`: those that are looked up. */
const readRules = async (
  { collections }: Context,
  tariffIds: readonly string[],
  paymentMethods: readonly PaymentMethod[],
) => {
  const [rules, known] = await Promise.all([
    readMoneyRules(collections, tariffIds),
    paymentMethods.some(isPaymentProvider) ? listProviders(collections) : [],
  ]);
  return { ...rules, providers: new Set(known.map(({ provider }) => provider)) };
};

const problemsOf = (details: PointOfSaleDetails, rules: Parameters<typeof findPointOfSaleProblems>[1]): string[] => [
  ...findPointOfSaleProblems(details, rules),
  ...findLogoProblems(details.branding?.logo ?? null).map((problem) => `$.branding.logo ${problem}`),
];

/**
 * `named`: what the change names. `to` makes the new details, or throws to refuse; it is pure. @throws Fault
 * `not_found`, `semantically_invalid`
 */
export async function changePointOfSale(
  context: Context,
  serviceHost: string,
  named: Partial<Pick<PointOfSaleDetails, 'tariffIds' | 'paymentMethods'>>,
  to: (pointOfSale: PointOfSaleDocument) => PointOfSaleDetails,
  idempotencyRecord?: IdempotencyRecord<PointOfSaleDocument>,
): Promise<PointOfSaleDocument> {
  const rules = await readRules(context, named.tariffIds ?? [], named.paymentMethods ?? []);
  const written = await context.collections.pointsOfSale.update(
    serviceHost,
    (current) => {
      const next = to(current);
      // Tariffs are never deleted, so those of the current document exist.
      const known = new Set([...rules.tariffIds, ...current.tariffIds]);
      // Keys may have gone since; the method then is not offered, and stays where the methods do not change.
      const isUnchanged = isDeepStrictEqual(next.paymentMethods, current.paymentMethods);
      const providers = new Set([
        ...rules.providers,
        ...(isUnchanged ? next.paymentMethods.filter(isPaymentProvider) : []),
      ]);
      refuseProblems(problemsOf(next, { ...rules, tariffIds: known, providers }));
      return { next: { ...current, ...next, serviceHost: current.serviceHost, updatedAt: readTimestamp(context) } };
    },
    { idempotencyRecord },
  );
  if (!written) return throwNotFound();
  // Public prices are those of the tariffs that points of sale sell.
  await invalidateCatalog(context);
  return written;
}

/** Searches all institutions: the query is made before the institution is known. */
export function findPointOfSaleByHost(store: Store, serviceHost: string): Promise<PointOfSaleDocument | undefined> {
  return store.collection(pointsOfSale).acrossInstitutions.get(serviceHost.toLowerCase());
}

const MOST_SHOPS = 200;

/** A shop has a tariff and a payment method. */
export async function findShops(store: Store): Promise<readonly PointOfSaleDocument[]> {
  const found = await store.collection(pointsOfSale).acrossInstitutions.find({ limit: MOST_SHOPS });
  return found.filter(({ tariffIds, paymentMethods }) => tariffIds.length > 0 && paymentMethods.length > 0);
}
