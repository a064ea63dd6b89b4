import {
  type Announced,
  announceWrites,
  type CurrentFacts,
  type Retentions,
  repeatAnnouncement,
} from '@boxoffice/service';
import {
  collection,
  type Document,
  keepByKey,
  type Looks,
  readAllDocuments,
  type Store,
  toDue,
} from '@boxoffice/store';
import { clocks } from './clocks.ts';
import { ensureMeantStart } from './domain/clocks.ts';
import type { Performance } from './domain/performance.ts';
import type { Place } from './domain/place.ts';
import type { PointOfSale, ProviderKeys, ReceiptHead } from './domain/point-of-sale.ts';
import type { PriceRule, RuleDetails } from './domain/pricing.ts';
import type { Product } from './domain/product.ts';
import type { Institution, Tariff } from './domain/tariff.ts';
import {
  announcePerformance,
  announceProduct,
  createInstitutionChangedFact,
  createPerformanceCancelledFact,
  createPerformanceMovedFact,
  createPlacesReleasedFact,
  INSTITUTION_CHANGED,
  PERFORMANCE_CANCELLED,
  PERFORMANCE_MOVED,
  PERFORMANCE_RECORDED,
  PLACES_RELEASED,
  type PlacesReleased,
  PRODUCT_RECORDED,
  toPerformanceEventData,
  toProductEventData,
} from './events.ts';

/**
 * `catalogMark` changes after every write that the catalog's answer depends on; only the program that creates demo data
 * sets `demo`. `announced`: an instance of release 0.3 publishes what lacks it.
 */
export type InstitutionDocument = Document &
  Institution & {
    readonly catalogMark: string;
    readonly createdAt: string;
    readonly demo?: boolean;
    readonly announced?: boolean;
    /** Set before its first tax, fee or discount is written: an institution without it has none. */
    readonly priced?: boolean;
    /** Of points of sale without one of their own, and of sales without a point of sale. */
    readonly receipt?: ReceiptHead | null;
  };
/** `cancelledAt` (ISO 8601 UTC) is absent in those of release 0.3.0 and before. */
export type ProductDocument = Announced & Product & { readonly cancelledAt?: string };
export type TariffDocument = Document & Tariff;
/**
 * A tax, a fee or a discount. Of discounts: the uses in stock, of which `made` were ever made; `limitClaim`: the claims
 * of a written change of their number, until they are applied; the batches of codes that are not shown yet.
 */
export type RuleDocument<Details extends RuleDetails = RuleDetails> = Document &
  PriceRule<Details> & {
    readonly pool?: { readonly capacity: number; readonly made: number };
    readonly limitClaim?: string | null;
    readonly batches?: readonly { readonly batchId: string; readonly createdAt: string }[];
  };
/** The id follows from institution and code; its uses in stock are a pool with this id. */
export type CodeDocument = Document & {
  readonly discountId: string;
  readonly batchId: string;
  /** As it was given. */
  readonly code: string;
  readonly maxUses: number | null;
  readonly state: 'active' | 'withdrawn';
  /** ISO 8601 UTC; null until its whole batch exists: then it reads like what was never made. */
  readonly createdAt: string | null;
  /** Absent once the batch exists. */
  readonly makingSince?: string | undefined;
};
/** The id is the service host. */
export type PointOfSaleDocument = Document & PointOfSale;
/** One per institution and provider; `changedAt` (ISO 8601 UTC): when the keys changed. */
export type PaymentProviderDocument = Document & ProviderKeys & { readonly changedAt: string };
export type PlaceDocument = Document & Place;

/** One document per order and cause, so that the event is published once. */
type ReleaseDocument = Document & PlacesReleased & { readonly createdAt: string };

/** `capacityClaim`: the claims of a written change of its capacity, until they are applied. */
export type PerformanceDocument = Announced & Performance & { readonly capacityClaim?: string | null };

const inOrderOfCreation = { name: 'created', fields: ['createdAt'] } as const;

export const institutions = collection<InstitutionDocument>('institutions', [
  { name: 'announced', fields: ['announced'], acrossInstitutions: true },
]);

const withDue = (stored: ProductDocument & { readonly cancelling?: string | null }): ProductDocument => {
  if (stored.cancelling == null) return stored;
  const { cancelling: cancelledAt, ...product } = stored;
  return {
    ...product,
    cancelledAt,
    due: { ...toDue({ cancelPerformances: Date.parse(cancelledAt) }), ...product.due },
  };
};

