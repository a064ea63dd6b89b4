import { createHash, randomBytes } from 'node:crypto';
import { type Client, openClient } from '@boxoffice/testkit';
import { type AuthorizerAnnouncement, REDIRECT_URI } from '../programs/announcement.ts';

/** What a login attempt needs to say. */
export interface LoginAttempt {
  readonly login: string;
  readonly password: string;
  /** The address that the gateway would report. */
  readonly address: string;
}

const verifier = randomBytes(32).toString('base64url');
const challenge = createHash('sha256').update(verifier).digest('base64url');

/** The path of an authorization request of the benchmark's public client. */
export const authorizePath = ({ publicId }: AuthorizerAnnouncement, scope: string): string => {
  const parameters = {
    response_type: 'code',
    client_id: publicId,
    redirect_uri: REDIRECT_URI,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope,
  };
  return `/auth/authorize?${new URLSearchParams(parameters)}`;
};

/** The form by which a code is exchanged. */
export const exchangeOf = ({ publicId }: AuthorizerAnnouncement, code: string): string =>
  new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: publicId,
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
  }).toString();

/** The code in the address that a browser is led to; undefined if there is none. */
export const codeIn = (location: unknown): string | undefined =>
  /[?&]code=([A-Za-z0-9_-]{43})/.exec(String(location))?.[1];

/** Sends a login and its password, as a browser that has just opened the page; resolves to the answer. */
export const openLogin = async (
  client: Client,
  announced: AuthorizerAnnouncement,
): Promise<(attempt: LoginAttempt) => ReturnType<Client>> => {
  const cookieOf = (lines: string | string[] | undefined): string =>
    [lines ?? []]
      .flat()
      .map((line) => line.split(';', 1)[0])
      .join('; ');
  return async ({ login, password, address }) => {
    const page = await client(authorizePath(announced, 'contacts:read'));
    const form = /name="form" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    return client('/auth/authorize', {
      method: 'POST',
      headers: { cookie: cookieOf(page.headers['set-cookie']), 'x-forwarded-for': address },
      body: new URLSearchParams({ form, login, password }),
    });
  };
};

/** Signs the benchmark's user in; returns the browser's cookie. @throws {Error} when the sign-in fails */
export const sessionOf = async (announced: AuthorizerAnnouncement): Promise<string> => {
  const login = await openLogin(openClient({ baseUrl: announced.url }), announced);
  const answer = await login({ ...announced.user, address: '192.0.2.1' });
  const cookie = [answer.headers['set-cookie'] ?? []]
    .flat()
    .find((line) => line.startsWith('__Host-boxoffice-session='))
    ?.split(';', 1)[0];
  if (cookie === undefined) throw new Error(`the user was not signed in: ${answer.status}`);
  return cookie;
};

/** A token of the benchmark's user; returns the value of the Authorization header. @throws {Error} without one */
export const userAuthorizationOf = async (announced: AuthorizerAnnouncement): Promise<string> => {
  const client = openClient({ baseUrl: announced.url });
  const headers = { cookie: await sessionOf(announced) };
  const { headers: answer } = await client(authorizePath(announced, 'contacts:read'), { headers });
  const body = exchangeOf(announced, codeIn(answer.location) ?? '');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const { body: tokens, text } = await client('/auth/token', { method: 'POST', headers: form, body });
  if (typeof tokens?.access_token !== 'string') throw new Error(`no token for the user: ${text}`);
  return `Bearer ${tokens.access_token}`;
};
