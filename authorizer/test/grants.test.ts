import { createMetrics, type Metrics } from '@boxoffice/runtime';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createRecordUsage } from '../src/index.ts';
import {
  createCodeVerifier,
  createPeople,
  createPeopleForSuite,
  decodeClaims,
  type People,
  type Person,
} from './browser.ts';
import { engines, type Installation, startInstallation, startInstallationForSuite } from './installation.ts';

describe.each(engines)('codes and refresh tokens are used once, on $name', (engine) => {
  const installation = startInstallationForSuite({ engine, instances: 2, isBalanced: true });
  const people = createPeopleForSuite(installation);
  let client: string;
  let ada: Person;

  beforeAll(async () => {
    client = await people.webClient();
    ada = await people.person();
  });

  const codeOf = (scope?: string, clientId = client) => people.code(clientId, ada, { scope });
  const refused = { status: 400, body: { status: 'bad_request', data: null, error: 'invalid_grant' } };
  const withoutScope = { status: 400, body: { status: 'invalid_parameter', data: null, error: 'invalid_scope' } };

  describe('a code', () => {
    test('gives tokens of the user, with envelope and RFC members', async () => {
      const { code, verifier } = await codeOf('openid profile email offline_access catalog:read');
      const { status, body, headers } = await people.exchange(client, code, verifier);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(body).toMatchObject({
        status: 'success',
        token_type: 'Bearer',
        expires_in: 900,
        data: { scope: body.scope },
      });
      expect(body.scope).toBe('openid profile email offline_access catalog:read');
      expect(body.refresh_token).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(decodeClaims(body.access_token)).toMatchObject({
        iss: installation.issuer,
        aud: installation.issuer,
        sub: ada.userId,
        client_id: client,
        institution: 'opera',
        role: 'admin',
        auth_time: expect.any(Number),
      });
      expect(decodeClaims(body.id_token)).toMatchObject({
        iss: installation.issuer,
        sub: ada.userId,
        aud: client,
        name: 'Ada Lang',
        email: ada.login,
        email_verified: false,
        at_hash: expect.any(String),
      });
    });

    test('without offline_access and openid there are neither refresh token nor ID token', async () => {
      const { code, verifier } = await codeOf();
      const { body } = await people.exchange(client, code, verifier);
      expect(body).not.toHaveProperty('refresh_token');
      expect(body).not.toHaveProperty('id_token');
    });

    test.each([
      ['a wrong verifier', () => ({ code_verifier: createCodeVerifier().verifier })],
      ['a malformed verifier', () => ({ code_verifier: 'x' })],
      ['the challenge as verifier', (challenge: string) => ({ code_verifier: challenge })],
      ['another redirect URI', () => ({ redirect_uri: 'http://127.0.0.1/callback' })],
    ] as [string, (challenge: string) => Record<string, string>][])('ends with %s', async (_name, wrong) => {
      const { code, verifier, challenge } = await codeOf();
      expect(await people.exchange(client, code, verifier, wrong(challenge))).toMatchObject(refused);
      expect(await people.exchange(client, code, verifier)).toMatchObject(refused);
    });

    test('sent a hundred times at once wins once, then all its tokens end', async () => {
      const { code, verifier } = await codeOf('catalog:read offline_access');
      const answers = await Promise.all(Array.from({ length: 100 }, () => people.exchange(client, code, verifier)));
      const won = answers.filter(({ status }) => status === 200);
      expect(won).toHaveLength(1);
      for (const answer of answers) if (answer.status !== 200) expect(answer).toMatchObject(refused);
      expect(await people.isValid(won[0]?.body.access_token)).toBe(false);
      expect(await people.refresh(client, won[0]?.body.refresh_token)).toMatchObject(refused);
    });

    test.each(['code', 'redirect_uri', 'code_verifier', 'client_id'])('needs the parameter %s', async (name) => {
      const { code, verifier } = await codeOf();
      expect(await people.exchange(client, code, verifier, { [name]: '' })).toMatchObject({
        status: 400,
        body: { status: 'missing_parameter', error: 'invalid_request' },
      });
    });

    test('whose scopes the role has lost since gives no token', async () => {
      const person = await people.person({ role: 'manager' });
      const { code, verifier } = await people.code(client, person, { scope: 'orders:read offline_access' });
      await people.users.amend('opera', person.userId, { role: 'door' });
      expect(await people.exchange(client, code, verifier)).toMatchObject(withoutScope);
    });

    test('of a confidential client needs its authentication', async () => {
      const { clientId, clientSecret } = await people.confidentialClient();
      const { code, verifier } = await codeOf('catalog:read', clientId);
      for (const wrong of [{}, { client_secret: 'wrong' }]) {
        expect(await people.exchange(clientId, code, verifier, wrong as Record<string, string>)).toMatchObject({
          status: 401,
          body: { status: 'unauthorized', error: 'invalid_client' },
        });
      }
      expect((await people.exchange(clientId, code, verifier, { client_secret: clientSecret })).status).toBe(200);
    });
  });

  test('a public client gets no token of its own', async () => {
    const ask = (more: Record<string, string>) =>
      installation.post('/auth/token', { grant_type: 'client_credentials', client_id: client, ...more });
    for (const more of [{}, { client_secret: 'x' }]) {
      expect(await ask(more as Record<string, string>)).toMatchObject({
        status: 401,
        body: { status: 'unauthorized', error: 'invalid_client' },
      });
    }
  });

  test('an access token gives userinfo by scope, and none without openid', async () => {
    const { access_token: token } = await people.tokens(client, ada, 'openid profile email');
    for (const method of ['GET', 'POST']) {
      expect(await people.userInfo(String(token), method)).toEqual({
        status: 200,
        body: { sub: ada.userId, name: 'Ada Lang', email: ada.login, email_verified: false },
      });
    }
    const { access_token: plain } = await people.tokens(client, ada, 'catalog:read');
    expect((await people.userInfo(String(plain))).status).toBe(403);
    const { access_token: only } = await people.tokens(client, ada, 'openid');
    expect((await people.userInfo(String(only))).body).toEqual({ sub: ada.userId });
  });

  describe('a refresh token', () => {
    const start = async () => people.tokens(client, ada, 'openid catalog:read orders:read offline_access');

    test('is used once; its successor goes on', async () => {
      const first = await start();
      const second = await people.refresh(client, first.refresh_token);
      expect(second.status).toBe(200);
      expect(second.body.refresh_token).not.toBe(first.refresh_token);
      expect(decodeClaims(second.body.id_token).auth_time).toBe(decodeClaims(first.id_token).auth_time);
      expect((await people.refresh(client, second.body.refresh_token)).status).toBe(200);
    });

    test('gives an ID token without the nonce of the sign-in', async () => {
      const request = { scope: 'openid offline_access', nonce: 'n-0S6_WzA2Mj' };
      const { code, verifier } = await people.code(client, ada, request);
      const { body } = await people.exchange(client, code, verifier);
      expect(decodeClaims(body.id_token).nonce).toBe('n-0S6_WzA2Mj');
      const refreshed = await people.refresh(client, body.refresh_token);
      expect(decodeClaims(refreshed.body.id_token)).toMatchObject({ sub: ada.userId, aud: client });
      expect(decodeClaims(refreshed.body.id_token)).not.toHaveProperty('nonce');
    });

    test('sent again at once gets the same successor and a new access token', async () => {
      const { refresh_token: token } = await start();
      const answers = await Promise.all(Array.from({ length: 10 }, () => people.refresh(client, token)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
      expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(10);
    });

    test.each([
      [
        'after the successor was used',
        async (token: unknown, successor: unknown) => {
          await people.refresh(client, successor);
          return people.refresh(client, token);
        },
      ],
      ['for another scope', (token: unknown) => people.refresh(client, token, { scope: 'catalog:read' })],
      ['by another client', async (token: unknown) => people.refresh(await people.webClient(), token)],
    ])('used a second time %s ends the chain and its access tokens', async (_name, again) => {
      const { refresh_token: token } = await start();
      const { body } = await people.refresh(client, token);
      expect(await people.isValid(body.access_token)).toBe(true);
      expect(await again(token, body.refresh_token)).toMatchObject(refused);
      expect(await people.isValid(body.access_token)).toBe(false);
      expect(await people.refresh(client, body.refresh_token)).toMatchObject(refused);
    });

    test('is of no use to another client, which changes nothing', async () => {
      const { refresh_token: token } = await start();
      expect(await people.refresh(await people.webClient(), token)).toMatchObject(refused);
      expect((await people.refresh(client, token)).status).toBe(200);
    });

    test('narrows the scope of one access token, and never widens it', async () => {
      const { refresh_token: token } = await start();
      expect(await people.refresh(client, token, { scope: 'users:read' })).toMatchObject({
        status: 400,
        body: { status: 'invalid_parameter', error: 'invalid_scope' },
      });
      const narrow = await people.refresh(client, token, { scope: 'catalog:read' });
      expect(narrow.body.scope).toBe('catalog:read');
      expect((await people.refresh(client, narrow.body.refresh_token)).body.scope).toContain('orders:read');
    });

    test('whose scopes the role has lost gives no empty token, and is not used up', async () => {
      const person = await people.person({ role: 'manager' });
      const { refresh_token: token } = await people.tokens(client, person, 'catalog:read orders:read offline_access');
      await people.users.amend('opera', person.userId, { role: 'door' });
      const scope = { scope: 'orders:read' };
      expect(await people.refresh(client, token, scope)).toMatchObject(withoutScope);
      expect((await people.refresh(client, token)).body.scope).toBe('catalog:read offline_access');
    });

    test('used a second time ends the chain, also where the role has lost its scopes', async () => {
      const person = await people.person({ role: 'manager' });
      const { refresh_token: token } = await people.tokens(client, person, 'orders:read offline_access');
      const { body } = await people.refresh(client, token);
      await people.refresh(client, body.refresh_token);
      await people.users.amend('opera', person.userId, { role: 'door' });
      expect(await people.refresh(client, token)).toMatchObject(refused);
      await people.users.amend('opera', person.userId, { role: 'manager' });
      expect(await people.isValid(body.access_token)).toBe(false);
    });

    test('forged from a known one is refused and ends nothing', async () => {
      const { refresh_token: token } = await start();
      const text = String(token);
      const forged = `${text.slice(0, 50)}${text[50] === 'A' ? 'B' : 'A'}${text.slice(51)}`;
      expect(await people.refresh(client, forged)).toMatchObject(refused);
      expect((await people.refresh(client, token)).status).toBe(200);
    });

    test('that is revoked ends its chain and access tokens; a public client names itself only', async () => {
      const tokens = await start();
      const revoke = (clientId: string) =>
        installation.post('/auth/revoke', { client_id: clientId, token: String(tokens.refresh_token) });
      expect((await revoke(await people.webClient())).status).toBe(403);
      expect((await revoke(client)).status).toBe(200);
      expect(await people.isValid(tokens.access_token)).toBe(false);
      expect(await people.refresh(client, tokens.refresh_token)).toMatchObject(refused);
      expect((await revoke(client)).status).toBe(200);
    });
  });
});

describe('outcomes are counted and replays audited', () => {
  let metrics: Metrics;
  let installation: Installation;
  let people: People;

  beforeAll(async () => {
    metrics = await createMetrics();
    installation = await startInstallation({ metrics });
    people = createPeople(installation);
  });
  afterAll(() => installation.close());

  const value = async (sample: string): Promise<number> => {
    const { text } = await metrics.text();
    const line = text.split('\n').find((one) => one.startsWith(`${sample} `));
    return line === undefined ? Number.NaN : Number(line.slice(sample.length));
  };
  const signIns = (outcome: string) => value(`authorizer_sign_ins_total{outcome="${outcome}"}`);
  const used = (grantType: string, outcome: string) =>
    value(`authorizer_grants_used_total{grant_type="${grantType}",outcome="${outcome}"}`);

  test('sign-ins are counted by outcome, from 0 on', async () => {
    expect(await signIns('throttled')).toBe(0);
    const [client, person] = [await people.webClient(), await people.person()];
    await people.signIn(people.browser(), client, person);
    await people.signIn(people.browser(), client, person, {}, 'wrong');
    await people.signIn(people.browser(), client, { login: 'nobody@example.org' });
    expect([await signIns('signed_in'), await signIns('wrong'), await signIns('throttled')]).toEqual([1, 2, 0]);
    expect(await value('authorizer_sessions')).toBe(1);
  });

  test('codes and refresh tokens are counted by outcome, and a replay is in the audit log', async () => {
    const [client, person] = [await people.webClient(), await people.person()];
    const { refresh_token: first } = await people.tokens(client, person, 'catalog:read offline_access');
    expect(await used('authorization_code', 'given')).toBe(1);
    const { body } = await people.refresh(client, first);
    await people.refresh(client, first);
    expect([await used('refresh_token', 'given'), await used('refresh_token', 'repeated')]).toEqual([1, 1]);
    await people.refresh(client, body.refresh_token);
    expect(await used('refresh_token', 'replayed')).toBe(0);
    await people.refresh(client, first);
    await people.refresh(client, 'nonsense');
    expect([await used('refresh_token', 'replayed'), await used('refresh_token', 'refused')]).toEqual([1, 1]);
    const audited = installation.lines.filter(({ event }) => event === 'audit.grant_replayed');
    expect(audited).toEqual([
      expect.objectContaining({
        institution: 'opera',
        client,
        type: 'refresh_token',
        id: expect.stringMatching(/^gnt_/),
      }),
    ]);
    expect(JSON.stringify(audited)).not.toContain(String(first));
  });

  test('a user who may no longer sign in gets nothing, which counts as refused', async () => {
    const [client, person] = [await people.webClient(), await people.person()];
    const { refresh_token: token } = await people.tokens(client, person, 'catalog:read offline_access');
    const before = await used('refresh_token', 'refused');
    await people.users.amend('opera', person.userId, { state: 'locked' });
    await people.refresh(client, token);
    expect((await used('refresh_token', 'refused')) - before).toBe(1);
  });

  test('the ten most used API keys have a series each', async () => {
    const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString();
    const row = { institution: 'opera', minute, clientId: null, userId: null, operation: 'getCatalog', status: 200 };
    const rows = Array.from({ length: 12 }, (_, at) => ({
      ...row,
      apiKeyId: `key_${at}`,
      requests: at + 1,
      bytes: 0,
    }));
    await createRecordUsage(installation.store, Date.now)({ gateway: 'gateway-1', sequence: 1, rows });
    const { text } = await metrics.text();
    const series = text.split('\n').filter((line) => line.startsWith('authorizer_api_key_requests{'));
    expect(series).toHaveLength(10);
    expect(series[0]).toBe('authorizer_api_key_requests{institution="opera",api_key="key_11"} 12');
  });
});