/** Selects by the index of release 0.3.0. */
export const CANCELLED_BY_0_3 = { where: { cancelling: { gt: '' } } } as const;

export const products = collection<ProductDocument>(
  'products',
  [
    { name: 'code', fields: ['code'], unique: true },
    inOrderOfCreation,
    { name: 'type', fields: ['type', 'createdAt'] },
    { name: 'type_end', fields: ['type', 'endDate'] },
    { name: 'state', fields: ['state', 'createdAt'] },
    { name: 'modified', fields: ['modifiedAt'] },
    { name: 'cancelling', fields: ['cancelling'], acrossInstitutions: true },
  ],
  { work: ['cancelPerformances'], upgrade: withDue },
);

/** Release 0.3.0 stores it; it is written if it is to `settle`. */
interface CapacityChangeOf03 {
  readonly capacityChange?: { readonly token: string; readonly settle: boolean } | null;
}

const withCapacityClaim = (stored: PerformanceDocument & CapacityChangeOf03): PerformanceDocument => {
  if (stored.capacityChange == null) return stored;
  const { capacityChange, ...performance } = stored;
  // What is not written ends by itself.
  if (!capacityChange.settle) return performance;
  const due = { ...toDue({ applyCapacity: Date.parse(performance.updatedAt) }), ...performance.due };
  return { ...performance, capacityClaim: capacityChange.token, due };
};

export const performances = collection<PerformanceDocument>(
  'performances',
  [
    { name: 'product', fields: ['productId', 'createdAt'] },
    { name: 'start', fields: ['startDate'] },
    { name: 'product_start', fields: ['productId', 'startDate'] },
    { name: 'state_start', fields: ['state', 'startDate'] },
    { name: 'duration', fields: ['durationMinutes', 'startDate'] },
    { name: 'sole', fields: ['soleOf'], unique: true },
    { name: 'meant', fields: ['meantStart.release'], acrossInstitutions: true },
  ],
  { work: ['applyCapacity'], upgrade: (stored) => ensureMeantStart(withCapacityClaim(stored), clocks) },
);

export const tariffs = collection<TariffDocument>('tariffs', [
  { name: 'code', fields: ['code'], unique: true },
  inOrderOfCreation,
]);

export const priceRules = collection<RuleDocument>(
  'price_rules',
  [
    // Discounts have no code.
    { name: 'code', fields: ['rule.kind', 'rule.code'], unique: true },
    { name: 'created', fields: ['rule.kind', 'createdAt'] },
    { name: 'applies', fields: ['applies'] },
  ],
  { work: ['applyLimit', 'showCodes'] },
);

export const discountCodes = collection<CodeDocument>('discount_codes', [
  { name: 'created', fields: ['discountId', 'createdAt'] },
  { name: 'batch', fields: ['discountId', 'batchId', 'createdAt'] },
  { name: 'state', fields: ['discountId', 'state', 'createdAt'] },
  { name: 'making', fields: ['makingSince'], acrossInstitutions: true },
]);

export const pointsOfSale = collection<PointOfSaleDocument>('points_of_sale', [
  { name: 'host', fields: ['serviceHost'], unique: true, acrossInstitutions: true },
  inOrderOfCreation,
]);

export const paymentProviders = collection<PaymentProviderDocument>('payment_providers', []);

export const places = collection<PlaceDocument>('places', [
  { name: 'stock', fields: ['performanceId', 'seatCategoryId', 'freeFrom', 'position'] },
  { name: 'order', fields: ['performanceId', 'order'] },
  { name: 'holder', fields: ['holder', 'request'] },
]);

export const releases = collection<ReleaseDocument>('releases', [
  { name: 'created', fields: ['createdAt'], acrossInstitutions: true },
]);

export const collections = [
  institutions,
  products,
  performances,
  tariffs,
  priceRules,
  discountCodes,
  pointsOfSale,
  paymentProviders,
  places,
  releases,
];

const opened = new WeakMap<Store, (institution: string) => Collections>();

/** The only way to the store. Writes to products and performances announce what partners hear of. */
export function openCollections(store: Store, institution: string): Collections {
  const known = opened.get(store);
  if (known) return known(institution);
  const open = keepByKey((one) => makeCollections(store, one));
  opened.set(store, open);
  return open(institution);
}

