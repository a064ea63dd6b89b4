import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addClientSecret, removeClientSecret } from '../../src/index.ts';
import { type Installation, type Received, startInstallation, type TestClient, waysTo } from '../installation.ts';

let installation: Installation;
let instances: ReturnType<typeof waysTo>[];

beforeAll(async () => {
  installation = await startInstallation({ instances: 2 });
  instances = installation.services.map(({ url }) => waysTo(url, installation.store));
});
afterAll(() => installation.close());

/** A client with two secrets, and a token obtained by each. */
const begin = async () => {
  const first = await installation.newClient(['catalog:read']);
  const { clientSecret, secrets } = await addClientSecret(installation.store, 'opera', first.clientId);
  const second: TestClient = { ...first, clientSecret };
  const tokens = [await installation.tokenOf(first), await installation.tokenOf(second)] as const;
  return { second, tokens, firstSecretId: String(secrets[0]?.id) };
};

const decisions = (token: string): Promise<Received[]> =>
  Promise.all(instances.map(({ decide }) => decide(token, 'catalog:read')));

const introspections = async (token: string, { clientId, clientSecret }: TestClient): Promise<unknown[]> => {
  const question = { token, client_id: clientId, client_secret: clientSecret };
  const answers = await Promise.all(instances.map(({ post }) => post('/auth/introspect', question)));
  return answers.map(({ body }) => body.data);
};

const statuses = (answers: readonly Received[]) => answers.map(({ status }) => status);

describe('tokens of a withdrawn secret are refused by every instance', () => {
  test('decisions refuse them and introspection reports them inactive; tokens of the other secret stay active', async () => {
    const { second, tokens, firstSecretId } = await begin();
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

  test('the token has no additional claim for that', async () => {
    const { tokens, firstSecretId } = await begin();
    const claims = JSON.parse(Buffer.from(tokens[0].split('.')[1] ?? '', 'base64url').toString());
    expect(Object.keys(claims).sort()).toEqual(
      ['aud', 'client_id', 'exp', 'iat', 'institution', 'iss', 'jti', 'scope', 'sub'].sort(),
    );
    expect(claims.jti.startsWith(`${firstSecretId}.`)).toBe(true);
  });
});
