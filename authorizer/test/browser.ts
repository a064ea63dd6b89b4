import { argon2Sync, createHash, randomBytes, randomUUID } from 'node:crypto';
import { IDENTITY_HEADER } from '@boxoffice/identity';
import type { Store } from '@boxoffice/store';
import { beforeAll } from '@jest/globals';
import { applyPassword } from '../src/domain/user.ts';
import { createClient, createPublicClient } from '../src/index.ts';
import { type UserDocument, usersCollection } from '../src/store.ts';
import { removeInvitation } from '../src/users/invitations.ts';
import { createUsers } from '../src/users/users.ts';
import { CALLBACK, type Installation, type Json } from './installation.ts';

export const LOOPBACK = 'http://127.0.0.1/callback';
export const PASSWORD = 'four swans on a cold lake';

const cheapest = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 };
const nonce = Buffer.from('the salt of all.');
const tag = argon2Sync('argon2id', { ...cheapest, message: PASSWORD, nonce });

/** The hash of PASSWORD at the least cost, so that most tests sign in without the work of a real one. */
const PASSWORD_HASH = `$argon2id$v=19$m=8,t=1,p=1$${[nonce, tag].map((one) => one.toString('base64').replaceAll('=', '')).join('$')}`;

/** Gives an invited user PASSWORD, as its page does. `at`: epoch milliseconds. */
const acceptCheaply = async (store: Store, { id, institution, invitation }: UserDocument, at: number) => {
  const users = store.collection(usersCollection).of(institution);
  await users.update(id, (user) => ({ next: applyPassword(user, PASSWORD_HASH, new Date(at)) }));
  await removeInvitation(store, institution, invitation);
};

/** A page or a redirect, as a browser gets it. */
export interface Visited {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parameters that a redirect carries. */
  readonly sent: URLSearchParams;
}

