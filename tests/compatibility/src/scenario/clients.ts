import { Agent } from 'node:http';
import { createClient, SCOPES } from '@boxoffice/authorizer';
import { listOperations } from '@boxoffice/codegen';
import { processes } from '@boxoffice/contracts';
import type { AnyOperation } from '@boxoffice/http';
import { DECISIONS_PATH, formatServiceAuthorization, IDENTITY_HEADER } from '@boxoffice/identity';
import { deriveServiceSecret } from '@boxoffice/runtime';
import {
  type Call,
  type Client,
  createAuthorizationRequest,
  keepCookies,
  openVisitor,
  type Reply,
  readCode,
  readData,
  requestAuthorization,
  send,
  sendForm,
} from '@boxoffice/testkit';
import { PUBLIC_URL, type Scenario } from './open-scenario.ts';

export type Partner = Awaited<ReturnType<typeof createPartner>>;

const literal = (path: string): string => path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');

/** Concrete paths precede templates that also match them. */
const routes = processes
  .flatMap((process) => [...listOperations(process.openapi()).values()].map((at) => ({ service: process.name, at })))
  .map(({ service, at }) => {
    const [method = '', path = ''] = at.name.split(' ');
    const pattern = literal(path).replaceAll(/\{[^}]*\}/g, '[^/]+');
    return { service, method, matches: new RegExp(`^${pattern}$`), at };
  })
  .toSorted((one, other) => one.at.name.split('{').length - other.at.name.split('{').length);

const connections = new Agent({ keepAlive: true });

/**
 * Registers a client with every scope and gets its token; its calls repeat the gateway's steps: a decision of the
 * authorizer, then the service.
 */
export async function createPartner(scenario: Scenario, institution: string) {
  const store = scenario.stores.authorizer;
  if (!store) throw new Error('there is no authorizer');
  const credentials = await createClient(store, { institution, name: 'every scope', scopes: [...SCOPES] });
  const authorizer = clientOf(scenario, 'authorizer');
  const token = (await requestAuthorization(authorizer, credentials)).replace('Bearer ', '');
  const as = (service: string): string =>
    formatServiceAuthorization(service, deriveServiceSecret(scenario.serviceRootSecret, service));
  const authorization = as('gateway');

  const ask = async (path: string, call: Call = {}): Promise<Reply> => {
    const { method = 'GET' } = call;
    const [plain = ''] = path.split('?');
    const route = routes.find((one) => one.method === method && one.matches.test(plain));
    if (!route) throw new Error(`no service serves ${method} ${path}`);
    const { service, at } = route;
    const scope = (at.operation.security[0]?.oauth2 ?? []).join(' ');
    const question = { token, operation: at.operation.operationId, scope, audience: service };
    const decision = { method: 'POST', body: question, headers: { authorization } };
    const { identity } = await readData(authorizer, DECISIONS_PATH, decision);
    return clientOf(scenario, service)(path, { ...call, headers: { ...call.headers, [IDENTITY_HEADER]: identity } });
  };
  /**
   * The `data` of one of the operations by which gateway and services authenticate: of its example, with these members
   * of the body in place of the example's.
   */
  const internally = async ({ id, method, path, example }: AnyOperation, members = {}): Promise<unknown> => {
    const caller = id === 'getClientScopes' ? 'events' : 'gateway';
    const known: Readonly<Record<string, unknown>> = { token, ...members };
    const body =
      example.body &&
      Object.fromEntries(Object.entries(example.body).map(([name, value]) => [name, known[name] ?? value]));
    return readData(authorizer, path, { method: method.toUpperCase(), body, headers: { authorization: as(caller) } });
  };
  const must = (path: string, call?: Call) => readData(ask, path, call);
  return { clientId: credentials.clientId, ask, internally, must };
}

/** A client of one service; each call goes to the next of its instances. */
const clientOf =
  ({ urls }: Scenario, service: string): Client =>
  (path, call) =>
    send(new URL(path, urls[service]), call, { agent: connections });

