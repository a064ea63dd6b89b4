import { hash } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import { normaliseOrigin, REDIRECT_URI_PATTERN, SECURE_ORIGIN_PATTERN, WEB_ADDRESSES } from '@boxoffice/http';
import { type CollectionHandle, type Document, readAllDocuments, type Store, skipWhenQuiet } from '@boxoffice/store';
import type { ClientType } from '../domain/client.ts';
import { apiKeysCollection, clientsCollection } from '../store.ts';

interface Uris {
  readonly redirectUris?: readonly string[] | null | undefined;
  readonly origins?: readonly string[] | null | undefined;
}

const [REDIRECT_URI, ORIGIN] = [new RegExp(REDIRECT_URI_PATTERN), new RegExp(SECURE_ORIGIN_PATTERN)];

/** Why a client cannot register this redirect URI; undefined if it can. A pattern does not know which `xn--` names exist. */
export function findRedirectUriProblem(uri: string, type: ClientType): string | undefined {
  if (!REDIRECT_URI.test(uri) || !URL.canParse(uri)) return WEB_ADDRESSES[REDIRECT_URI_PATTERN];
  const isOfWeb = uri.startsWith('https://') || uri.startsWith('http://');
  return isOfWeb || type === 'public' ? undefined : 'has a private-use scheme, which only a public client may have';
}

/** Why a client cannot register this origin, which is to be as browsers send it; undefined if it can. */
export function findOriginProblem(origin: string): string | undefined {
  return ORIGIN.test(origin) && normaliseOrigin(origin) === origin ? undefined : WEB_ADDRESSES[SECURE_ORIGIN_PATTERN];
}

/** Checks the redirect URIs and origins of a registration. @throws {Fault} validation_error, naming every wrong one */
export function checkUris({ redirectUris, origins }: Uris, type: ClientType): void {
  const listProblems = (member: string, list: readonly string[], findProblem: (uri: string) => string | undefined) =>
    list.flatMap((uri, index) => {
      const problem = findProblem(uri);
      return problem === undefined ? [] : [`$.${member}[${index}] ${problem}`];
    });
  const problems = [
    ...listProblems('redirectUris', redirectUris ?? [], (uri) => findRedirectUriProblem(uri, type)),
    ...listProblems('origins', origins ?? [], findOriginProblem),
  ];
  if (problems.length > 0) throw new Fault('validation_error', `${problems.join('; ')}.`);
}

/** The origin of the first redirect URI on the web of its oldest client that has one, else the documentation. */
export async function findApplicationUrl(
  store: Store,
  institution: string | undefined,
  publicUrl: string,
): Promise<string> {
  const own = institution === undefined ? undefined : store.collection(clientsCollection).of(institution);
  const clients = (await own?.find({ where: { deletedAt: null }, orderBy: 'createdAt' })) ?? [];
  const uris = clients.flatMap(({ redirectUris = [] }) => redirectUris).filter((uri) => URL.canParse(uri));
  const page = uris.map((uri) => new URL(uri)).find(isWebPage);
  return page === undefined || page.origin === new URL(publicUrl).origin ? `${publicUrl}/docs` : page.origin;
}

/** Loopback and private-use redirect URIs name no page that a browser can open. */
const isWebPage = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' && hostname !== '127.0.0.1' && hostname !== '[::1]';

interface Naming {
  readonly origins?: readonly string[];
  readonly redirectUris?: readonly string[];
  readonly deletedAt: string | null;
}

/** How far a reading goes back before the last one, because instances write with their own clocks. Milliseconds. */
const OVERLAP_MS = 30_000;

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d+)?$/;

export type ReadOrigins = ReturnType<typeof createReadOrigins>;

/** A loopback origin has port `*`, since any port matches. Null if `mark` is current; later calls read only changes. */
export function createReadOrigins(store: Store, now: () => number) {
  const sources = [
    createSource(store.collection(clientsCollection)),
    createSource(store.collection(apiKeysCollection)),
  ];
  const byOwner = new Map<string, readonly string[]>();
  let readAt: number | undefined;
  let reading: Promise<void> | undefined;
  let current = { mark: '', origins: [] as readonly string[] };

  const record = (owner: Naming & { readonly id: string }): void => {
    const origins = listOrigins(owner);
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

  const readNews = skipWhenQuiet(store, 0, read);

  return async (mark: string | undefined) => {
    reading ??= readNews().finally(() => {
      reading = undefined;
    });
    await reading;
    return { mark: current.mark, origins: current.mark === mark ? null : [...current.origins] };
  };
}

const createSource = <Owner extends Document & Naming>(handle: CollectionHandle<Owner>) => ({
  all: () => readAllDocuments(handle),
  since: (at: number) =>
    handle.acrossInstitutions.find({ where: { changedAt: { gte: at - OVERLAP_MS } }, orderBy: 'changedAt' }),
});

const listOrigins = ({ origins = [], redirectUris = [], deletedAt }: Naming): string[] =>
  deletedAt === null ? [...origins, ...redirectUris.flatMap((uri) => toOrigin(uri) ?? [])] : [];

/** The origin of a redirect URI as requests name it; undefined for private-use schemes (RFC 8252, 7.1). */
const toOrigin = (redirectUri: string): string | undefined => {
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined;
  return LOOPBACK.test(url.origin) ? `http://${url.hostname}:*` : url.origin;
};
