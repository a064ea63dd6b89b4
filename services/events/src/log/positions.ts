import type { Retentions } from '@boxoffice/service';
import { type Documents, insertUnlessTaken, type New, type Store } from '@boxoffice/store';
import {
  type EventDocument,
  eventsCollection,
  type NewEvent,
  RESOURCE_INDEX,
  type RetiredDocument,
  retiredCollection,
} from '../store.ts';

const MOST = 10_000;

/** Read for each resource that is looked up together with others. */
const EACH = 20;

interface Recorded {
  readonly events: Pick<Documents<EventDocument>, 'find'>;
  readonly retired: Pick<Documents<RetiredDocument>, 'find'>;
}

/** By the id of the resource; of those that have any. */
export async function findLastPositions(
  recorded: Recorded,
  institution: string,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const ofRetired = new Map(ids.map((id) => [deriveRetiredId(institution, id), id]));
  const [found, past] = await Promise.all([
    findNewestOfEach(recorded, ids),
    recorded.retired.find({ where: { id: { in: [...ofRetired.keys()] } } }),
  ]);
  const last = new Map<string, number>();
  const raise = (id: string, position: number) => last.set(id, Math.max(last.get(id) ?? 0, position));
  for (const { resource, position } of found) raise(resource.id, position);
  for (const { id, last: position } of past) raise(ofRetired.get(id) ?? '', position);
  return last;
}

/** Of the document that remembers a resource whose events were removed. */
const deriveRetiredId = (institution: string, resourceId: string): string => `${institution}.${resourceId}`;

/** Of those that have any. */
const findNewestOfEach = async ({ events }: Recorded, ids: readonly string[]): Promise<EventDocument[]> => {
  const newest = (some: readonly string[], limit: number) => {
    const id = some.length === 1 ? (some[0] ?? null) : { in: some };
    const where = { 'resource.id': id };
    return events.find({ where, orderBy: 'sequence', descending: true, limit, index: RESOURCE_INDEX });
  };
  const limit = ids.length === 1 ? 1 : ids.length * EACH;
  const found = await newest(ids, limit);
  const seen = new Set(found.map(({ resource }) => resource.id));
  // Many events of one resource hide those of another.
  const hidden = found.length < limit ? [] : ids.filter((id) => !seen.has(id));
  return [...found, ...(await Promise.all(hidden.map((id) => newest([id], 1)))).flat()];
};

/** Remembers positions that this process has recorded itself. */
export function createPositions(store: Pick<Store, 'collection'>) {
  const events = store.collection(eventsCollection);
  const retired = store.collection(retiredCollection);
  const remembered = new Map<string, Map<string, number>>();
  const lookUp = (institution: string, ids: readonly string[]) =>
    findLastPositions({ events: events.of(institution), retired: retired.of(institution) }, institution, ids);

  return {
    /**
     * Of each resource that has any. Remembered positions may be outdated, but for the doubted resources, which are
     * looked up; the unlooked ones are looked up only then.
     */
    async of(
      institution: string,
      resourceIds: readonly string[],
      { unlooked, doubted }: { readonly unlooked: ReadonlySet<string>; readonly doubted?: ReadonlySet<string> },
    ): Promise<Map<string, number>> {
      const own = remembered.get(institution);
      const known = new Map<string, number>();
      const unknown = new Set<string>();
      for (const id of resourceIds) {
        const isDoubted = doubted?.has(id) === true;
        const position = isDoubted ? undefined : own?.get(id);
        if (position !== undefined) known.set(id, position);
        else if (isDoubted || !unlooked.has(id)) unknown.add(id);
      }
      if (unknown.size === 0) return known;
      return new Map([...known, ...(await lookUp(institution, [...unknown]))]);
    },
    recorded(institution: string, { resource: { id }, position }: NewEvent): void {
      const own = remembered.get(institution) ?? new Map<string, number>();
      remembered.set(institution, own);
      own.delete(id);
      own.set(id, position);
      const [oldest] = own.keys();
      if (own.size > MOST && oldest !== undefined) own.delete(oldest);
    },
    /** Another process has appended to the log. */
    forget: (institution: string) => void remembered.delete(institution),
  };
}

/** Readers hide an event at the end of its retention by their own clocks, which may be behind. */
const SKEW_MS = 60_000;

type Retired = Documents<RetiredDocument>;

const raise = async (retired: Retired, { id, last }: New<RetiredDocument>): Promise<void> => {
  if (await insertUnlessTaken(retired, { id, last })) return;
  await retired.update(id, (current) => (current.last < last ? { next: { ...current, last } } : undefined));
};

/** Of the document that remembers the last sequence. */
export function deriveLastSequenceId(institution: string): string {
  return institution;
}

export function describeRetention(retentionMs: number): Retentions {
  return {
    events: {
      retained: '30 days (`EVENT_RETENTION_DAYS`)',
      ends: [{ field: 'recordedAt', afterMs: retentionMs + SKEW_MS }],
      along: (store, document) => retire(store, document as EventDocument),
    },
    waiting_facts: { retained: 'until the fact before has arrived' },
    client_contacts: { retained: 'for good, one per order of a client that named a contact: ids only' },
    retired_resources: {
      retained:
        'for good: of each resource whose events were removed the last position, of each institution the last sequence',
    },
  };
}

/** What the log still needs of an event that is about to be removed. */
const retire = async (store: Pick<Store, 'collection'>, event: EventDocument): Promise<void> => {
  const { institution, resource, position, sequence } = event;
  const retired = store.collection(retiredCollection).of(institution);
  await raise(retired, { id: deriveRetiredId(institution, resource.id), last: position });
  const events = store.collection(eventsCollection).of(institution);
  const [newest] = await events.find({ orderBy: 'sequence', descending: true, limit: 1 });
  if (newest === undefined || newest.sequence <= sequence)
    await raise(retired, { id: deriveLastSequenceId(institution), last: sequence });
};
