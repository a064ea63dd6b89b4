import { createIdentityVerifier, createKeySet } from '@boxoffice/identity';
import type { Role } from '../src/domain/scopes.ts';
import { SCOPES } from '../src/index.ts';
import { usersCollection } from '../src/store.ts';
import { acceptCheaply, createCodeVerifier, createPeople } from './browser.ts';
import type { Installation, Json, TestClient } from './installation.ts';

export interface TestUser {
  readonly userId: string;
  readonly login: string;
}

let made = 0;

/** A new login. */
export function createLoginName(): string {
  made += 1;
  return `user-${made}-${process.pid}@opera.example`;
}

/** Functions on the users of an installation. */
export function createUserFixture(installation: Installation) {
  const { url, store, issuer } = installation;
  const people = createPeople(installation);

  /** Calls an operation on users like the gateway. */
  const call = (
    token: string,
    operation: string,
    scope: string,
    [method, path]: readonly [string, string],
    more?: Parameters<Installation['callAt']>[5],
  ) => installation.callAt(token, operation, scope, method, `/svc/v3/users${path}`, more);

  const create = (token: string, body: object, headers: Record<string, string> = {}) =>
    call(token, 'createUser', 'users:write', ['POST', ''], { body, headers });
  const get = (token: string, id: string) => call(token, 'getUser', 'users:read', ['GET', `/${id}`]);
  const patch = (token: string, id: string, body: object, headers: Record<string, string> = {}) =>
    call(token, 'updateUser', 'users:write', ['PATCH', `/${id}`], { body, headers });
  const remove = (token: string, id: string) => call(token, 'deleteUser', 'users:write', ['DELETE', `/${id}`]);
  const invite = (token: string, id: string, headers: Record<string, string> = {}) =>
    call(token, 'createUserInvitation', 'users.sensitive:write', ['POST', `/${id}/invitation`], { headers });
  const list = (token: string, query = '') => call(token, 'listUsers', 'users:read', ['GET', query]);
  const me = (token: string) => call(token, 'getMe', '', ['GET', '/me']);
  const changePassword = (token: string, body: object, address = '192.0.2.7') =>
    call(token, 'changeMyPassword', '', ['POST', '/me/password'], { body, headers: { 'x-forwarded-for': address } });

  /** The page of an invitation, and its form. */
  const page = async (link: string) => fetch(`${url}${link.slice(issuer.length)}`);
  const accept = async (link: string, password: string, repeat = password) => {
    const form = new URLSearchParams({ token: new URL(link).searchParams.get('token') ?? '', password, repeat });
    return fetch(`${url}/auth/invitation`, { method: 'POST', body: form });
  };

  /** A client with every scope, and its token. */
  const withAll = async (institution = 'opera'): Promise<{ client: TestClient; token: string }> => {
    const client = await installation.newClient([...SCOPES], institution);
    return { client, token: await installation.tokenOf(client) };
  };

  /** A user with PASSWORD. */
  const active = async (token: string, role: Role, more: object = {}): Promise<TestUser> => {
    const login = createLoginName();
    const answer = await create(token, { login, name: 'Ann Other', role, ...more });
    if (answer.status !== 201) throw new Error(answer.text);
    const { userId } = answer.body.data as { userId: string };
    const user = await store.collection(usersCollection).acrossInstitutions.get(userId);
    if (user) await acceptCheaply(store, user);
    return { userId, login };
  };

  /** An access token of the user for the client, which gets it by a sign-in. */
  const tokenOf = async (user: TestUser, { clientId, clientSecret }: TestClient): Promise<string> => {
    const { verifier, challenge } = createCodeVerifier();
    const { sent } = await people.signIn(people.browser(), clientId, user, { code_challenge: challenge });
    const secret = { client_secret: clientSecret };
    return String((await people.exchange(clientId, sent.get('code'), verifier, secret)).body.access_token);
  };

  /** The caller that a service sees for a token. */
  const callerOf = async (token: string, scope = '', operation = 'x') => {
    const { status, body } = await installation.decide(token, scope, operation, 'orders');
    if (status !== 200) return { status, caller: undefined };
    const verify = createIdentityVerifier({ keys: createKeySet({ url: `${url}/auth/jwks` }), audience: 'orders' });
    return { status, caller: await verify(String((body.data as Json).identity)) };
  };

  return {
    call,
    create,
    get,
    patch,
    remove,
    invite,
    list,
    me,
    changePassword,
    page,
    accept,
    withAll,
    active,
    tokenOf,
    callerOf,
  };
}
