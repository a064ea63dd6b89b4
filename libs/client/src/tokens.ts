import { delay, type Fetch, readAnswer, rejectOnAbort, sendOnce } from './http/exchange.ts';
import { formatQuery } from './http/methods.ts';
import { type Authentication, createRepetitions, type Repetition } from './http/transport.ts';
import type { Credentials, TokenSet } from './options.ts';

interface Tokens {
  current(signal?: AbortSignal): Promise<string>;
  /** Replaces a refused access token; false if there is no way to. */
  replace(refused: string, signal?: AbortSignal): Promise<boolean>;
}

interface TokensOptions {
  readonly first?: TokenSet;
  readonly form: (last: TokenSet | undefined) => Readonly<Record<string, string>> | undefined;
  readonly issue: (form: Readonly<Record<string, string>>) => Promise<TokenSet>;
  readonly onTokens?: (tokens: TokenSet) => void | Promise<void>;
}

/** A token is renewed this long before it expires, or after nine tenths of a shorter life. */
const EARLY_MS = 30_000;

interface Issued {
  readonly access_token: string;
  readonly expires_in: number;
  readonly refresh_token?: string;
}

export function createAuthentication(
  given: Credentials,
  baseUrl: string,
  fetch: Fetch,
  timeoutMs: number,
  repetition: Repetition,
): Authentication {
  const { clientId, clientSecret, scope, accessToken, refreshToken, expiresAt, onTokens, apiKey } =
    checkCredentials(given);
  const key: Readonly<Record<string, string>> = apiKey === undefined ? {} : { 'x-api-key': apiKey };
  if (typeof accessToken === 'function') return withTokenOf(accessToken, key);
  if (accessToken === undefined && clientSecret === undefined) return withoutToken(key);
  const client = { ...(clientId && { client_id: clientId }), ...(clientSecret && { client_secret: clientSecret }) };
  const tokens = createTokens({
    ...(accessToken !== undefined && { first: { accessToken, refreshToken, expiresAt } }),
    form(last) {
      if (accessToken === undefined) return { grant_type: 'client_credentials', ...client, ...(scope && { scope }) };
      const next = last?.refreshToken;
      return next ? { grant_type: 'refresh_token', refresh_token: next, ...client } : undefined;
    },
    issue: issuer(fetch, baseUrl, timeoutMs, repetition),
    ...(onTokens && { onTokens }),
  });
  return withTokens(tokens, key);
}

/** @throws {TypeError} when the credentials do not belong together */
const checkCredentials = (credentials: Credentials): Credentials => {
  const { clientId, clientSecret, accessToken, refreshToken } = credentials;
  if (clientSecret !== undefined && clientId === undefined) throw new TypeError('clientSecret needs clientId');
  if (refreshToken !== undefined && clientId === undefined) throw new TypeError('refreshToken needs clientId');
  if (refreshToken !== undefined && typeof accessToken !== 'string')
    throw new TypeError('refreshToken needs the accessToken that came with it');
  if (clientId !== undefined && clientSecret === undefined && refreshToken === undefined)
    throw new TypeError('clientId needs clientSecret, or accessToken and refreshToken');
  return credentials;
};

/** The application has the token: it is asked before each request, and once more after a 401. */
const withTokenOf = (
  tokenOf: () => string | Promise<string>,
  apiKey: Readonly<Record<string, string>>,
): Authentication => {
  const headers = async () => ({ ...apiKey, authorization: `Bearer ${await tokenOf()}` });
  return { headers, renew: async (used) => (await headers()).authorization !== used.authorization };
};

const withoutToken = (apiKey: Readonly<Record<string, string>>): Authentication => ({
  headers: async () => apiKey,
  renew: async () => false,
});

/** Keeps the tokens of a client: requested once for all who wait for them, renewed before they expire. */
const createTokens = (options: TokensOptions): Tokens => {
  const { form, issue, onTokens } = options;
  let last = options.first;
  let renewAt = last?.expiresAt === undefined ? Number.POSITIVE_INFINITY : last.expiresAt - EARLY_MS;
  let pending: Promise<TokenSet> | undefined;

  const request = async (fields: Readonly<Record<string, string>>): Promise<TokenSet> => {
    const asked = Date.now();
    const issued = await issue(fields);
    const life = (issued.expiresAt ?? Number.POSITIVE_INFINITY) - asked;
    last = { refreshToken: last?.refreshToken, ...issued };
    renewAt = asked + Math.max(life - EARLY_MS, life * 0.9);
    await onTokens?.(last);
    return last;
  };
  const next = (): Promise<TokenSet> | undefined => {
    const fields = pending ? undefined : form(last);
    if (fields)
      pending = request(fields).finally(() => {
        pending = undefined;
      });
    return pending;
  };

  return {
    async current(signal) {
      const present = last;
      if (present && Date.now() < renewAt) return present.accessToken;
      const renewed = next();
      if (!renewed) return present?.accessToken ?? '';
      const isAlive = present && Date.now() < (present.expiresAt ?? 0);
      return (await rejectOnAbort(isAlive ? renewed.catch(() => present) : renewed, signal)).accessToken;
    },
    async replace(refused, signal) {
      if (last && last.accessToken !== refused) return true;
      const renewed = next();
      if (renewed) await rejectOnAbort(renewed, signal);
      return renewed !== undefined;
    },
  };
};

/** Requests tokens, again after failures: a grant of these kinds can be repeated. */
const issuer =
  (fetch: Fetch, baseUrl: string, timeoutMs: number, repetition: Repetition) =>
  async (form: Readonly<Record<string, string>>): Promise<TokenSet> => {
    const wire = {
      method: 'POST',
      url: `${baseUrl}/auth/token`,
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: formatQuery(form),
      timeoutMs,
    };
    const repeatedAfter = createRepetitions('always', repetition);
    for (;;) {
      const asked = Date.now();
      try {
        const { data } = await sendOnce(fetch, wire, (response) => readAnswer<Issued>(response, 'envelope'));
        const { access_token: accessToken, expires_in: seconds, refresh_token: refreshToken } = data;
        return { accessToken, expiresAt: asked + seconds * 1_000, ...(refreshToken && { refreshToken }) };
      } catch (error) {
        const ms = repeatedAfter(error);
        if (ms === undefined) throw error;
        await delay(ms);
      }
    }
  };

const withTokens = (tokens: Tokens, apiKey: Readonly<Record<string, string>>): Authentication => ({
  headers: async (signal) => ({ ...apiKey, authorization: `Bearer ${await tokens.current(signal)}` }),
  renew: ({ authorization = '' }, signal) => tokens.replace(authorization.slice('Bearer '.length), signal),
});
