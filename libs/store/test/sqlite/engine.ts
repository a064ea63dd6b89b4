import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../src/conformance/index.ts';
import { type Collection, type Document, openSqliteStores, type Store } from '../../src/index.ts';

/** Opens one instance with its own writer thread, as another process would. */
export async function openStore(
  { directory }: { directory: string },
  collections: readonly Collection<Document>[],
): Promise<Store> {
  const stores = openSqliteStores({ directory });
  try {
    const store = await stores.open('suite', collections);
    return { ...store, close: () => stores.close() };
  } catch (error) {
    await stores.close();
    throw error;
  }
}

/** The SQLite engine on a new, empty directory. */
export async function createSqliteEngine(): Promise<Engine> {
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-store-'));
  return {
    open: (collections) => openStore({ directory }, collections),
    child: { module: import.meta.url, settings: { directory } },
    async remove() {
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
