import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asDocument, type OpenApiDocument } from '../routing/description.ts';

/** A service's description and its validator. */
export interface Description {
  readonly document: OpenApiDocument;
  readonly etag: string | undefined;
}

/** Stores the last usable description of each service, for a gateway that starts while a service is down. */
export interface DescriptionCache {
  /** Undefined if no readable description is stored. */
  read(service: string): Promise<Description | undefined>;
  /** Rejects if the description cannot be written. */
  write(service: string, description: Description): Promise<void>;
}

/** A cache that stores nothing. */
export const noDescriptionCache: DescriptionCache = { read: async () => undefined, write: async () => undefined };

/**
 * Stores descriptions as files of a folder. Each file is replaced atomically, so that a crash leaves the old or the new
 * one.
 */
export const createDescriptionCache = (folder: string): DescriptionCache => ({
  async read(service) {
    try {
      const stored = JSON.parse(await readFile(join(folder, `${service}.json`), 'utf8'));
      const { etag, document } = stored as { readonly etag?: unknown; readonly document?: unknown };
      return { document: asDocument(document), etag: typeof etag === 'string' ? etag : undefined };
    } catch {
      return undefined;
    }
  },
  async write(service, { etag, document }) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const draft = join(folder, `${service}.json.${process.pid}.${Date.now()}`);
    try {
      await writeFile(draft, JSON.stringify({ etag, document }), { mode: 0o600, flush: true });
      await rename(draft, join(folder, `${service}.json`));
    } finally {
      await rm(draft, { force: true });
    }
  },
});
