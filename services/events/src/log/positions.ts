import type { Store } from '@boxoffice/store';
import { eventsCollection, type NewEvent, retiredCollection } from '../store.ts';

/** The last recorded position of each resource. */
export interface Positions {
  /**
   * The last recorded position of each resource that has any. Remembered ones may be outdated, but for those of the
   * doubted resources, which are looked up.
   */
  of(institution: string, resourceIds: readonly string[], doubted?: ReadonlySet<string>): Promise<Map<string, number>>;
  /** This process has recorded an event of the resource. */
  recorded(institution: string, event: NewEvent): void;
  /** Another process has appended to the log. */
  forget(institution: string): void;
}

/** Remembered resources per institution. */
const MOST = 10_000;

/** Events read for each resource that is looked up together with others. */
const EACH = 20;

/** The id of the document that remembers a resource whose events were removed. */
export const retiredId = (institution: string, resourceId: string): string => `${institution}.${resourceId}`;

/** Looks positions up, and remembers those that this process has recorded itself. */
export const createPositions = (store: Pick<Store, 'collection'>): Positions => {
  const events = store.collection(eventsCollection);
  const retired = store.collection(retiredCollection);
  const remembered = new Map<string, Map<string, number>>();

  const newest = (institution: string, ids: readonly string[], limit: number) =>
    events.of(institution).find({
      where: { 'resource.id': ids.length === 1 ? (ids[0] ?? null) : { in: ids } },
      orderBy: 'sequence',
      descending: true,
      limit,
    });

  /** The newest event of each resource. */
  const newestOfEach = async (institution: string, ids: readonly string[]) => {
    const limit = ids.length === 1 ? 1 : ids.length * EACH;
    const found = await newest(institution, ids, limit);
    const seen = new Set(found.map(({ resource }) => resource.id));
    // Many events of one resource hide those of another.
    const hidden = found.length < limit ? [] : ids.filter((id) => !seen.has(id));
    return [...found, ...(await Promise.all(hidden.map((id) => newest(institution, [id], 1)))).flat()];
  };

  const lookUp = async (institution: string, ids: readonly string[], known: Map<string, number>): Promise<void> => {
    const ofRetired = new Map(ids.map((id) => [retiredId(institution, id), id]));
    const [found, past] = await Promise.all([
      newestOfEach(institution, ids),
      retired.of(institution).find({ where: { id: { in: [...ofRetired.keys()] } } }),
    ]);
    const raise = (id: string, position: number) => known.set(id, Math.max(known.get(id) ?? 0, position));
    for (const { resource, position } of found) raise(resource.id, position);
    for (const { id, last } of past) raise(ofRetired.get(id) ?? '', last);
  };

  return {
    async of(institution, resourceIds, doubted) {
      const own = remembered.get(institution);
      const known = new Map<string, number>();
      const unknown = new Set<string>();
      for (const id of resourceIds) {
        const position = doubted?.has(id) ? undefined : own?.get(id);
        if (position === undefined) unknown.add(id);
        else known.set(id, position);
      }
      if (unknown.size > 0) await lookUp(institution, [...unknown], known);
      return known;
    },
    recorded(institution, { resource: { id }, position }) {
      const own = remembered.get(institution) ?? new Map<string, number>();
      remembered.set(institution, own);
      own.delete(id);
      own.set(id, position);
      const [oldest] = own.keys();
      if (own.size > MOST && oldest !== undefined) own.delete(oldest);
    },
    forget: (institution) => void remembered.delete(institution),
  };
};
