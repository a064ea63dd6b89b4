import { beforeAll, describe, expect, test } from '@jest/globals';
import { addClientSecret, removeClientSecret } from '../src/index.ts';
import { createPeopleForSuite, type Person } from './browser.ts';
import {
  createRequests,
  engines,
  type Json,
  type Received,
  startInstallationForSuite,
  type TestClient,
} from './installation.ts';

describe.each(engines)('a withdrawn secret ends the tokens that it obtained, on $name', (engine) => {
  const SCOPE = 'openid catalog:read offline_access';
  const refused = { status: 400, body: { status: 'bad_request', data: null, error: 'invalid_grant' } };

  const installation = startInstallationForSuite({ engine, instances: 2, isBalanced: true });
  const people = createPeopleForSuite(installation);
  let ada: Person;
  let instances: ReturnType<typeof createRequests>[];

  beforeAll(async () => {
    instances = installation.services.map(({ url }) => createRequests(url, installation.store));
    ada = await people.person();
  });

  /** A client with two secrets, and a token obtained by each. */
  const beginOwn = async () => {
    const first = await installation.newClient(['catalog:read']);
    const { clientSecret, secrets } = await addClientSecret(installation.store, 'opera', first.clientId);
    const second: TestClient = { ...first, clientSecret };
    const tokens = [await installation.tokenOf(first), await installation.tokenOf(second)] as const;
    return { second, tokens, firstSecretId: String(secrets[0]?.id) };
  };

  const decisions = (token: string): Promise<Received[]> =>
    Promise.all(instances.map(({ decide }) => decide(token, 'catalog:read')));

  const introspections = async (token: string, client: TestClient): Promise<unknown[]> => {
    const answers = await Promise.all(instances.map(({ introspect }) => introspect(token, client)));
    return answers.map(({ body }) => body.data);
  };

  const statuses = (answers: readonly Received[]) => answers.map(({ status }) => status);

  test('decisions refuse them and introspection reports them inactive; tokens of the other secret stay active', async () => {
    const { second, tokens, firstSecretId } = await beginOwn();
    const [ended, living] = tokens;
    for (const token of tokens) {
      expect(statuses(await decisions(token))).toEqual([200, 200]);
      expect(await introspections(token, second)).toEqual([
        expect.objectContaining({ active: true }),
        expect.objectContaining({ active: true }),
      ]);
    }
    await removeClientSecret(installation.store, 'opera', second.clientId, firstSecretId);
    for (const { status, headers, body } of await decisions(ended)) {
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"']);
      expect(body).toMatchObject({ status: 'unauthorized', data: null });
    }
    expect(await introspections(ended, second)).toEqual([{ active: false }, { active: false }]);
    expect(statuses(await decisions(living))).toEqual([200, 200]);
    expect(await introspections(living, second)).toEqual([
      expect.objectContaining({ active: true }),
      expect.objectContaining({ active: true }),
    ]);
  });

  test('a token that it obtains from an instance with an outdated cache is refused, too', async () => {
    const client = await installation.newClient(['catalog:read']);
    const ways = instances[1];
    // The other instance has the client in its cache now.
    await ways?.askToken(client);
    const added = await addClientSecret(installation.store, 'opera', client.clientId);
    await removeClientSecret(installation.store, 'opera', client.clientId, String(added.secrets[0]?.id));
    const answer = await ways?.askToken(client);
    if (answer?.status === 200) expect(statuses(await decisions(String(answer.body.access_token)))).toEqual([401, 401]);
    else expect(answer?.status).toBe(401);
  });

  /** A confidential client with an old and a new secret. */
  const begin = async () => {
    const { clientId, clientSecret: old } = await people.confidentialClient();
    const { clientSecret: latest, secrets } = await addClientSecret(installation.store, 'opera', clientId);
    const [oldId = ''] = secrets.map(({ id }) => id);

    const signIn = async (clientSecret: string): Promise<Json> => {
      const { code, verifier } = await people.code(clientId, ada, { scope: SCOPE, prompt: 'login' });
      return (await people.exchange(clientId, code, verifier, { client_secret: clientSecret })).body;
    };
    const refresh = (token: unknown, clientSecret: string) =>
      people.refresh(clientId, token, { client_secret: clientSecret });
    const withdraw = (secretId: string) => removeClientSecret(installation.store, 'opera', clientId, secretId);
    /** What decision, introspection and userinfo say of a token. */
    const opinions = async (token: unknown) => ({
      decided: await people.isValid(token),
      introspected: (
        (await installation.introspect(String(token), { clientId, clientSecret: latest })).body.data as Json
      ).active,
      userInfo: (await people.userInfo(String(token))).status,
    });
    return { old, latest, oldId, signIn, refresh, withdraw, opinions };
  };
  const VALID = { decided: true, introspected: true, userInfo: 200 };
  const ENDED = { decided: false, introspected: false, userInfo: 401 };

  test('the tokens and the refresh chain of a code that it exchanged end; those of the other secret go on', async () => {
    const { old, latest, oldId, signIn, refresh, withdraw, opinions } = await begin();
    const [ending, living] = [await signIn(old), await signIn(latest)];
    expect([await opinions(ending.access_token), await opinions(living.access_token)]).toEqual([VALID, VALID]);
    await withdraw(oldId);
    expect([await opinions(ending.access_token), await opinions(living.access_token)]).toEqual([ENDED, VALID]);
    expect(await refresh(ending.refresh_token, latest)).toMatchObject(refused);
    expect((await refresh(living.refresh_token, latest)).status).toBe(200);
  });

  test('a chain that was refreshed with the new secret before goes on, without the access tokens of the old one', async () => {
    const { old, latest, oldId, signIn, refresh, withdraw, opinions } = await begin();
    const first = await signIn(old);
    const { body: second } = await refresh(first.refresh_token, latest);
    await withdraw(oldId);
    expect([await opinions(first.access_token), await opinions(second.access_token)]).toEqual([ENDED, VALID]);
    expect((await refresh(second.refresh_token, latest)).status).toBe(200);
  });

  test('a chain whose last refresh it made ends, also one of whose answers it repeated', async () => {
    const { old, latest, oldId, signIn, refresh, withdraw, opinions } = await begin();
    const first = await signIn(latest);
    const { body: second } = await refresh(first.refresh_token, old);
    const other = await signIn(latest);
    const { body: answer } = await refresh(other.refresh_token, latest);
    const { body: repeated } = await refresh(other.refresh_token, old);
    expect(repeated.refresh_token).toBe(answer.refresh_token);
    await withdraw(oldId);
    for (const { access_token, refresh_token } of [second, repeated]) {
      expect(await opinions(access_token)).toEqual(ENDED);
      expect(await refresh(refresh_token, latest)).toMatchObject(refused);
    }
  });

  test('a chain that it ended stays so, and the tokens of public clients are not concerned', async () => {
    const { old, latest, oldId, signIn, refresh, withdraw, opinions } = await begin();
    const ending = await signIn(old);
    const own = await people.tokens(await people.webClient(), ada, 'catalog:read');
    await withdraw(oldId);
    for (let time = 0; time < 2; time += 1) {
      expect(await refresh(ending.refresh_token, latest)).toMatchObject(refused);
      expect(await opinions(ending.access_token)).toEqual(ENDED);
    }
    expect(await people.isValid(own.access_token)).toBe(true);
  });
});
