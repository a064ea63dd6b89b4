import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addClientSecret, removeClientSecret } from '../../src/index.ts';
import { engines, type Installation, type Json, startInstallation } from '../installation.ts';
import { type People, type Person, peopleOf, proof } from '../sign-in/browser.ts';
import { introspect } from '../users/fixture.ts';

const SCOPE = 'openid catalog:read offline_access';
const refused = { status: 400, body: { status: 'bad_request', data: null, error: 'invalid_grant' } };

describe.each(engines)('on $name', (engine) => {
  let installation: Installation;
  let people: People;
  let ada: Person;

  beforeAll(async () => {
    installation = await startInstallation({ engine, instances: 2, isBalanced: true });
    people = peopleOf(installation);
    ada = await people.person();
  });
  afterAll(() => installation.close());

  /** A confidential client with an old and a new secret. */
  const begin = async () => {
    const { clientId, clientSecret: old } = await people.confidentialClient();
    const { clientSecret: latest, secrets } = await addClientSecret(installation.store, 'opera', clientId);
    const [oldId = '', latestId = ''] = secrets.map(({ id }) => id);

    const signIn = async (clientSecret: string): Promise<Json> => {
      const { verifier, challenge } = proof();
      const { sent } = await people.signIn(people.browser(), clientId, ada, {
        code_challenge: challenge,
        scope: SCOPE,
        prompt: 'login',
      });
      return (await people.exchange(clientId, sent.get('code'), verifier, { client_secret: clientSecret })).body;
    };
    const refresh = (token: unknown, clientSecret: string) =>
      people.refresh(clientId, token, { client_secret: clientSecret });
    const withdraw = (secretId: string) => removeClientSecret(installation.store, 'opera', clientId, secretId);
    /** What decision, introspection and userinfo say of a token. */
    const opinions = async (token: unknown) => ({
      decided: await people.isValid(token),
      introspected: (
        (await introspect(installation, { clientId, clientSecret: latest }, String(token))).body.data as Json
      ).active,
      userInfo: (await people.userInfo(String(token))).status,
    });
    return { old, latest, oldId, latestId, signIn, refresh, withdraw, opinions };
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
