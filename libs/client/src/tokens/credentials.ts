import { type Fetch, readAnswer, sent } from '../http/exchange.ts';
import { createRepetitions, type Repetition } from '../http/repeat.ts';
import { queryOf } from '../http/request.ts';
import { delay } from '../http/wait.ts';
import type { Credentials } from '../options.ts';
import { type Authentication, withoutToken, withTokenOf, withTokens } from './authentication.ts';
import { createTokens, type TokenSet } from './tokens.ts';

interface Issued {
  readonly access_token: string;
  readonly expires_in: number;
  readonly refresh_token?: string;
}

/** Requests tokens, again after failures: a grant of these kinds can be repeated. */
const issuer =
  (fetch: Fetch, baseUrl: string, timeoutMs: number, repetition: Repetition) =>
  async (form: Readonly<Record<string, string>>): Promise<TokenSet> => {
    const wire = {
      method: 'POST',
      url: `${baseUrl}/auth/token`,
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: queryOf(form),
      timeoutMs,
    };
    const repeatedAfter = createRepetitions('always', repetition);
    for (;;) {
      const asked = Date.now();
      try {
        const { data } = await sent(fetch, wire, (response) => readAnswer<Issued>(response, 'envelope'));
        const { access_token: accessToken, expires_in: seconds, refresh_token: refreshToken } = data;
        return { accessToken, expiresAt: asked + seconds * 1_000, ...(refreshToken && { refreshToken }) };
      } catch (error) {
        const ms = repeatedAfter(error);
        if (ms === undefined) throw error;
        await delay(ms);
      }
    }
  };

/** @throws {TypeError} when the credentials do not belong together */
const checked = (credentials: Credentials): Credentials => {
  const { clientId, clientSecret, accessToken, refreshToken } = credentials;
  if (clientSecret !== undefined && clientId === undefined) throw new TypeError('clientSecret needs clientId');
  if (refreshToken !== undefined && clientId === undefined) throw new TypeError('refreshToken needs clientId');
  if (refreshToken !== undefined && typeof accessToken !== 'string')
    throw new TypeError('refreshToken needs the accessToken that came with it');
  if (clientId !== undefined && clientSecret === undefined && refreshToken === undefined)
    throw new TypeError('clientId needs clientSecret, or accessToken and refreshToken');
  return credentials;
};

/** What authenticates the requests of a client. */
export const authenticationOf = (
  given: Credentials,
  baseUrl: string,
  fetch: Fetch,
  timeoutMs: number,
  repetition: Repetition,
): Authentication => {
  const { clientId, clientSecret, scope, accessToken, refreshToken, expiresAt, onTokens, apiKey } = checked(given);
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
};
