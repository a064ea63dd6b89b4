import { createHash, randomBytes } from 'node:crypto';
import type { Json } from '@boxoffice/testkit';
import { PUBLIC_URL, type Scenario } from './open-scenario.ts';
import type { Partner } from './partner.ts';

/** Where the scenario's clients at which users sign in want the browser back. */
const CALLBACK = 'https://desk.example.org/callback';

const SESSION_COOKIE = '__Host-boxoffice-session';

/** A page or a redirect of the authorizer. */
interface Visited {
  readonly status: number;
  readonly text: string;
  /** The parameters that a redirect carries. */
  readonly sent: URLSearchParams;
}

/** A browser of the authorizer's pages: keeps cookies, follows nothing. Each request goes to the next instance. */
export interface Browser {
  open(path: string): Promise<Visited>;
  /** Sends the form of a page with these fields. */
  submit(page: Visited, fields: Readonly<Record<string, string>>): Promise<Visited>;
  /** The value of the session's cookie. */
  session(): string;
}

/** Opens a browser; `session` is the cookie that an earlier one had. */
export const openBrowser = ({ urls }: Scenario, session?: string): Browser => {
  const cookies = new Map<string, string>(session === undefined ? [] : [[SESSION_COOKIE, session]]);
  const visit = async (path: string, init: RequestInit = {}): Promise<Visited> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(path, urls.authorizer), {
      redirect: 'manual',
      ...init,
      headers: { origin: PUBLIC_URL, ...(cookie && { cookie }) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location') ?? '';
    const sent = new URLSearchParams(location.slice(location.indexOf('?') + 1));
    return { status: response.status, text: await response.text(), sent };
  };
  return {
    open: visit,
    submit: ({ text }, fields) => {
      const form = /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';
      return visit('/auth/authorize', { method: 'POST', body: new URLSearchParams({ form, ...fields }) });
    },
    session: () => cookies.get(SESSION_COOKIE) ?? '',
  };
};

/** A code verifier (RFC 7636) with the request whose code it exchanges. */
export const authorizationRequest = (clientId: string): { readonly path: string; readonly verifier: string } => {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    scope: 'openid offline_access orders:read',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return { path: `/auth/authorize?${query}`, verifier };
};

/** The token endpoint's answer to a grant of a public client. */
export const tokensFor = async (
  { urls }: Scenario,
  clientId: string,
  grant: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly body: Json }> => {
  const body = new URLSearchParams({ client_id: clientId, ...grant });
  const response = await fetch(new URL('/auth/token', urls.authorizer), { method: 'POST', body });
  return { status: response.status, body: await response.json() };
};

/** Exchanges the code of a redirect. */
export const exchangeCode = (scenario: Scenario, clientId: string, { sent }: Visited, verifier: string) =>
  tokensFor(scenario, clientId, {
    grant_type: 'authorization_code',
    code: sent.get('code') ?? '',
    redirect_uri: CALLBACK,
    code_verifier: verifier,
  });

const post = (body: object) => ({ method: 'POST', body });

/**
 * A user mistypes the password, signs in at a third party's client and agrees, and opens a second grant whose code
 * stays unused. Only hashes of their secrets are stored; so that the next release can go on with this session and
 * refresh token, a second redirect URI of the client carries them.
 */
export const signIn = async (scenario: Scenario, partner: Partner, login: string, password: string): Promise<void> => {
  const client = { name: 'desk', type: 'public', scopes: ['orders:read'], redirectUris: [CALLBACK], thirdParty: true };
  const { clientId } = await partner.must('/svc/v3/clients', post(client));
  const browser = openBrowser(scenario);
  const { path, verifier } = authorizationRequest(clientId);
  const wrong = await browser.submit(await browser.open(path), { login, password: 'wrong' });
  const consent = await browser.submit(wrong, { login, password });
  const { status, body } = await exchangeCode(
    scenario,
    clientId,
    await browser.submit(consent, { decision: 'allow' }),
    verifier,
  );
  const again = await browser.open(authorizationRequest(clientId).path);
  if (status !== 200 || !again.sent.has('code')) {
    throw new Error(`signing in was answered ${wrong.status}, ${consent.status}, ${status}, ${again.status}`);
  }
  const left = new URLSearchParams({ session: browser.session(), refreshToken: body.refresh_token });
  const redirectUris = [CALLBACK, `${CALLBACK}?${left}`];
  await partner.must(`/svc/v3/clients/${clientId}`, { method: 'PATCH', body: { redirectUris } });
};

/** The secrets that `signIn` of an earlier release has left with a client; undefined for any other client. */
export const leftWith = ({
  redirectUris = [],
}: {
  readonly redirectUris?: readonly string[];
}): { readonly session: string; readonly refreshToken: string } | undefined => {
  const [, query] = redirectUris.find((uri) => uri.startsWith(`${CALLBACK}?`))?.split('?') ?? [];
  const left = new URLSearchParams(query);
  const [session, refreshToken] = [left.get('session'), left.get('refreshToken')];
  return session === null || refreshToken === null ? undefined : { session, refreshToken };
};
