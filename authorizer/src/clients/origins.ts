// The web origins that may read answers of the institution API: those that clients and API keys name.

import { hash } from 'node:crypto';
import { type CollectionHandle, type Document, everyDocument, type Store, unlessQuiet } from '@boxoffice/store';
import { apiKeysCollection, clientsCollection } from '../store.ts';

interface Naming {
  readonly origins?: readonly string[];
  readonly redirectUris?: readonly string[];
  readonly deletedAt: string | null;
}

/** How far a reading goes back before the last one, because instances write with their own clocks. Milliseconds. */
const OVERLAP_MS = 30_000;

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d+)?$/;

/** The origin of a redirect URI as requests name it; undefined for private-use schemes (RFC 8252, 7.1). */
const originOf = (redirectUri: string): string | undefined => {
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined;
  return LOOPBACK.test(url.origin) ? `http://${url.hostname}:*` : url.origin;
};

const originsOf = ({ origins = [], redirectUris = [], deletedAt }: Naming): string[] =>
  deletedAt === null ? [...origins, ...redirectUris.flatMap((uri) => originOf(uri) ?? [])] : [];

const sourceOf = <Owner extends Document & Naming>(handle: CollectionHandle<Owner>) => ({
  all: () => everyDocument(handle),
  since: (at: number) =>
    handle.acrossInstitutions.find({ where: { changedAt: { gte: at - OVERLAP_MS } }, orderBy: 'changedAt' }),
});

/** Reads the origins that clients and API keys name. */
export type ReadOrigins = ReturnType<typeof createReadOrigins>;

/**
 * Makes the reader of the installation's origins as of its call, each once; a loopback one has the port `*`, since any
 * port matches. They are null if `mark`, which changes with them, is current. After its first call it reads only what has
 * changed. `now` in epoch milliseconds.
 */
export const createReadOrigins = (store: Store, now: () => number) => {
  const sources = [sourceOf(store.collection(clientsCollection)), sourceOf(store.collection(apiKeysCollection))];
  const byOwner = new Map<string, readonly string[]>();
  let readAt: number | undefined;
  let reading: Promise<void> | undefined;
  let current = { mark: '', origins: [] as readonly string[] };

  const record = (owner: Naming & { readonly id: string }): void => {
    const origins = originsOf(owner);
    if (origins.length > 0) byOwner.set(owner.id, origins);
    else byOwner.delete(owner.id);
  };

  const read = async (): Promise<void> => {
    const at = now();
    for (const source of sources) {
      if (readAt === undefined) for await (const owner of source.all()) record(owner);
      else for (const owner of await source.since(readAt)) record(owner);
    }
    readAt = at;
    const origins = [...new Set([...byOwner.values()].flat())].sort();
    current = { mark: hash('sha256', JSON.stringify(origins), 'base64url').slice(0, 22), origins };
  };

  const readNews = unlessQuiet(store, 0, read);

  return async (mark: string | undefined) => {
    reading ??= readNews().finally(() => {
      reading = undefined;
    });
    await reading;
    return { mark: current.mark, origins: current.mark === mark ? null : [...current.origins] };
  };
};
