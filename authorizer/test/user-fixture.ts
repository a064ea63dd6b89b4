import { createIdentityVerifier, createKeySet } from '@boxoffice/identity';
import { SCOPES } from '../src/index.ts';
import { createPeople, type Person } from './browser.ts';
import type { Installation, Json, TestClient } from './installation.ts';

let made = 0;

/** A new login. */
export function createLoginName(): string {
  made += 1;
  return `user-${made}-${process.pid}@opera.example`;
}

/** Functions on the users of an installation. */
export function createUserFixture(installation: Installation) {
  const { url, issuer } = installation;
  const people = createPeople(installation);

  const { send } = installation;
  const create = (token: string, body: object, headers?: Record<string, string>) =>
    send(token, 'createUser', {}, { body, headers });
  const get = (token: string, userId: string) => send(token, 'getUser', { userId });
  const patch = (token: string, userId: string, body: object, headers?: Record<string, string>) =>
    send(token, 'updateUser', { userId }, { body, headers });
  const remove = (token: string, userId: string) => send(token, 'deleteUser', { userId });
  const invite = (token: string, userId: string, headers?: Record<string, string>) =>
    send(token, 'createUserInvitation', { userId }, { headers });
  const list = (token: string, query = '') => send(token, 'listUsers', {}, { query });
  const me = (token: string) => send(token, 'getMe');
  const changePassword = (token: string, body: object, address = '192.0.2.7') =>
    send(token, 'changeMyPassword', {}, { body, headers: { 'x-forwarded-for': address } });

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

  /** An access token of the user for the client, which gets it by a sign-in. */
  const tokenOf = async (user: Pick<Person, 'login'>, { clientId, clientSecret }: TestClient): Promise<string> => {
    const { code, verifier } = await people.code(clientId, user);
    const secret = { client_secret: clientSecret };
    return String((await people.exchange(clientId, code, verifier, secret)).body.access_token);
  };

  /** The caller that a service sees for a token. */
  const callerOf = async (token: string, scope = '', operation = 'x') => {
    const { status, body } = await installation.decide(token, scope, operation, 'orders');
    if (status !== 200) return { status, caller: undefined };
    const verify = createIdentityVerifier({ keys: createKeySet({ url: `${url}/auth/jwks` }), audience: 'orders' });
    return { status, caller: await verify(String((body.data as Json).identity)) };
  };

  return {
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
    person: people.person,
    tokenOf,
    callerOf,
  };
}
