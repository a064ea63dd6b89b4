import { LRUCache } from 'lru-cache';
import type { Collections, InstitutionDocument } from '../store.ts';

const CACHED = ['performances', 'products', 'tariffs', 'pointsOfSale'] as const;

type Name = (typeof CACHED)[number];
type DocumentOf<N extends Name> = NonNullable<Awaited<ReturnType<Collections[N]['get']>>>;
type Read<N extends Name> = (id: string) => DocumentOf<N> | undefined | Promise<DocumentOf<N> | undefined>;

/** It was read after the institution's `catalogMark` had the value `mark`. */
interface Entry {
  readonly mark: string;
  readonly readAt: number;
  readonly document: DocumentOf<Name>;
}

const MAX_DOCUMENTS = 2_000;
/** Milliseconds: a process may have died between its write and the new mark. */
const MAX_AGE_MS = 5_000;

/**
 * Catalogue documents of a process, for as long as the mark of the institution, which every write changes before its
 * answer, is the one with which they were read. So none is older than the last acknowledged write, on any instance.
 */
export function createCatalogueCache() {
  const entries = new LRUCache<string, Entry>({ max: MAX_DOCUMENTS });

  return {
    /** `institution` was just read; without it nothing is cached. `now` in epoch milliseconds. */
    createReader(collections: Collections, institution: InstitutionDocument | undefined, now: number) {
      const { catalogMark: mark } = institution ?? {};
      return <N extends Name>(name: N): Read<N> => {
        const get = collections[name].get as (id: string) => Promise<DocumentOf<N> | undefined>;
        return (id) => {
          const key = JSON.stringify([name, collections.institution, id]);
          const known = entries.get(key);
          if (known && known.mark === mark && now - known.readAt <= MAX_AGE_MS) return known.document as DocumentOf<N>;
          return get(id).then((document) => {
            if (document && mark !== undefined && !isChanging(document))
              entries.set(key, { mark, readAt: now, document });
            return document;
          });
        };
      };
    },
  };
}

/** The claims of its capacity are applied without a new mark. */
const isChanging = (document: DocumentOf<Name>): boolean =>
  'capacityClaim' in document && document.capacityClaim != null;

export type CatalogueCache = ReturnType<typeof createCatalogueCache>;
