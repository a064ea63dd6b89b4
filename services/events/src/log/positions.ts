import type { Store } from '@boxoffice/store';
import { eventsCollection, type NewEvent, retiredCollection } from '../store.ts';

/** The last recorded position of each resource. */
export interface Positions {
  /** The last recorded position, 0 if there is none; a remembered one suffices if it is at least `enough`. */
  of(institution: string, resourceId: string, enough: number): Promise<number>;
  /** Whether this process has recorded an event of the resource lately. */
  isRemembered(institution: string, resourceId: string): boolean;
  /** This process has recorded an event of the resource. */
  recorded(institution: string, event: NewEvent): void;
  /** Another process has appended to the log. */
  forget(institution: string): void;
}

/** Remembered resources per institution. */
const MOST = 10_000;

/** The id of the document that remembers a resource whose events were removed. */
export const retiredId = (institution: string, resourceId: string): string => `${institution}.${resourceId}`;

/** Looks positions up, and remembers those that this process has recorded itself. */
export const createPositions = (store: Pick<Store, 'collection'>): Positions => {
  const events = store.collection(eventsCollection);
  const retired = store.collection(retiredCollection);
  const remembered = new Map<string, Map<string, number>>();

  return {
    async of(institution, resourceId, enough) {
      const known = remembered.get(institution)?.get(resourceId);
      if (known !== undefined && known >= enough) return known;
      const last = { where: { 'resource.id': resourceId }, orderBy: 'sequence', descending: true, limit: 1 } as const;
      const [[event], past] = await Promise.all([
        events.of(institution).find(last),
        retired.of(institution).get(retiredId(institution, resourceId)),
      ]);
      return Math.max(event?.position ?? 0, past?.last ?? 0);
    },
    isRemembered: (institution, resourceId) => remembered.get(institution)?.has(resourceId) ?? false,
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