export function createVisitor(scenario: Scenario, serviceHost: string) {
  const ask = openVisitor(clientOf(scenario, 'pos'), serviceHost);
  return { ask, must: (path: string, call?: Call) => readData(ask, path, call) };
}

export async function payOnPage(scenario: Scenario, url: string): Promise<void> {
  const { status } = await fetch(new URL(new URL(url).pathname, scenario.urls.payments), {
    method: 'POST',
    body: new URLSearchParams({ outcome: 'pay' }),
    redirect: 'manual',
  });
  if (status !== 303) throw new Error(`the page of the provider answered ${status}`);
}

/** Where the scenario's clients at which users sign in want the browser back. */
const CALLBACK = 'https://desk.example.org/callback';

const SESSION_COOKIE = '__Host-boxoffice-session';

/**
 * A browser of the authorizer's pages, and the cookies that it keeps: `session` is the one that an earlier browser had.
 * Each request goes to the next instance.
 */
export function openBrowser(scenario: Scenario, session?: string) {
  const cookies = new Map(session === undefined ? [] : [[SESSION_COOKIE, session] as const]);
  return { cookies, browser: keepCookies(clientOf(scenario, 'authorizer'), PUBLIC_URL, cookies) };
}

export function createRequest(clientId: string) {
  return createAuthorizationRequest(clientId, CALLBACK, 'openid offline_access orders:read');
}

export function requestTokens(scenario: Scenario, form: Readonly<Record<string, string>>): Promise<Reply> {
  return clientOf(scenario, 'authorizer')('/auth/token', { method: 'POST', body: new URLSearchParams(form) });
}

/**
 * A user mistypes the password, signs in at a third party's client and agrees, and opens a second grant whose code
 * stays unused. Only hashes of their secrets are stored; so that the next release can go on with this session and
 * refresh token, a second redirect URI of the client carries them.
 */
export async function signIn(scenario: Scenario, partner: Partner, login: string, password: string): Promise<void> {
  const client = { name: 'desk', type: 'public', scopes: ['orders:read'], redirectUris: [CALLBACK], thirdParty: true };
  const { clientId } = await partner.must('/svc/v3/clients', post(client));
  const { browser, cookies } = openBrowser(scenario);
  const { path, createExchange } = createRequest(clientId);
  const wrong = await sendForm(browser, await browser(path), { login, password: 'wrong' });
  const consent = await sendForm(browser, wrong, { login, password });
  const allowed = await sendForm(browser, consent, { decision: 'allow' });
  const { status, body } = await requestTokens(scenario, createExchange(readCode(allowed)));
  const again = await browser(createRequest(clientId).path);
  if (status !== 200 || !readCode(again)) {
    throw new Error(`signing in was answered ${wrong.status}, ${consent.status}, ${status}, ${again.status}`);
  }
  const left = new URLSearchParams({ session: cookies.get(SESSION_COOKIE) ?? '', refreshToken: body.refresh_token });
  const redirectUris = [CALLBACK, `${CALLBACK}?${left}`];
  await partner.must(`/svc/v3/clients/${clientId}`, { method: 'PATCH', body: { redirectUris } });
}

const post = (body: object) => ({ method: 'POST', body });

/** The secrets that `signIn` of an earlier release has left with a client; undefined for any other client. */
export function parseLeftSecrets({
  redirectUris = [],
}: {
  readonly redirectUris?: readonly string[];
}): { readonly session: string; readonly refreshToken: string } | undefined {
  const [, query] = redirectUris.find((uri) => uri.startsWith(`${CALLBACK}?`))?.split('?') ?? [];
  const left = new URLSearchParams(query);
  const [session, refreshToken] = [left.get('session'), left.get('refreshToken')];
  return session === null || refreshToken === null ? undefined : { session, refreshToken };
}
