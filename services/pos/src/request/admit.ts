import { PosFault } from '@boxoffice/envelope';
import type { Admit } from '@boxoffice/http';
import { languageOf } from '../domain/language.ts';
import { ofSession } from '../ids.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { FindPointOfSale } from './point-of-sale.ts';
import type { Visit } from './visit.ts';

const VERSION = /^\/tnwr\/[^/?]+/;

/** `lang`, without reading the whole query of every request. */
const langOf = (search: string): string | undefined =>
  search.includes('lang=') ? (new URLSearchParams(search).get('lang') ?? undefined) : undefined;

const one = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(', ') : header;

/** The visitor's address: the gateway says exactly one. */
const ipOf = (forwarded: string | undefined): string => forwarded?.split(',', 1)[0]?.trim().slice(0, 45) || 'unknown';

/**
 * Makes what lets visitors in: the point of sale first (400), then the session (401), as the order of checks says. `publicUrl`: the
 * address that the outside sees.
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
    if (token !== undefined && !session && access !== 'newcomer') {
      throw new PosFault('session_invalid', 'The session is unknown or has ended.');
    }
    const needsSession = access === 'session' || access === 'login';
    if (needsSession && !session) throw new PosFault('session_required', 'The header X-auth-token is absent.');
    if (access === 'login' && session?.contactNumber === null) {
      throw new PosFault('login_required', 'Nobody is logged in to this session.');
    }
    const mark = url.indexOf('?');
    const [path, search] = mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
    const language = languageOf(langOf(search), one(headers['accept-language']), pointOfSale.languages);
    const visitor: Visit = {
      pointOfSale,
      session,
      language,
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
