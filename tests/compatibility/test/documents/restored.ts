import type { Collection, Document, New, Store } from '@boxoffice/store';
import type { Recording, Stored } from '../../src/documents.ts';
import { definitions } from '../../src/scenario/open-scenario.ts';

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

/** Returns the function that fills empty stores with the recorded documents, shifted to half a minute ago. */
export const restoring =
  ({ stored, writtenAt }: Recording) =>
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
