import {
  chooseLanguage,
  type PageAnswer,
  type PageHandler,
  type PageRequest,
  readSingleParameter,
  redirect,
} from '@boxoffice/pages';
import { addParameters, isClaimable } from '../domain/client.ts';
import { isEnough, selectGrantableScopes } from '../domain/scopes.ts';
import { isFresh } from '../domain/user.ts';
import type { ClientDocument } from '../store.ts';
import { PATHS } from '../tokens/endpoints.ts';
import type { Grants } from '../tokens/grants.ts';
import type { Accounts } from '../users/accounts.ts';
import type { FormState, Forms, ReturnedForm } from './forms.ts';
import type { Institutions } from './institutions.ts';
import type { ReadIdTokenHint } from './logout.ts';
import { type AuthorizationError, type AuthorizationRequest, readRequest } from './request.ts';
import {
  BROWSER_COOKIE,
  type Consents,
  identifyBrowser,
  type OpenSession,
  readCookie,
  SESSION_COOKIE,
  type Sessions,
  setCookie,
} from './sessions.ts';
import {
  renderBrokenLinkPage,
  renderConsentPage,
  renderInvalidFormPage,
  renderSentFormPage,
  renderSignInPage,
  renderTooManyAttemptsPage,
  resolveView,
  type View,
} from './views.ts';

export const signInOutcomes = ['signed_in', 'wrong', 'throttled', 'busy'] as const;

export type SignInOutcome = (typeof signInOutcomes)[number];

interface AuthorizeDependencies {
  readonly issuer: string;
  readonly getClient: (clientId: string) => Promise<ClientDocument | undefined>;
  readonly institutions: Pick<Institutions, 'profile'>;
  readonly sessions: Sessions;
  readonly consents: Consents;
  readonly forms: Forms;
  readonly grants: Pick<Grants, 'open'>;
  readonly accounts: Pick<Accounts, 'verify' | 'recordSignIn'>;
  readonly countSignIn: (outcome: SignInOutcome) => void;
  readonly readHint: ReadIdTokenHint;
  readonly now: () => number;
}

interface Exchange {
  readonly http: PageRequest;
  readonly request: AuthorizationRequest;
  readonly view: View;
  /** The cookie that forms are bound to. */
  readonly browser: string;
  readonly cookies: readonly string[];
}

interface SignedIn extends OpenSession {
  /** Whether the password was entered within this very request. */
  readonly isNow: boolean;
}

