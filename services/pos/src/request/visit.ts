import { PosFault } from '@boxoffice/envelope';
import {
  type Admit,
  type AnyOperation,
  createOperationBuilder,
  SHARED_MS_HEADER,
  sortLanguages,
} from '@boxoffice/http';
import { ServiceRefusal } from '@boxoffice/service';
import { createCache } from '../clients/cache.ts';
import type { Catalog, PointOfSale } from '../clients/catalog.ts';
import type { Contacts } from '../clients/contacts.ts';
import type { Edition } from '../description/editions.ts';
import { GATEWAY_CACHE_MS } from '../products/offers.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { deriveSessionOwner, type SessionDocument } from '../store.ts';

export interface Visit {
  readonly pointOfSale: PointOfSale;
  readonly session: SessionDocument | undefined;
  /** Configured for the point of sale. */
  readonly language: string;
  /** All configured languages as the visitor prefers them. */
  readonly languages: readonly string[];
  /** The client's address as the gateway reports it. */
  readonly ip: string;
  readonly hasLeft: () => boolean;
  /** The absolute address, without the query. */
  readonly address: string;
  /** The query without the question mark. */
  readonly search: string;
  /** The prefix of the version, such as `/tnwr/v1`. */
  readonly base: string;
}

/** @throws {PosFault} session_required */
export function requireSession({ session }: Visit): SessionDocument {
  if (!session) throw sessionRequired();
  return session;
}

/** The same for what does not exist and for what is not the visitor's own. */
export function createNotFoundFault(): PosFault {
  return new PosFault('not_found', 'There is no such resource.');
}

const sessionRequired = (): PosFault => new PosFault('session_required', 'The header X-auth-token is absent.');

export function createSessionEndedFault(): PosFault {
  return new PosFault('session_invalid', 'The session is unknown or has ended.');
}

export function createLoginRequiredFault(): PosFault {
  return new PosFault(
    'login_required',
    'The operation needs a session with a logged-in user: log in with POST /sessions.',
  );
}

export function createTooManyFault(what: string, waitMs: number): PosFault {
  return new PosFault('too_many_requests', `Too many ${what}. Try again after the seconds in Retry-After.`, {
    headers: { 'Retry-After': String(Math.ceil(waitMs / 1_000)) },
  });
}

/** Any other value is rejected without a call to the catalog. */
const HOST = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[0-9]{1,5})?$/;

/** The text has to be in lower case. */
export function isServiceHost(text: string): boolean {
  return HOST.test(text);
}

/** By X-Service-Host (specification, section 4, rule 5). */
export type FindPointOfSale = (serviceHost: string | undefined) => Promise<PointOfSale> | PointOfSale;

/**
 * A change takes effect within three seconds. While the catalog does not answer, its last answer is valid for ten
 * minutes, including that a host is unknown.
 */
const AGES = { maxAgeMs: 2_500, refreshMs: 1_000, staleMs: 600_000, max: 10_000 } as const;

/** Caches unknown hosts, too. Throws PosFault `context_missing`, `context_invalid`. */
export function createContext(catalog: Pick<Catalog, 'pointOfSale'>, now: () => number = Date.now): FindPointOfSale {
  const known = createCache<PointOfSale | undefined>({ ...AGES, isTransient: isNoRefusal, now });
  return (header) => {
    if (header === undefined || header === '')
      throw new PosFault('context_missing', 'The header X-Service-Host is absent.');
    const serviceHost = header.toLowerCase();
    if (!isServiceHost(serviceHost)) throw createUnknownHostFault();
    const found = known.get(serviceHost, async () => {
      const asOf = now();
      return { value: await catalog.pointOfSale(serviceHost), asOf };
    });
    const pointOfSale = ({ value }: { readonly value: PointOfSale | undefined }): PointOfSale => {
      if (!value) throw createUnknownHostFault();
      return value;
    };
    return 'then' in found ? found.then(pointOfSale) : pointOfSale(found);
  };
}

/** Undefined if there is no such point of sale (any more). */
export async function findExistingPointOfSale(
  { pointOfSaleOf }: { readonly pointOfSaleOf: FindPointOfSale },
  serviceHost: string,
): Promise<PointOfSale | undefined> {
  try {
    return await pointOfSaleOf(serviceHost);
  } catch (error) {
    if (error instanceof PosFault && error.errorCode === 'context_invalid') return undefined;
    throw error;
  }
}

const isNoRefusal = (error: unknown): boolean => !(error instanceof ServiceRefusal);

const createUnknownHostFault = () => new PosFault('context_invalid', 'X-Service-Host names no point of sale.');

/** A token in the URL would be in the logs of proxies. */
export const LINK_HEADER = 'x-order-link';

const VERSION = /^\/tnwr\/[^/?]+/;

