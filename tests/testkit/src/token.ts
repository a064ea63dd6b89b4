import type { Client } from './client.ts';

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Tokens live for fifteen minutes unless an installation sets another lifetime. */
const RENEWED_AFTER_MS = 8 * 60_000;

/**
 * Requests a token (RFC 6749, section 4.4: client credentials); returns the value of the Authorization header.
 * @throws {Error} when there is none
 */
export const authorizationOf = async (client: Client, { clientId, clientSecret }: Credentials): Promise<string> => {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const { status, body, text } = await client('/auth/token', { method: 'POST', body: new URLSearchParams(form) });
  if (status !== 200) throw new Error(`no token for client ${clientId}: ${status} ${text}`);
  return `Bearer ${body.access_token}`;
};

/**
 * Returns a client that sends a token with every call. It requests the token before its first call, again after eight
 * minutes, and again after a request for one has failed.
 */
export const withToken = (
  client: Client,
  credentials: Credentials,
  now: () => number = () => performance.now(),
): Client => {
  let current: { readonly value: Promise<string>; readonly at: number } | undefined;
  const authorization = (): Promise<string> => {
    if (current && now() - current.at <= RENEWED_AFTER_MS) return current.value;
    const requested = { value: authorizationOf(client, credentials), at: now() };
    requested.value.catch(() => {
      if (current === requested) current = undefined;
    });
    current = requested;
    return requested.value;
  };
  return async (path, call = {}) =>
    client(path, { ...call, headers: { authorization: await authorization(), ...call.headers } });
};