/** Makes the authorization endpoint (RFC 6749, 3.1 and 4.1; OpenID Connect Core, 3.1.2). */
export function createAuthorize(dependencies: AuthorizeDependencies): PageHandler {
  const { issuer, getClient, institutions, sessions, consents, forms, grants, accounts, countSignIn, readHint, now } =
    dependencies;

  /** Every answer names the issuer, against mix-up (RFC 9207, 2). */
  const back = (
    { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
    parameters: Readonly<Record<string, string>>,
    cookies: readonly string[] = [],
  ): PageAnswer =>
    redirect(addParameters(redirectUri, { ...parameters, state, iss: issuer }), { 'Set-Cookie': cookies });

  const refuse = ({ request, cookies }: Exchange, error: AuthorizationError, description: string): PageAnswer =>
    back(request, { error, error_description: description }, cookies);

  const formState = (
    { request }: Exchange,
    purpose: FormState['purpose'],
    more: Partial<FormState> = {},
  ): FormState => ({
    purpose,
    institution: request.client.institution,
    parameters: request.parameters,
    ...more,
  });

  const askToSignIn = (exchange: Exchange, login: string | undefined, isWrong = false): PageAnswer => {
    const { request, view, browser, cookies } = exchange;
    const state = forms.write(formState(exchange, 'sign-in'), browser);
    const { client, redirectUri } = request;
    return renderSignInPage({ ...view, client: client.name, redirectUri, state, login, isWrong, cookies });
  };

  const giveCode = async (
    { request, cookies }: Exchange,
    { session, account }: OpenSession,
    scopes: readonly string[],
  ): Promise<PageAnswer> => {
    const { client, redirectUri, challenge, nonce } = request;
    const { signedInAt, id: sessionId } = session;
    const owners = { clientId: client.id, userId: account.id, sessionId, signedInAt };
    const granted = { ...owners, scopes, redirectUri, challenge, nonce };
    return back(request, { code: await grants.open(client.institution, granted) }, cookies);
  };

  /** A third party without this consent, or a redirect URI that is claimable, unless just signed in (RFC 8252, 8.6). */
  const findReasonToAsk = async (
    { client, redirectUri, prompts }: AuthorizationRequest,
    { account, isNow }: SignedIn,
    scopes: readonly string[],
  ): Promise<'consent_required' | 'interaction_required' | undefined> => {
    if (prompts.includes('consent')) return 'consent_required';
    if (client.thirdParty) {
      const agreement = { institution: client.institution, userId: account.id, clientId: client.id, scopes };
      if (!(await consents.isGiven(agreement))) return 'consent_required';
    }
    return client.type === 'public' && isClaimable(redirectUri) && !isNow ? 'interaction_required' : undefined;
  };

  const askForConsent = (exchange: Exchange, { session, account }: SignedIn, scopes: readonly string[]): PageAnswer => {
    const { request, view, browser, cookies } = exchange;
    const { client, redirectUri } = request;
    return renderConsentPage({
      ...view,
      client: client.name,
      redirectUri,
      state: forms.write(formState(exchange, 'consent', { session: session.id, scopes }), browser),
      login: account.login,
      scopes,
      isClaimable: client.type === 'public' && isClaimable(redirectUri),
      cookies,
    });
  };

  const refuseScopes = (exchange: Exchange): PageAnswer =>
    refuse(exchange, 'invalid_scope', 'The role of the user has none of the requested scopes.');

  const proceed = async (exchange: Exchange, user: SignedIn): Promise<PageAnswer> => {
    const { request } = exchange;
    const scopes = selectGrantableScopes(request.scopes, request.client.scopes, user.account.scopes);
    if (!isEnough(scopes)) return refuseScopes(exchange);
    const reason = await findReasonToAsk(request, user, scopes);
    if (!reason) return giveCode(exchange, user, scopes);
    if (!request.prompts.includes('none')) return askForConsent(exchange, user, scopes);
    return refuse(exchange, reason, 'The user must be asked, which prompt=none forbids.');
  };

  /** Nobody else may be the answer (OpenID Connect Core, 3.1.2.2). A hint that cannot be read names nobody. */
  const isExpected = async ({ idTokenHint }: AuthorizationRequest, userId: string): Promise<boolean> =>
    idTokenHint === undefined || (await readHint(idTokenHint))?.sub === userId;

  const begin = async (exchange: Exchange): Promise<PageAnswer> => {
    const { http, request } = exchange;
    const token = http.isHead ? undefined : readCookie(http.cookie, SESSION_COOKIE);
    const found = await sessions.find(request.client.institution, token);
    const open = found && (await isExpected(request, found.account.id)) ? found : undefined;
    const isCurrent = open !== undefined && isFresh(open.session, request.maxAge, now());
    if (isCurrent && !request.prompts.includes('login')) return proceed(exchange, { ...open, isNow: false });
    if (request.prompts.includes('none')) return refuse(exchange, 'login_required', 'The user is not signed in.');
    return askToSignIn(exchange, request.loginHint ?? open?.account.login);
  };

  /** The request of a form once more, for a browser that has sent the form before. */
  const again = ({ parameters }: FormState): string => `${PATHS.authorize}?${new URLSearchParams(parameters)}`;

  const signIn = async (exchange: Exchange, sent: ReturnedForm): Promise<PageAnswer> => {
    const { http, request, view } = exchange;
    const { institution } = request.client;
    const [login, password] = [readSingleParameter(http, 'login') ?? '', readSingleParameter(http, 'password') ?? ''];
    const checked = await accounts.verify({ institution, login, ip: http.address }, password, http.hasLeft);
    if (checked.outcome !== 'right') countSignIn(checked.outcome);
    if (checked.outcome === 'wrong') return askToSignIn(exchange, login, true);
    if (checked.outcome !== 'right') return renderTooManyAttemptsPage(view, checked.waitMs, checked.outcome === 'busy');
    if (!(await sent.spend())) return renderSentFormPage(view, 'sign-in', again(sent));
    const { user: account } = checked;
    const { token, session } = await sessions.begin(account, readCookie(http.cookie, SESSION_COOKIE));
    await accounts.recordSignIn(institution, account.id);
    countSignIn('signed_in');
    const signedIn = { ...exchange, cookies: [...exchange.cookies, setCookie(SESSION_COOKIE, token)] };
    if (await isExpected(request, account.id)) return proceed(signedIn, { session, account, isNow: true });
    return refuse(signedIn, 'login_required', 'Another user has signed in than the one of id_token_hint.');
  };

  const decide = async (exchange: Exchange, sent: ReturnedForm): Promise<PageAnswer> => {
    const { http, request, view } = exchange;
    const { institution, id: clientId, thirdParty } = request.client;
    const open = await sessions.find(institution, readCookie(http.cookie, SESSION_COOKIE));
    // Signed out, or signed in as somebody else, since the question was shown.
    if (open?.session.id !== sent.session || !open) return begin(exchange);
    const decision = readSingleParameter(http, 'decision');
    if (decision !== 'allow' && decision !== 'deny') return renderInvalidFormPage(view.language);
    if (!(await sent.spend())) return renderSentFormPage(view, 'consent', again(sent));
    if (decision === 'deny') return refuse(exchange, 'access_denied', 'The user has refused.');
    const shown = sent.scopes ?? [];
    const scopes = selectGrantableScopes(shown, request.client.scopes, open.account.scopes);
    if (!isEnough(scopes)) return refuseScopes(exchange);
    if (thirdParty) await consents.give({ institution, userId: open.account.id, clientId, scopes: shown });
    return giveCode(exchange, open, scopes);
  };

  const openExchange = async (http: PageRequest, request: AuthorizationRequest): Promise<Exchange> => {
    const profile = await institutions.profile(request.client.institution);
    return { http, request, view: resolveView(http, profile, request.uiLocales), ...identifyBrowser(http.cookie) };
  };

  const readFrom = async (
    http: PageRequest,
    parameters: PageRequest['parameters'],
    act: (exchange: Exchange) => Promise<PageAnswer>,
  ): Promise<PageAnswer> => {
    const reading = await readRequest(parameters, getClient);
    if (reading.kind === 'request') return act(await openExchange(http, reading.request));
    if (reading.kind === 'error') {
      const { error, description } = reading.error;
      return back(reading.error, { error, error_description: description });
    }
    const profile = reading.client && (await institutions.profile(reading.client.institution));
    const language = chooseLanguage(
      { uiLocales: readSingleParameter(http, 'ui_locales'), acceptLanguage: http.acceptLanguage },
      profile?.languages,
    );
    return renderBrokenLinkPage(language, profile?.name, reading.fault, reading.detail);
  };

  return async (http) => {
    const isForm = http.method === 'POST' && http.parameters.some(([name]) => name === 'form');
    if (!isForm) return readFrom(http, http.parameters, begin);
    const sent = forms.read(readSingleParameter(http, 'form'), readCookie(http.cookie, BROWSER_COOKIE));
    if (!sent || http.isCrossSite || sent.purpose === 'sign-out')
      return renderInvalidFormPage(chooseLanguage({ acceptLanguage: http.acceptLanguage }));
    const act = sent.purpose === 'sign-in' ? signIn : decide;
    return readFrom(http, Object.entries(sent.parameters), (exchange) => act(exchange, sent));
  };
}
