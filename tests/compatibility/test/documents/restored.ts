import type { Collection, Document, New, Store } from '@boxoffice/store';
import { type Process, processes } from '../../src/processes.ts';
import { definitions } from '../../src/scenario/open-scenario.ts';
import { type Documents, releasedOf, type Stored } from '../../src/snapshot.ts';

/** Documents of every service at one moment, and the processes whose last release wrote them. */
export interface Moment {
  readonly writtenAt: number;
  /** By service and collection. */
  readonly stored: Record<string, Record<string, readonly Stored[]>>;
  /** The processes whose last release wrote its own part. */
  readonly of: string[];
}

const own = ({ collections }: Documents): Record<string, readonly Stored[]> =>
  Object.fromEntries(Object.entries(collections).map(([name, { documents }]) => [name, documents]));

/** The recording times of the last releases; processes released together share one. */
export const moments = (): Moment[] => {
  const all = new Map<number, Moment>();
  const released = processes
    .map((process: Process) => ({ name: process.name, documents: releasedOf(process)?.documents }))
    .filter((one): one is { name: string; documents: Documents } => one.documents !== undefined)
    .filter(({ documents }) => Object.keys(documents.collections).length > 0);
  for (const { name, documents } of released) {
    const moment = all.get(documents.writtenAt) ?? { writtenAt: documents.writtenAt, stored: {}, of: [] };
    all.set(documents.writtenAt, moment);
    for (const [other, collections] of Object.entries(documents.surroundings))
      moment.stored[other] ??= { ...collections };
    moment.stored[name] = own(documents);
    moment.of.push(name);
  }
  return [...all.values()];
};

const YEAR_MS = 366 * 86_400_000;

/** The same documents with times shifted to a later recording. */
const later = (value: unknown, by: number, writtenAt: number): unknown => {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value))
    return new Date(Date.parse(value) + by).toISOString();
  if (typeof value === 'number') return Math.abs(value - writtenAt) < YEAR_MS ? value + by : value;
  if (Array.isArray(value)) return value.map((one) => later(one, by, writtenAt));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, later(one, by, writtenAt)]));
};

const restore = async (store: Store, collection: Collection<Document>, documents: readonly Stored[]): Promise<void> => {
  // Unvalidated, as stored: the code that reads it is under test.
  const { upgrade: _upgrade, ...plain } = collection;
  const handle = store.collection(plain);
  const put = async ({ version, institution, ...document }: Stored): Promise<void> => {
    const mine = handle.of(institution);
    await mine.insert(document as New<Document>);
    for (let at = 1; at < Number(version); at += 1) await mine.update(document.id, (current) => ({ next: current }));
  };
  await Promise.all(documents.map(put));
};

/** Longer than the wait for a pending step, after which its process counts as dead. */
const AGE_MS = 30_000;

/** Returns the function that fills empty stores with the documents of a moment, shifted to half a minute ago. */
export const restoring =
  ({ stored, writtenAt }: Moment) =>
  async (stores: Readonly<Record<string, Store>>): Promise<void> => {
    const by = Date.now() - AGE_MS - writtenAt;
    for (const { name, collections } of Object.values(definitions)) {
      for (const collection of collections as readonly Collection<Document>[]) {
        const documents = stored[name]?.[collection.name] ?? [];
        const store = stores[name];
        if (store)
          await restore(
            store,
            collection,
            documents.map((one) => later(one, by, writtenAt) as Stored),
          );
      }
    }
  };