/** Checks first the point of sale (400), then the session (401), as the specification orders them. */
export function createAdmit(
  { pointOfSaleOf, sessions }: { readonly pointOfSaleOf: FindPointOfSale; readonly sessions: Sessions },
  publicUrl: string,
): Admit<Visit> {
  const origin = publicUrl.replace(/\/$/, '');
  return async ({ headers, url = '', socket }, access) => {
    const pointOfSale = await pointOfSaleOf(one(headers['x-service-host']));
    const token = one(headers['x-auth-token']) || undefined;
    const session = token === undefined ? undefined : await sessions.find(pointOfSale, token);
    const isLinked = access === 'link' || (access === 'owner' && one(headers[LINK_HEADER]) !== undefined);
    if (token !== undefined && !session && access !== 'newcomer' && !isLinked) {
      throw new PosFault('session_invalid', 'The session in X-auth-token is unknown or has ended.');
    }
    const needsSession = access === 'session' || access === 'login' || (access === 'owner' && !isLinked);
    if (needsSession && !session) throw sessionRequired();
    if (access === 'login' && session?.contactNumber === null) {
      throw createLoginRequiredFault();
    }
    const mark = url.indexOf('?');
    const [path, search] = mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
    const languages = sortLanguages(readLang(search), one(headers['accept-language']), pointOfSale.languages);
    const [language = 'en'] = languages;
    const visitor: Visit = {
      pointOfSale,
      session,
      language,
      languages,
      ip: readAddress(one(headers['x-forwarded-for']) ?? socket.remoteAddress),
      hasLeft: () => socket.destroyed,
      address: origin + path,
      search,
      base: VERSION.exec(path)?.[0] ?? '',
    };
    return {
      visitor,
      institution: pointOfSale.institution,
      headers: { 'Content-Language': language },
      ...(session ? { session: deriveSessionOwner(session.id) } : {}),
    };
  };
}

const one = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(', ') : header;

/** A query without it is not parsed. */
const readLang = (search: string): string | undefined =>
  search.includes('lang=') ? (new URLSearchParams(search).get('lang') ?? undefined) : undefined;

/** The gateway sets X-Forwarded-For to exactly one address. */
const readAddress = (forwarded: string | undefined): string =>
  forwarded?.split(',', 1)[0]?.trim().slice(0, 45) || 'unknown';

/** Section 4, rule 11. @throws {PosFault} login_required without a login, contact_not_accessible for another contact */
export function requireContact({ session }: Visit, contactNumber: string): void {
  if (!session || session.contactNumber === null) {
    throw new PosFault(
      'login_required',
      'contactNumber needs a session with a logged-in user: log in with POST /sessions.',
    );
  }
  if (session.contactNumber !== contactNumber) {
    throw new PosFault('contact_not_accessible', 'contactNumber is not that of the logged-in user.');
  }
}

/** Empty without contactNumber, even if the visitor is logged in. */
export type ContactCriteria = (visit: Visit, contactNumber: string | undefined) => Promise<readonly string[]>;

const CONTACTS = 10_000;
const NOTHING: readonly string[] = [];

/** Cached for at most a second. Rejects as {@link requireContact} throws. */
export function createContactCriteria(contacts: Pick<Contacts, 'known'>): ContactCriteria {
  const known = createCache<readonly string[]>({ maxAgeMs: 1_000, refreshMs: 500, max: CONTACTS });
  return async (visit, contactNumber) => {
    if (contactNumber === undefined) return NOTHING;
    requireContact(visit, contactNumber);
    const { institution } = visit.pointOfSale;
    const { value } = await known.get(`${institution} ${contactNumber}`, async () => {
      const asOf = Date.now();
      const contact = await contacts.known(institution, contactNumber);
      return { value: contact && contact.erasedAt === null ? [...contact.criteria].sort() : NOTHING, asOf };
    });
    return value;
  };
}

/** Its cart was given codes, which may unlock tariffs. */
export function hasCodes({ cartId, cartWithCodes }: SessionDocument): boolean {
  return cartId !== null && cartId === cartWithCodes;
}

/**
 * Lets the gateway share an answer about no contact between visitors. To a session that once got one it answers others'
 * answers, so a session with codes gets none at all.
 */
export function buildSharedHeaders({ session }: Visit, contact?: string): Record<string, string> {
  const isOwn = contact !== undefined || (session !== undefined && hasCodes(session));
  return isOwn ? {} : { [SHARED_MS_HEADER]: String(GATEWAY_CACHE_MS) };
}

const V1 = '/tnwr/v1';
const EXPERIMENTAL = '/tnwr/vexp';

export const operation = createOperationBuilder<Visit>();

/** The experimental version has them as aliases. */
export function mountInBothVersions(operations: readonly AnyOperation[]): AnyOperation[] {
  return operations.map((declared) => ({
    ...declared,
    path: `${V1}${declared.path}`,
    aliases: [`${EXPERIMENTAL}${declared.path}`],
  }));
}

/** The operations have the ids that an alias would have. */
export function mountInVersion({ isExperimental }: Edition, operations: readonly AnyOperation[]): AnyOperation[] {
  return operations.map((declared) =>
    isExperimental
      ? { ...declared, id: `${declared.id}Experimental`, path: `${EXPERIMENTAL}${declared.path}` }
      : { ...declared, path: `${V1}${declared.path}` },
  );
}