/** A browser: keeps cookies, follows nothing, sends forms. */
export function openBrowser(url: string, origin?: string, cookies = new Map<string, string>()) {
  const visit = async (path: string, init: RequestInit = {}): Promise<Visited> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`${url}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { ...(cookie && { cookie }), ...(init.headers as Record<string, string>) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = pair.split('=', 2);
      if (attributes.includes('Max-Age=0')) cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const sent = new URLSearchParams(location?.includes('?') ? location.slice(location.indexOf('?')) : '');
    return { status: response.status, headers: response.headers, text: await response.text(), sent };
  };
  const post = (path: string, fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}) =>
    visit(path, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(origin === undefined ? {} : { origin, 'sec-fetch-site': 'same-origin' }),
        ...headers,
      },
    });
  return { cookies, visit, post };
}

export type Browser = ReturnType<typeof openBrowser>;

/** The hidden member of the page's form. */
export function readFormToken({ text }: Visited): string {
  return /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';
}

/** A code verifier with its challenge. */
export function createCodeVerifier() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The claims of a token, unverified. */
export function decodeClaims(token: unknown): Json {
  return JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString());
}

export interface Person {
  readonly userId: string;
  readonly login: string;
  readonly institution: string;
}

/** Functions for users and clients of an installation. `now`: its clock, epoch milliseconds. */
export function createPeople(installation: Installation, now: () => number = Date.now) {
  const { store, issuer } = installation;
  const users = createUsers(store, { publicUrl: issuer, now });

  /** A user who has not set a password yet. */
  const invited = (details: object = {}, institution = 'opera') => {
    const registration = { name: 'Ada Lang', role: 'admin', contactNumber: null, pointsOfSale: [], ...details };
    const login = `${randomUUID()}@example.org`;
    return users.create(institution, { login, ...registration } as Parameters<typeof users.create>[1]);
  };

  const person = async (details: object = {}, institution = 'opera'): Promise<Person> => {
    const { user } = await invited(details, institution);
    await acceptCheaply(store, user, now());
    return { userId: user.id, login: user.login, institution };
  };

  const webClient = async (more: Partial<Parameters<typeof createClient>[1]> = {}) =>
    (
      await createPublicClient(store, {
        institution: 'opera',
        name: 'Shop',
        scopes: ['catalog:read', 'orders:read', 'users:read'],
        redirectUris: [CALLBACK, LOOPBACK],
        ...more,
      })
    ).clientId;

  const confidentialClient = async (more: Partial<Parameters<typeof createClient>[1]> = {}) =>
    createClient(store, {
      institution: 'opera',
      name: 'Office',
      scopes: ['catalog:read', 'orders:read'],
      redirectUris: [CALLBACK],
      ...more,
    });

  const browser = (): Browser => openBrowser(installation.url, new URL(issuer).origin);

  const requestOf = (clientId: string, more: Readonly<Record<string, string | undefined>> = {}): string => {
    const parameters = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: CALLBACK,
      code_challenge: createCodeVerifier().challenge,
      code_challenge_method: 'S256',
      state: 'the-state',
      ...more,
    };
    const present = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return `/auth/authorize?${new URLSearchParams(present)}`;
  };

  /** Opens the request and signs in. */
  const signIn = async (
    on: Browser,
    clientId: string,
    { login }: Pick<Person, 'login'>,
    more: Readonly<Record<string, string | undefined>> = {},
    password = PASSWORD,
  ): Promise<Visited> => {
    const page = await on.visit(requestOf(clientId, more));
    return on.post('/auth/authorize', { form: readFormToken(page), login, password });
  };

  const exchange = (clientId: string, code: string | null, verifier: string, more: Record<string, string> = {}) =>
    installation.post('/auth/token', {
      grant_type: 'authorization_code',
      client_id: clientId,
      code: code ?? '',
      redirect_uri: CALLBACK,
      code_verifier: verifier,
      ...more,
    });

  const refresh = (clientId: string, refreshToken: unknown, more: Record<string, string> = {}) =>
    installation.post('/auth/token', {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: String(refreshToken),
      ...more,
    });

  /** Signs in for a code. */
  const code = async (
    clientId: string,
    who: Pick<Person, 'login'>,
    more: Readonly<Record<string, string | undefined>> = {},
    on = browser(),
  ) => {
    const { verifier, challenge } = createCodeVerifier();
    const { sent } = await signIn(on, clientId, who, { code_challenge: challenge, ...more });
    return { code: sent.get('code') ?? '', verifier, challenge };
  };

  /** Signs in and exchanges the code. */
  const tokens = async (clientId: string, who: Pick<Person, 'login'>, scope?: string, on?: Browser): Promise<Json> => {
    const given = await code(clientId, who, { scope }, on);
    return (await exchange(clientId, given.code, given.verifier)).body;
  };

  /** What is sent back without asking the user. */
  const silent = async (on: Browser, clientId: string, more: Readonly<Record<string, string>> = {}) =>
    (await on.visit(requestOf(clientId, { prompt: 'none', ...more }))).sent;

  const userInfo = async (token: string, method = 'GET') => {
    const decision = await installation.decide(token, '', method === 'GET' ? 'getUserInfo' : 'postUserInfo');
    if (decision.status !== 200) return { status: decision.status, body: decision.body };
    const identity = String((decision.body.data as Json).identity);
    const response = await fetch(`${installation.url}/auth/userinfo`, {
      method,
      headers: { [IDENTITY_HEADER]: identity },
    });
    return { status: response.status, body: (await response.json()) as Json };
  };

  const isValid = async (token: unknown): Promise<boolean> =>
    (await installation.decide(String(token), 'catalog:read')).status === 200;

  return {
    users,
    invited,
    person,
    webClient,
    confidentialClient,
    browser,
    requestOf,
    signIn,
    exchange,
    refresh,
    code,
    tokens,
    silent,
    userInfo,
    isValid,
  };
}

export type People = ReturnType<typeof createPeople>;

/** The same for the tests of a suite, whose installation starts before them. */
export function createPeopleForSuite(installation: Installation, now?: () => number): People {
  const people = {} as People;
  beforeAll(() => {
    Object.assign(people, createPeople(installation, now));
  });
  return people;
}
