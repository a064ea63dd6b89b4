// Tokens: getting, renewing and sending them.

import type { Tokens } from './tokens.ts';

/** The headers that authenticate requests. */
export interface Authentication {
  /** The headers of the next request; gets or renews the token if need be. */
  headers(signal?: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** After a 401 to these headers: whether there are other ones now. */
  renew(used: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<boolean>;
}

/** No token; with an API key, public data. */
export const withoutToken = (apiKey: Readonly<Record<string, string>>): Authentication => ({
  headers: async () => apiKey,
  renew: async () => false,
});

/** The application has the token: it is asked before each request, and once more after a 401. */
export const withTokenOf = (
  tokenOf: () => string | Promise<string>,
  apiKey: Readonly<Record<string, string>>,
): Authentication => {
  const headers = async () => ({ ...apiKey, authorization: `Bearer ${await tokenOf()}` });
  return { headers, renew: async (used) => (await headers()).authorization !== used.authorization };
};

/** Tokens of this client. */
export const withTokens = (tokens: Tokens, apiKey: Readonly<Record<string, string>>): Authentication => ({
  headers: async (signal) => ({ ...apiKey, authorization: `Bearer ${await tokens.current(signal)}` }),
  renew: ({ authorization = '' }, signal) => tokens.replace(authorization.slice('Bearer '.length), signal),
});
