import { type KeySet, SIGNATURE_ALGORITHM } from '@boxoffice/identity';
import {
  chooseLanguage,
  type PageAnswer,
  type PageHandler,
  type PageRequest,
  readSingleParameter,
  redirect,
} from '@boxoffice/pages';
import jwt from 'jsonwebtoken';
import { addParameters, isRegistered } from '../domain/client.ts';
import type { ClientDocument } from '../store.ts';
import type { Forms } from './forms.ts';
import type { Institutions } from './institutions.ts';
import {
  BROWSER_COOKIE,
  identifyBrowser,
  type OpenSession,
  readCookie,
  removeCookie,
  SESSION_COOKIE,
  type Sessions,
} from './sessions.ts';
import { renderInvalidFormPage, renderSignedOutPage, renderSignOutPage, resolveView } from './views.ts';

/** RP-Initiated Logout 1.0, 2: signed by a published key for this issuer; it may have expired. Else undefined. */
export function createReadIdTokenHint(keys: KeySet, issuer: string): ReadIdTokenHint {
  return async (token) => {
    const header = jwt.decode(token, { complete: true })?.header;
    if (header?.typ !== 'JWT' || header.alg !== SIGNATURE_ALGORITHM || header.kid === undefined) return undefined;
    const key = await keys.key(header.kid);
    if (!key) return undefined;
    try {
      const claims = jwt.verify(token, key, { algorithms: [SIGNATURE_ALGORITHM], issuer, ignoreExpiration: true });
      if (typeof claims === 'string' || typeof claims.sub !== 'string' || typeof claims.aud !== 'string')
        return undefined;
      return { sub: claims.sub, clientId: claims.aud, sid: typeof claims.sid === 'string' ? claims.sid : '' };
    } catch {
      return undefined;
    }
  };
}

export type ReadIdTokenHint = (
  token: string,
) => Promise<{ readonly sub: string; readonly clientId: string; readonly sid: string } | undefined>;

interface LogoutDependencies {
  /** Where users of an institution begin; undefined: no user was signed in. */
  readonly findApplication: (institution: string | undefined) => Promise<string>;
  readonly getClient: (clientId: string) => Promise<ClientDocument | undefined>;
  readonly institutions: Pick<Institutions, 'profile'>;
  readonly sessions: Sessions;
  readonly forms: Forms;
  readonly readHint: ReadIdTokenHint;
}

interface Destination {
  /** Undefined for the page that says that the user is signed out. */
  readonly redirectUri: string | undefined;
  readonly state: string | undefined;
}

/**
 * OpenID Connect RP-Initiated Logout 1.0, 2 and 3: ends the session of the browser, not the tokens of its clients. Asks
 * first, unless an ID token proves that the client knows the user; redirects to registered addresses only.
 */
export function createLogout({
  findApplication,
  getClient,
  institutions,
  sessions,
  forms,
  readHint,
}: LogoutDependencies): PageHandler {
  const leave = async (
    http: PageRequest,
    { redirectUri, state }: Destination,
    ended: OpenSession | undefined,
  ): Promise<PageAnswer> => {
    const cookies = readCookie(http.cookie, SESSION_COOKIE) === undefined ? [] : [removeCookie(SESSION_COOKIE)];
    if (redirectUri !== undefined) return redirect(addParameters(redirectUri, { state }), { 'Set-Cookie': cookies });
    const profile = ended && (await institutions.profile(ended.session.institution));
    const preferences = { uiLocales: readSingleParameter(http, 'ui_locales'), acceptLanguage: http.acceptLanguage };
    const application = await findApplication(ended?.session.institution);
    return renderSignedOutPage(chooseLanguage(preferences, profile?.languages), profile, cookies, application);
  };

  const end = async (http: PageRequest, open: OpenSession | undefined, to: Destination): Promise<PageAnswer> => {
    if (open) await sessions.end(open.session);
    return leave(http, to, open);
  };

  const findClient = async (
    http: PageRequest,
    hint: { readonly clientId: string } | undefined,
  ): Promise<ClientDocument | undefined> => {
    const named = readSingleParameter(http, 'client_id');
    if (hint && named !== undefined && named !== hint.clientId) return undefined;
    const clientId = hint?.clientId ?? named;
    return clientId === undefined ? undefined : getClient(clientId);
  };

  const request = async (http: PageRequest): Promise<PageAnswer> => {
    const token = readSingleParameter(http, 'id_token_hint');
    const hint = token === undefined ? undefined : await readHint(token);
    const client = await findClient(http, hint);
    const wanted = readSingleParameter(http, 'post_logout_redirect_uri');
    const redirectUri =
      wanted !== undefined && client && isRegistered(wanted, client.redirectUris) ? wanted : undefined;
    const to = { redirectUri, state: redirectUri === undefined ? undefined : readSingleParameter(http, 'state') };
    const shown = await sessions.ofToken(http.isHead ? undefined : readCookie(http.cookie, SESSION_COOKIE));
    // A form of the client's site comes without the cookie; its ID token names the session.
    const open =
      shown ?? (hint && client && !http.isHead ? await sessions.ofId(client.institution, hint.sid) : undefined);
    if (!open) return leave(http, to, undefined);
    const isProven = hint?.sub === open.account.id && client?.institution === open.session.institution;
    if (isProven) return end(http, open, to);

    const { browser, cookies } = identifyBrowser(http.cookie);
    const parameters = Object.fromEntries(
      Object.entries({ redirectUri: to.redirectUri, state: to.state }).filter(([, value]) => value !== undefined),
    ) as Record<string, string>;
    const { institution } = open.session;
    const state = forms.write({ purpose: 'sign-out', institution, parameters }, browser);
    const view = resolveView(http, await institutions.profile(institution), readSingleParameter(http, 'ui_locales'));
    return renderSignOutPage(view, open.account.login, state, cookies, to.redirectUri);
  };

  return async (http) => {
    const isForm = http.method === 'POST' && http.parameters.some(([name]) => name === 'form');
    if (!isForm) return request(http);
    const sent = forms.read(readSingleParameter(http, 'form'), readCookie(http.cookie, BROWSER_COOKIE));
    if (!sent || http.isCrossSite || sent.purpose !== 'sign-out')
      return renderInvalidFormPage(chooseLanguage({ acceptLanguage: http.acceptLanguage }));
    const open = await sessions.ofToken(readCookie(http.cookie, SESSION_COOKIE));
    const to = { redirectUri: sent.parameters.redirectUri, state: sent.parameters.state };
    return end(http, open, to);
  };
}
