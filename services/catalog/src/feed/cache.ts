import { computeAsOf } from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import { LRUCache } from 'lru-cache';
import type { Static } from 'typebox';
import { createContext, requireInstitution } from '../context.ts';
import { type ProductState, type ProductType, selectLater } from '../domain/product.ts';
import { findPerformancesByProduct } from '../performances/performances.ts';
import { type Fee, toFeeView } from '../pricing/fees.ts';
import { type Tax, toTaxView } from '../pricing/taxes.ts';
import { computeTicketFees } from '../pricing/ticket-fees.ts';
import { type Product, toProductView } from '../products/schemas.ts';
import { type Institution, toInstitutionView } from '../schemas.ts';
import type { Collections, InstitutionDocument } from '../store.ts';
import { type Tariff, toTariffView } from '../tariffs.ts';
import type { PublicProduct } from './projection.ts';
import { computeEtag, computePublicEtag, selectPublicTariffs, toPublicProduct, toPublicTariff } from './projection.ts';

type ProductView = Static<typeof Product>;
type PublicProductView = Static<typeof PublicProduct>;
type AnyView = ProductView | PublicProductView;

/** The ETag ignores `generatedAt` and `asOf`. */
export interface CatalogAnswer<View extends AnyView = ProductView> {
  readonly data: {
    readonly institution: Static<typeof Institution>;
    readonly products: View[];
    readonly tariffs: Static<typeof Tariff>[];
    readonly taxes: Static<typeof Tax>[];
    readonly fees: Static<typeof Fee>[];
    readonly removed: string[];
    readonly generatedAt: string;
    readonly asOf: string;
  };
  readonly etag: string;
}

interface CatalogQuery {
  readonly type?: ProductType;
  /** ISO 8601 UTC, inclusive. */
  readonly modifiedSince?: string;
}

interface Form<View extends AnyView> {
  readonly whole: CatalogAnswer<View>;
  readonly byType: Map<ProductType, CatalogAnswer<View>>;
  /** By product; ISO 8601 UTC. */
  readonly modifiedAt: ReadonlyMap<string, string>;
  readonly unshown: readonly ProductState[];
  readonly etagOf: (data: object) => string;
}

/** It was read after the institution's `catalogMark` had the value `mark`. */
interface Snapshot {
  readonly mark: string;
  readonly sequence: number;
  /** Epoch milliseconds. */
  readonly checkedAt: number;
  readonly buildMs: number;
  readonly full: Form<ProductView>;
  readonly public: Form<PublicProductView>;
}

/** A snapshot is read again after this time, in case a process died between its write and the new mark. */
const MAX_AGE_MS = 5_000;
/** The share of time that reading takes at most, however large the catalog is. */
const REFRESH_SHARE = 0.02;
const MAX_INSTITUTIONS = 200;

/**
 * Whether a cached catalog still holds is one look at the institution's document, whose mark every write changes; so it
 * is never older than the last acknowledged write, on any instance. `clock` in epoch milliseconds.
 */
export function createCatalogCache(store: Store, clock: () => number = Date.now) {
  const snapshots = new LRUCache<string, Snapshot>({ max: MAX_INSTITUTIONS });
  const reading = new Map<string, { readonly mark: string; readonly snapshot: Promise<Snapshot> }>();
  let sequence = 0;

  const reuse = <View extends AnyView>(known: Form<View>, fresh: Form<View>): Form<View> =>
    known.whole.etag === fresh.whole.etag ? { ...fresh, whole: known.whole, byType: known.byType } : fresh;

  const cache = (institution: string, snapshot: Snapshot): Snapshot => {
    const known = snapshots.get(institution);
    if (known && known.sequence > snapshot.sequence) return snapshot;
    // Same content: the answers are already serialised and compressed.
    const cached = known
      ? { ...snapshot, full: reuse(known.full, snapshot.full), public: reuse(known.public, snapshot.public) }
      : snapshot;
    snapshots.set(institution, cached);
    return cached;
  };

  const readAgain = (collections: Collections, institution: InstitutionDocument): Promise<Snapshot> => {
    const running = reading.get(institution.id);
    if (running?.mark === institution.catalogMark) return running.snapshot;
    sequence += 1;
    const snapshot = read(collections, institution, clock(), sequence).then((fresh) => cache(institution.id, fresh));
    const entry = { mark: institution.catalogMark, snapshot };
    reading.set(institution.id, entry);
    const forgetReading = () => {
      if (reading.get(institution.id) === entry) reading.delete(institution.id);
    };
    snapshot.then(forgetReading, forgetReading);
    return snapshot;
  };

  const current = async (collections: Collections): Promise<Snapshot> => {
    const institution = await requireInstitution(collections);
    const known = snapshots.get(institution.id);
    if (known?.mark !== institution.catalogMark) return readAgain(collections, institution);
    const maxAge = Math.max(MAX_AGE_MS, known.buildMs / REFRESH_SHARE);
    // A failed refresh is repeated, and reported, by the next request that finds a new mark.
    if (clock() - known.checkedAt > maxAge) readAgain(collections, institution).catch(() => undefined);
    return known;
  };

  const answer = async <View extends AnyView>(
    institution: string,
    { modifiedSince, ...query }: CatalogQuery,
    formOf: (snapshot: Snapshot) => Form<View>,
  ): Promise<CatalogAnswer<View>> => {
    const { collections } = createContext(store, institution);
    const snapshot = await current(collections);
    const form = formOf(snapshot);
    if (modifiedSince === undefined) return ofType(form, query.type);
    return changesIn(collections, form, { ...query, modifiedSince }, snapshot.checkedAt);
  };

  return {
    /** Includes every write acknowledged before the call. @throws Fault `not_found` for an unknown institution */
    of: (institution: string, query: CatalogQuery) => answer(institution, query, ({ full }) => full),
    publicOf: (institution: string, query: CatalogQuery) => answer(institution, query, (known) => known.public),
  };
}

