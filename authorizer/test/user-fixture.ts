import { randomBytes } from 'node:crypto';
import { createIdentityVerifier } from '@boxoffice/identity';
import type { Role } from '../src/domain/roles.ts';
import { accessClaims, SCOPES, signAccessToken } from '../src/index.ts';
import { createKeyRing } from '../src/keys/key-ring.ts';
import { grantsCollection, usersCollection } from '../src/store.ts';
import { PASSWORD } from './browser.ts';
import { basic, type Installation, type Json, keyEncryptionKey, type TestClient } from './installation.ts';

export interface TestUser {
  readonly userId: string;
  readonly login: string;
}

let made = 0;

/** A new login. */
export const newLogin = (): string => {
  made += 1;
  return `user-${made}-${process.pid}@opera.example`;
};

/** Functions on the users of an installation. */
export const usersIn = (installation: Installation) => {
  const { url, store, issuer } = installation;

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

  /** A user who has accepted the invitation. */
  const active = async (token: string, role: Role, more: object = {}): Promise<TestUser> => {
    const login = newLogin();
    const answer = await create(token, { login, name: 'Ann Other', role, ...more });
    if (answer.status !== 201) throw new Error(answer.text);
    const { userId, invitation } = answer.body.data as { userId: string; invitation: { url: string } };
    const accepted = await accept(invitation.url, PASSWORD);
    if (accepted.status !== 200) throw new Error(await accepted.text());
    return { userId, login };
  };

  /** An access token of the user for the client, as a sign-in gives it. */
  const tokenOf = async (userId: string, client: TestClient, institution = 'opera'): Promise<string> => {
    const user = await store.collection(usersCollection).of(institution).get(userId);
    if (!user) throw new Error(`there is no user ${userId}`);
    const { role, contactNumber, pointsOfSale } = user;
    const { kid, privateKey } = (await ring()).signing();
    const signedInAt = Date.now();
    const grant = await store
      .collection(grantsCollection)
      .of(institution)
      .insert({
        id: `gnt_${randomBytes(32).toString('base64url')}`,
        clientId: client.clientId,
        userId,
        scopes: SCOPES,
        redirectUri: 'https://shop.example.org/callback',
        challenge: 'A'.repeat(43),
        nonce: null,
        sessionId: 'none',
        signedInAt,
        createdAt: signedInAt,
        exchangedAt: signedInAt,
        endedAt: null,
        secretId: null,
        refresh: null,
        expiresAt: signedInAt + 900_000,
      });
    const claims = accessClaims({
      issuer,
      client: { id: client.clientId, institution },
      origin: { grantId: grant.id, secretId: undefined },
      scopes: SCOPES,
      lifetime: 900,
      now: Date.now(),
      user: { id: userId, role, contact: contactNumber, pointsOfSale, authTime: Math.floor(Date.now() / 1_000) },
    });
    return signAccessToken(JSON.stringify(claims), kid, privateKey);
  };

  /** The caller that a service sees for a token. */
  const callerOf = async (token: string, scope = '', operation = 'x') => {
    const { status, body } = await installation.decide(token, scope, operation, 'orders');
    if (status !== 200) return { status, caller: undefined };
    const key = createIdentityVerifier({ keys: (await ring()).keySet, audience: 'orders' });
    return { status, caller: await key(String((body.data as Json).identity)) };
  };
  const ring = async () => {
    const keys = createKeyRing({ store, secret: keyEncryptionKey, longestLifetimeMs: 900_000 });
    await keys.load();
    return keys;
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
};

/** Introspects a token as the client. */
export const introspect = (installation: Installation, { clientId, clientSecret }: TestClient, token: string) =>
  installation.post('/auth/introspect', { token }, { authorization: basic(clientId, clientSecret) });
