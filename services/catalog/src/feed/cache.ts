import { createHash } from 'node:crypto';
import { asOfReading } from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import { LRUCache } from 'lru-cache';
import type { Static } from 'typebox';
import { contextOf, institutionOf } from '../context.ts';
import { later } from '../domain/period.ts';
import type { ProductType } from '../domain/product.ts';
import { inBatches } from '../performances/make-places.ts';
import { performancesOf } from '../performances/performances.ts';
import type { Product } from '../products/schemas.ts';
import { productView } from '../products/view.ts';
import type { Collections, InstitutionDocument } from '../store.ts';
import type { Tariff } from '../tariffs/schemas.ts';
import { tariffView } from '../tariffs/view.ts';
import type { Institution } from './schemas.ts';

type ProductView = Static<typeof Product>;

/** The institution as answers show it. */
const institutionView = ({ id, name, currency, languages }: InstitutionDocument): Static<typeof Institution> => ({
  id,
  name,
  currency,
  languages: [...languages],
});

/** The data of a catalog answer, and an ETag that ignores `generatedAt` and `asOf`. */
export interface CatalogAnswer {
  readonly data: {
    readonly institution: ReturnType<typeof institutionView>;
    readonly products: ProductView[];
    readonly tariffs: Static<typeof Tariff>[];
    readonly removed: string[];
    readonly generatedAt: string;
    readonly asOf: string;
  };
  readonly etag: string;
}

export interface CatalogQuery {
  readonly type?: ProductType;
  /** ISO 8601 UTC, inclusive. */
  readonly modifiedSince?: string;
}

export interface CatalogCache {
  /**
   * The catalog, including every write acknowledged before the call.
   * @throws Fault `not_found` for an unknown institution
   */
  of(institution: string, query: CatalogQuery): Promise<CatalogAnswer>;
}

/** Everything that is published, read after the institution's `catalogMark` had the value `mark`. */
interface Snapshot {
  readonly mark: string;
  readonly sequence: number;
  /** Epoch milliseconds. */
  readonly checkedAt: number;
  readonly buildMs: number;
  readonly whole: CatalogAnswer;
  readonly modifiedAt: ReadonlyMap<string, string>;
  readonly byType: Map<ProductType, CatalogAnswer>;
}

/** A snapshot is read again after this time, in case a process died between its write and the new mark. */
const MAX_AGE_MS = 5_000;
/** The share of time that re-reading takes at most, however large the catalog is. */
const REFRESH_SHARE = 0.02;
const MAX_INSTITUTIONS = 200;

const answerOf = (data: CatalogAnswer['data']): CatalogAnswer => {
  const { generatedAt: _, asOf: __, ...rest } = data;
  return { data, etag: createHash('sha256').update(JSON.stringify(rest)).digest('base64url').slice(0, 27) };
};

const allPerformances = async (collections: Collections, productIds: readonly string[]) => {
  const found = [];
  for (const ids of inBatches(productIds, 500)) found.push(...(await performancesOf(collections, ids)));
  return Map.groupBy(found, ({ productId }) => productId);
};

const read = async (
  collections: Collections,
  institution: InstitutionDocument,
  now: number,
  sequence: number,
): Promise<Snapshot> => {
  const started = performance.now();
  const [products, tariffs] = await Promise.all([
    collections.products.find({ where: { state: { in: ['running', 'suspended'] } }, orderBy: 'createdAt' }),
    collections.tariffs.find({ orderBy: 'createdAt' }),
  ]);
  const performances = await allPerformances(
    collections,
    products.map(({ id }) => id),
  );
  const views = products.map((product) =>
    productView(product, performances.get(product.id) ?? [], institution.currency),
  );
  const whole = answerOf({
    institution: institutionView(institution),
    products: views,
    tariffs: tariffs.map(tariffView),
    removed: [],
    generatedAt: new Date(now).toISOString(),
    asOf: asOfReading(now),
  });
  return {
    mark: institution.catalogMark,
    sequence,
    checkedAt: now,
    buildMs: performance.now() - started,
    whole,
    modifiedAt: new Map(
      products.map(({ id, modifiedAt }, index) => [id, later(modifiedAt, views[index]?.updatedAt ?? '')]),
    ),
    byType: new Map(),
  };
};

const ofType = ({ whole, byType }: Snapshot, type: ProductType | undefined): CatalogAnswer => {
  if (type === undefined) return whole;
  const known = byType.get(type);
  if (known) return known;
  const answer = answerOf({ ...whole.data, products: whole.data.products.filter((product) => product.type === type) });
  byType.set(type, answer);
  return answer;
};

const since = async (
  collections: Collections,
  snapshot: Snapshot,
  type: ProductType | undefined,
  modifiedSince: string,
) => {
  const { data } = ofType(snapshot, type);
  const unpublished = await collections.products.find({
    where: { state: { in: ['closed', 'cancelled'] }, modifiedAt: { gte: modifiedSince }, ...(type ? { type } : {}) },
    orderBy: 'modifiedAt',
  });
  const changed = data.products.filter(({ id }) => (snapshot.modifiedAt.get(id) ?? '') >= modifiedSince);
  const shown = new Set(data.products.map(({ id }) => id));
  const removed = unpublished
    .filter(({ id, publishedAt }) => publishedAt !== null && !shown.has(id))
    .map(({ id }) => id);
  // The asOf of this snapshot: the cached answer may come from an earlier reading with the same content.
  return answerOf({ ...data, products: changed, removed, asOf: asOfReading(snapshot.checkedAt) });
};

/**
 * Keeps the catalog of each institution ready to be answered. Whether it still holds is one look at the institution's
 * document, whose mark every write changes; so it is never older than the last acknowledged write, on any instance.
 * `clock` in epoch milliseconds.
 */
export const createCatalogCache = (store: Store, clock: () => number = Date.now): CatalogCache => {
  const snapshots = new LRUCache<string, Snapshot>({ max: MAX_INSTITUTIONS });
  const reading = new Map<string, { readonly mark: string; readonly snapshot: Promise<Snapshot> }>();
  let sequence = 0;

  const cache = (institution: string, snapshot: Snapshot): Snapshot => {
    const known = snapshots.get(institution);
    if (known && known.sequence > snapshot.sequence) return snapshot;
    // Same content: reuse the answers, which are already serialised and compressed.
    const same = known?.whole.etag === snapshot.whole.etag;
    const cached = known && same ? { ...snapshot, whole: known.whole, byType: known.byType } : snapshot;
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
    const done = () => {
      if (reading.get(institution.id) === entry) reading.delete(institution.id);
    };
    snapshot.then(done, done);
    return snapshot;
  };

  const current = async (collections: Collections): Promise<Snapshot> => {
    const institution = await institutionOf(collections);
    const known = snapshots.get(institution.id);
    if (known?.mark !== institution.catalogMark) return readAgain(collections, institution);
    const maxAge = Math.max(MAX_AGE_MS, known.buildMs / REFRESH_SHARE);
    // A refresh in the background that fails is repeated, and reported, by the next request that finds a new mark.
    if (clock() - known.checkedAt > maxAge) readAgain(collections, institution).catch(() => undefined);
    return known;
  };

  return {
    async of(institution, { type, modifiedSince }) {
      const { collections } = contextOf(store, institution);
      const snapshot = await current(collections);
      return modifiedSince === undefined ? ofType(snapshot, type) : since(collections, snapshot, type, modifiedSince);
    },
  };
};
