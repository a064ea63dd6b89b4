import { PosFault } from '@boxoffice/envelope';
import { ServiceRefusal } from '@boxoffice/service';
import { createCache } from '../clients/cache.ts';
import type { Catalog, PointOfSale } from '../clients/catalog.ts';

/** The syntax of a service host, in lower case; any other value is rejected without a call to the catalog. */
const HOST = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[0-9]{1,5})?$/;

/** Whether a text, in lower case, has the form of a service host. */
export const isServiceHost = (text: string): boolean => HOST.test(text);

/** Finds the point of sale that X-Service-Host names (specification, section 4, rule 5). */
export type FindPointOfSale = (serviceHost: string | undefined) => Promise<PointOfSale> | PointOfSale;

/**
 * A change of a point of sale takes effect within three seconds. While the catalog does not answer, its last answer is
 * valid for ten minutes, including that a host is unknown.
 */
const AGES = { maxAgeMs: 2_500, refreshMs: 1_000, staleMs: 600_000, max: 10_000 } as const;

/** Whether the catalog could not be reached or did not answer, as opposed to a refusal. */
const isNoRefusal = (error: unknown): boolean => !(error instanceof ServiceRefusal);

const unknown = () => new PosFault('context_invalid', 'X-Service-Host names no point of sale.');

/**
 * Creates the look-up with a bounded cache, also of unknown hosts. Throws PosFault `context_missing`,
 * `context_invalid`.
 */
export const createContext = (catalog: Pick<Catalog, 'pointOfSale'>, now: () => number = Date.now): FindPointOfSale => {
  const known = createCache<PointOfSale | undefined>({ ...AGES, isTransient: isNoRefusal, now });
  return (header) => {
    if (header === undefined || header === '')
      throw new PosFault('context_missing', 'The header X-Service-Host is absent.');
    const serviceHost = header.toLowerCase();
    if (!isServiceHost(serviceHost)) throw unknown();
    const found = known.get(serviceHost, async () => {
      const asOf = now();
      return { value: await catalog.pointOfSale(serviceHost), asOf };
    });
    const pointOfSale = ({ value }: { readonly value: PointOfSale | undefined }): PointOfSale => {
      if (!value) throw unknown();
      return value;
    };
    return 'then' in found ? found.then(pointOfSale) : pointOfSale(found);
  };
};
