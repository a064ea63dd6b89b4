import { createHash, randomBytes } from 'node:crypto';
import { type Client, type Json, openClient } from '@boxoffice/testkit';
import type { DemoApiUser, DemoClient, Product } from './product.ts';

/** The cookies that an answer sets, as a request sends them. */
const cookiesOf = (headers: Readonly<Record<string, string | string[] | undefined>>): string =>
  [headers['set-cookie'] ?? []]
    .flat()
    .map((line) => line.split(';', 1)[0])
    .join('; ');

export interface SignedIn {
  /** The answer of the token endpoint. */
  readonly tokens: Json;
  /** Calls with the user's access token. */
  readonly client: Client;
}

/** Signs a user in at a public client of the demo data through the gateway, as a browser and the client do. */
export const signIn = async (
  product: Pick<Product, 'address'>,
  client: DemoClient,
  { login, password }: Pick<DemoApiUser, 'login' | 'password'>,
  scope?: string,
): Promise<SignedIn> => {
  const call = openClient(product.address);
  const verifier = randomBytes(32).toString('base64url');
  const redirectUri = `${product.address.baseUrl}/callback`;
  const request = new URLSearchParams({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(scope === undefined ? {} : { scope }),
  });
  const page = await call(`/auth/authorize?${request}`);
  const form = /name="form" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const answer = await call('/auth/authorize', {
    method: 'POST',
    headers: { cookie: cookiesOf(page.headers), origin: new URL(product.address.baseUrl).origin },
    body: new URLSearchParams({ form, login, password }),
  });
  const code = URL.parse(String(answer.headers.location))?.searchParams.get('code');
  if (!code) throw new Error(`${login} was not signed in: ${answer.status} ${answer.headers.location ?? answer.text}`);
  const exchange = { grant_type: 'authorization_code', client_id: client.clientId, code, redirect_uri: redirectUri };
  const body = new URLSearchParams({ ...exchange, code_verifier: verifier });
  const { status, body: tokens, text } = await call('/auth/token', { method: 'POST', body });
  if (status !== 200) throw new Error(`no token for ${login}: ${status} ${text}`);
  return {
    tokens,
    client: openClient(product.address, { headers: { authorization: `Bearer ${tokens.access_token}` } }),
  };
};