const makeCollections = (store: Store, institution: string) => {
  return {
    institution,
    institutions: store.collection(institutions).of(institution),
    products: announceWrites(store.collection(products), PRODUCT_RECORDED, announceProduct).of(institution),
    performances: announceWrites(store.collection(performances), PERFORMANCE_RECORDED, announcePerformance).of(
      institution,
    ),
    tariffs: store.collection(tariffs).of(institution),
    priceRules: store.collection(priceRules).of(institution),
    discountCodes: store.collection(discountCodes).of(institution),
    pointsOfSale: store.collection(pointsOfSale).of(institution),
    paymentProviders: store.collection(paymentProviders).of(institution),
    places: store.collection(places).of(institution),
    releases: store.collection(releases).of(institution),
    getTogether: <All extends Looks>(looks: All) => store.getTogether(institution, looks),
  };
};

export type Collections = ReturnType<typeof makeCollections>;

const DAY_MS = 24 * 60 * 60_000;

/** A redelivered event, also from a dead-letter queue, finds the release until then. */
const RELEASE_RETENTION_MS = 30 * DAY_MS;

/** Much longer than the work that completes a batch may be delayed. */
const UNFINISHED_RETENTION_MS = DAY_MS;

export const retention: Retentions = {
  institutions: { retained: 'for good' },
  products: { retained: 'for good; `closed` and `cancelled` ones, too, since orders name them' },
  performances: { retained: 'as long as their products' },
  tariffs: { retained: 'for good' },
  price_rules: { retained: 'for good, since orders name them' },
  discount_codes: {
    retained: 'for good; of a batch that was never completed a day (`UNFINISHED_RETENTION_MS`)',
    ends: [{ field: 'makingSince', iso: true, afterMs: UNFINISHED_RETENTION_MS }],
  },
  points_of_sale: { retained: 'for good' },
  payment_providers: { retained: 'for good; says of each provider whether there are keys' },
  places: { retained: 'as long as their performances; uses of discounts and codes for good' },
  releases: {
    retained: '30 days (`RELEASE_RETENTION_MS`)',
    ends: [{ field: 'createdAt', iso: true, afterMs: RELEASE_RETENTION_MS }],
  },
};

/** They serve republishing after a restore. */
export const currentFacts: CurrentFacts = {
  types: [
    INSTITUTION_CHANGED,
    PERFORMANCE_CANCELLED,
    PERFORMANCE_MOVED,
    PLACES_RELEASED,
    PRODUCT_RECORDED,
    PERFORMANCE_RECORDED,
  ],
  async *read(store) {
    for await (const current of readAllDocuments(store.collection(institutions))) {
      const { id, institution, version, createdAt } = current;
      yield {
        ...createInstitutionChangedFact(id, current),
        institution,
        key: id,
        version,
        changedAt: Date.parse(createdAt),
      };
    }
    for await (const product of readAllDocuments(store.collection(products))) {
      const { id: key, institution, version, modifiedAt } = product;
      const last = repeatAnnouncement(product, PRODUCT_RECORDED, {
        resource: 'product',
        data: toProductEventData(product),
      });
      if (last) yield { ...last, institution, key, version, changedAt: Date.parse(modifiedAt) };
    }
    for await (const performance of readAllDocuments(store.collection(performances))) {
      const { id, institution, version, productId, state, updatedAt, movedAt } = performance;
      const shown = { resource: 'performance', data: toPerformanceEventData(performance) };
      const last = repeatAnnouncement(performance, PERFORMANCE_RECORDED, shown);
      if (last) yield { ...last, institution, key: id, version, changedAt: Date.parse(performance.modifiedAt) };
      if (movedAt !== undefined)
        yield {
          ...createPerformanceMovedFact(performance),
          institution,
          key: id,
          version,
          changedAt: Date.parse(movedAt),
        };
      if (state !== 'cancelled') continue;
      const fact = createPerformanceCancelledFact({ performanceId: id, productId, cancelledAt: updatedAt });
      yield { ...fact, institution, key: id, version, changedAt: Date.parse(updatedAt) };
    }
    for await (const release of readAllDocuments(store.collection(releases))) {
      const { institution, version, orderId, cause, placeIds, createdAt } = release;
      const fact = createPlacesReleasedFact({ orderId, cause, placeIds, placesReleased: release.placesReleased });
      yield { ...fact, institution, key: orderId, version, changedAt: Date.parse(createdAt) };
    }
  },
};
