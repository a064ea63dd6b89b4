import { createHash, randomBytes } from 'node:crypto';
import type { Client, Reply } from './client.ts';

export function keepCookies(client: Client, origin: string, cookies: Map<string, string> = new Map()): Client {
  return async (path, call = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await client(path, { ...call, headers: { origin, ...(cookie && { cookie }), ...call.headers } });
    for (const line of [reply.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return reply;
  };
}

/** An authorization request (RFC 6749, section 4.1) with a code verifier (RFC 7636). */
export function createAuthorizationRequest(clientId: string, redirectUri: string, scope?: string) {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(scope !== undefined && { scope }),
  });
  return {
    path: `/auth/authorize?${query}`,
    createExchange: (code = '') => ({
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    }),
  };
}

export function sendForm(browser: Client, { text }: Reply, fields: Readonly<Record<string, string>>): Promise<Reply> {
  const form = /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';
  return browser('/auth/authorize', { method: 'POST', body: new URLSearchParams({ form, ...fields }) });
}

/** The code that a redirect to a client carries; undefined without one. */
export function readCode({ headers }: Reply): string | undefined {
  return URL.parse(String(headers.location))?.searchParams.get('code') ?? undefined;
}