const read = async (
  collections: Collections,
  institution: InstitutionDocument,
  now: number,
  sequence: number,
): Promise<Snapshot> => {
  const started = performance.now();
  const kinds = { in: ['tax', 'fee'] };
  const [products, tariffs, pointsOfSale, rules] = await Promise.all([
    collections.products.find({ where: { state: { in: ['running', 'suspended'] } }, orderBy: 'createdAt' }),
    collections.tariffs.find({ orderBy: 'createdAt' }),
    collections.pointsOfSale.find({ orderBy: 'createdAt' }),
    institution.priced ? collections.priceRules.find({ where: { 'rule.kind': kinds }, orderBy: 'createdAt' }) : [],
  ]);
  const performances = await findPerformancesByProduct(collections, products);
  const taxes = rules.flatMap(({ rule, ...more }) => (rule.kind === 'tax' ? toTaxView({ ...more, rule }) : []));
  const fees = rules.flatMap(({ rule, ...more }) =>
    rule.kind === 'fee' ? toFeeView({ ...more, rule }, institution.currency) : [],
  );
  const ticketFees = computeTicketFees(rules);
  const views = products.map((product) =>
    toProductView(product, performances.get(product.id) ?? [], institution.currency, ticketFees),
  );
  const common = {
    institution: toInstitutionView(institution),
    removed: [],
    generatedAt: new Date(now).toISOString(),
    asOf: computeAsOf(now),
  };
  const modifiedAt = new Map(
    products.map(({ id, modifiedAt }, index) => [
      id,
      // A change of fees may have changed what any place costs.
      [views[index]?.updatedAt ?? '', ticketFees.changedAt].reduce(selectLater, modifiedAt),
    ]),
  );
  const shown = selectPublicTariffs(tariffs, pointsOfSale, ticketFees);
  const publicViews = products.flatMap(
    (product) => toPublicProduct(product, performances.get(product.id) ?? [], institution.currency, shown) ?? [],
  );
  return {
    mark: institution.catalogMark,
    sequence,
    checkedAt: now,
    buildMs: performance.now() - started,
    full: {
      whole: answerOf({ ...common, products: views, tariffs: tariffs.map(toTariffView), taxes, fees }, computeEtag),
      byType: new Map(),
      modifiedAt,
      unshown: ['closed', 'cancelled'],
      etagOf: computeEtag,
    },
    public: {
      whole: answerOf(
        {
          ...common,
          products: publicViews,
          tariffs: tariffs.flatMap((tariff) => toPublicTariff(tariff, shown) ?? []),
          taxes,
          fees: fees.filter(({ channels }) => channels === null),
        },
        computePublicEtag,
      ),
      byType: new Map(),
      // A change of tariffs or points of sale may have changed the public prices of every product.
      modifiedAt: new Map(publicViews.map(({ id }) => [id, selectLater(modifiedAt.get(id) ?? '', shown.changedAt)])),
      unshown: ['suspended', 'closed', 'cancelled'],
      etagOf: computePublicEtag,
    },
  };
};

const answerOf = <View extends AnyView>(
  data: CatalogAnswer<View>['data'],
  etagOf: (data: object) => string,
): CatalogAnswer<View> => {
  const { generatedAt: _, asOf: __, ...rest } = data;
  return { data, etag: etagOf(rest) };
};

const ofType = <View extends AnyView>(
  { whole, byType, etagOf }: Form<View>,
  type: ProductType | undefined,
): CatalogAnswer<View> => {
  if (type === undefined) return whole;
  const known = byType.get(type);
  if (known) return known;
  const products = whole.data.products.filter((product) => product.type === type);
  const answer = answerOf({ ...whole.data, products }, etagOf);
  byType.set(type, answer);
  return answer;
};

/** `checkedAt`: when the form was read, in epoch milliseconds. */
const changesIn = async <View extends AnyView>(
  collections: Collections,
  form: Form<View>,
  { type, modifiedSince }: CatalogQuery & { readonly modifiedSince: string },
  checkedAt: number,
): Promise<CatalogAnswer<View>> => {
  const { data } = ofType(form, type);
  const unpublished = await collections.products.find({
    where: { state: { in: form.unshown }, modifiedAt: { gte: modifiedSince }, ...(type ? { type } : {}) },
    orderBy: 'modifiedAt',
  });
  const changed = data.products.filter(({ id }) => (form.modifiedAt.get(id) ?? '') >= modifiedSince);
  const shown = new Set(data.products.map(({ id }) => id));
  const removed = unpublished
    .filter(({ id, publishedAt }) => publishedAt !== null && !shown.has(id))
    .map(({ id }) => id);
  // This snapshot's `asOf`: the cached answer may come from an earlier reading with the same content.
  return answerOf({ ...data, products: changed, removed, asOf: computeAsOf(checkedAt) }, form.etagOf);
};

export type CatalogCache = ReturnType<typeof createCatalogCache>;
