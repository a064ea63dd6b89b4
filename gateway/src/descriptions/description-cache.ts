import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asDocument, type OpenApiDocument } from '../routing/description.ts';
import type { ServiceName } from '../services.ts';

/** A service's description and its validator. */
export interface Description {
  readonly document: OpenApiDocument;
  readonly etag: string | undefined;
}

/** Keeps the last description of each service that could be read, for a gateway that starts while a service is down. */
export interface DescriptionCache {
  /** Undefined if there is none, or none that can be read. */
  read(service: ServiceName): Promise<Description | undefined>;
  /** Rejects if it cannot be kept. */
  write(service: ServiceName, description: Description): Promise<void>;
}

/** Nothing is kept. */
export const noDescriptionCache: DescriptionCache = { read: async () => undefined, write: async () => undefined };

/** Keeps descriptions as files of a folder; each is replaced whole, so that a crash leaves the old one or the new one. */
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
