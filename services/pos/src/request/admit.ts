// What every request for visitors has in common: point of sale, session, language, pages of lists.
import { PosFault } from '@boxoffice/envelope';
import { type Admit, languagesFor } from '@boxoffice/http';
import type { PointOfSale } from '../clients/catalog.ts';
import { ofSession } from '../ids.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { SessionDocument } from '../store.ts';
import { loginRequired, sessionRequired } from './faults.ts';
import type { FindPointOfSale } from './point-of-sale.ts';

/** A visitor's request after admission, as handlers receive it. */
export interface Visit {
  readonly pointOfSale: PointOfSale;
  /** Undefined if the request has no session. */
  readonly session: SessionDocument | undefined;
  /** The language of the answer: one that is configured for the point of sale. */
  readonly language: string;
  /** All configured ones as the visitor prefers them, for texts that lack that of the answer. */
  readonly languages: readonly string[];
  /** The client address that the gateway reports. */
  readonly ip: string;
  /** Whether the client has closed the connection. */
  readonly hasLeft: () => boolean;
  /** The absolute URL of the request, without its query. */
  readonly address: string;
  /** The query, without the question mark. */
  readonly search: string;
  /** The path prefix of the version, such as `/tnwr/v1`. */
  readonly base: string;
}

/** The session of a request to an operation that needs one. @throws {PosFault} session_required */
export const sessionOf = ({ session }: Visit): SessionDocument => {
  if (!session) throw sessionRequired();
  return session;
};

const VERSION = /^\/tnwr\/[^/?]+/;

/** The parameter `lang`; a query without it is not parsed. */
const langOf = (search: string): string | undefined =>
  search.includes('lang=') ? (new URLSearchParams(search).get('lang') ?? undefined) : undefined;

const one = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(', ') : header;

/** The visitor's address: the gateway sets X-Forwarded-For to exactly one. */
const ipOf = (forwarded: string | undefined): string => forwarded?.split(',', 1)[0]?.trim().slice(0, 45) || 'unknown';

/**
 * Creates the admission check: the point of sale (400), then the session (401), in the order of checks of the
 * specification. `publicUrl` is the base URL that clients use.
 */
export const createAdmit = (
  { pointOfSaleOf, sessions }: { readonly pointOfSaleOf: FindPointOfSale; readonly sessions: Sessions },
  publicUrl: string,
): Admit<Visit> => {
  const origin = publicUrl.replace(/\/$/, '');
  return async ({ headers, url = '', socket }, access) => {
    const pointOfSale = await pointOfSaleOf(one(headers['x-service-host']));
    const token = one(headers['x-auth-token']) || undefined;
    const session = token === undefined ? undefined : await sessions.find(pointOfSale, token);
    if (token !== undefined && !session && access !== 'newcomer' && access !== 'link') {
      throw new PosFault('session_invalid', 'The session in X-auth-token is unknown or has ended.');
    }
    const needsSession = access === 'session' || access === 'login';
    if (needsSession && !session) throw sessionRequired();
    if (access === 'login' && session?.contactNumber === null) {
      throw loginRequired();
    }
    const mark = url.indexOf('?');
    const [path, search] = mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
    const languages = languagesFor(langOf(search), one(headers['accept-language']), pointOfSale.languages);
    const [language = 'en'] = languages;
    const visitor: Visit = {
      pointOfSale,
      session,
      language,
      languages,
      ip: ipOf(one(headers['x-forwarded-for']) ?? socket.remoteAddress),
      hasLeft: () => socket.destroyed,
      address: origin + path,
      search,
      base: VERSION.exec(path)?.[0] ?? '',
    };
    return {
      visitor,
      headers: { 'Content-Language': language },
      ...(session ? { session: ofSession(session.id) } : {}),
    };
  };
};
