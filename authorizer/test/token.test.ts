// rule 4: `POST /auth/token` takes a form with `grant_type`, `client_id`, `client_secret` | authorizer/src/clients/authentication.ts
// rule 2: An access token has the granted scopes | authorizer/src/tokens/issue.ts
// rule 5: Family A 1: `client_credentials` gives an access token with the granted scopes | authorizer/src/tokens/issue.ts
// rule 5: 3: every token carries the client's scopes | authorizer/src/tokens/issue.ts

import { createAccessTokenVerifier, createKeySet } from '@boxoffice/identity';
import { createMetrics, getListeningPorts } from '@boxoffice/runtime';
import { startService } from '@boxoffice/service';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { authorizer, clientsCollection } from '../src/index.ts';
import {
  deriveTestSecret,
  formatBasicHeader,
  type Installation,
  type Json,
  keyEncryptionKey,
  NOWHERE,
  serviceRootSecret,
  startInstallation,
  startInstallationForSuite,
  type TestClient,
  waitUntil,
} from './installation.ts';

const metrics = await createMetrics();
const installation = startInstallationForSuite({ accessTokenLifetime: 600, metrics });

describe('a refused token request has an error code of RFC 6749, 5.2', () => {
  let client: TestClient;

  beforeAll(async () => {
    client = await installation.newClient(['catalog:read', 'contacts:write']);
  });

  const credentials = () => ({ client_id: client.clientId, client_secret: client.clientSecret });
  const grant = { grant_type: 'client_credentials' };
  const whole = () => ({ ...grant, ...credentials() });

  /** An error with both sets of members: the envelope's and those of RFC 6749. */
  const refused = async (
    answer: ReturnType<Installation['post']>,
    status: number,
    code: string,
    error: string,
  ): Promise<Headers> => {
    const { status: got, body, headers } = await answer;
    expect({ status: got, body }).toEqual({
      status,
      body: { status: code, details: expect.any(String), data: null, error, error_description: expect.any(String) },
    });
    expect(body.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('pragma')).toBe('no-cache');
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('x-request-id')).toBeTruthy();
    return headers;
  };

  type Sent = readonly [form: Record<string, string> | string, headers?: Record<string, string>, query?: string];

  test.each<[string, string, string, () => Sent[]]>([
    [
      'an absent or empty parameter, and one in the query, where logs would have it,',
      'missing_parameter',
      'invalid_request',
      () => [
        [credentials()],
        [grant],
        [{ ...grant, client_id: client.clientId }],
        [''],
        [{ ...whole(), grant_type: '' }],
        [{ ...whole(), client_secret: '' }],
        ['', {}, `?${new URLSearchParams(whole())}`],
      ],
    ],
    [
      'an unknown grant, also without the credentials that another grant needs,',
      'invalid_parameter',
      'unsupported_grant_type',
      () => [
        ...['password', 'implicit', 'CLIENT_CREDENTIALS', 'Refresh_token'].map(
          (grant_type): Sent => [{ ...credentials(), grant_type }],
        ),
        [{ client_id: client.clientId, grant_type: 'password', username: 'ada', password: 'four swans on a lake' }],
        [{ grant_type: 'password', username: 'ada', password: 'four swans on a lake' }],
      ],
    ],
    [
      'a scope outside the registration',
      'invalid_parameter',
      'invalid_scope',
      () =>
        ['orders:read', 'catalog:read orders:read', 'contacts:read', 'catalog', '*'].map((scope) => [
          { ...whole(), scope },
        ]),
    ],
    ['an unknown query parameter', 'invalid_parameter', 'invalid_request', () => [[whole(), {}, '?x=1']]],
    [
      'a repeated parameter',
      'bad_request',
      'invalid_request',
      () =>
        ['grant_type=client_credentials', `client_id=${client.clientId}`, 'scope=a&scope=a', 'client_secret='].map(
          (repeated) => [`${new URLSearchParams(whole())}&${repeated}`],
        ),
    ],
    [
      'credentials both with Basic and in the form',
      'bad_request',
      'invalid_request',
      () => [[whole(), { authorization: formatBasicHeader(client.clientId, client.clientSecret) }]],
    ],
    [
      'a body that is not a form',
      'bad_request',
      'invalid_request',
      () =>
        [
          'application/json',
          'text/plain',
          'multipart/form-data; boundary=x',
          'application/x-www-form-urlencoded; charset=latin1',
        ].map((type) => [whole(), { 'content-type': type }]),
    ],
  ])('%s is %s and %s', async (_what, code, error, requests) => {
    for (const [form, headers, query = ''] of requests())
      await refused(installation.post(`/auth/token${query}`, form, headers), 400, code, error);
  });

  test('an empty scope counts as absent', async () => {
    expect((await installation.post('/auth/token', { ...whole(), scope: '' })).status).toBe(200);
  });

  test('a challenge is sent only if Basic was used', async () => {
    const wrong = { ...grant, client_id: client.clientId, client_secret: 'wrong' };
    const form = await refused(installation.post('/auth/token', wrong), 401, 'unauthorized', 'invalid_client');
    expect(form.get('www-authenticate')).toBeNull();
    for (const authorization of [
      formatBasicHeader(client.clientId, 'wrong'),
      'Basic',
      'Basic !!!',
      formatBasicHeader(client.clientId, ''),
      'basic Og==',
    ]) {
      const headers = await refused(
        installation.post('/auth/token', grant, { authorization }),
        401,
        'unauthorized',
        'invalid_client',
      );
      expect(headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    }
  });
});

describe('every error has envelope and rfc 6749 members', () => {
  const paths = ['/auth/token', '/auth/introspect', '/auth/revoke'];
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  const request = async (url: string, init: RequestInit = {}) => {
    const answer = await fetch(url, init);
    return { http: answer.status, body: (await answer.json()) as Json };
  };

  const both = (http: number, status: string, error: string) => ({
    http,
    body: { status, details: expect.any(String), data: null, error, error_description: expect.any(String) },
  });

  describe.each(paths)('%s answers the envelope and the members of RFC 6749', (path) => {
    test('for another method, with Allow', async () => {
      const response = await fetch(`${installation.url}${path}`);
      const answer = { http: response.status, body: await response.json() };
      expect(answer).toEqual(both(405, 'method_not_allowed', 'invalid_request'));
      expect(response.headers.get('allow')).toBe('POST');
    });

    test('for a body that is too large', async () => {
      const body = `token=${'x'.repeat(256 * 1024)}`;
      const answer = await request(`${installation.url}${path}`, { method: 'POST', headers: form, body });
      expect(answer).toEqual(both(413, 'payload_too_large', 'invalid_request'));
    });

    test('for headers that are too large', async () => {
      const headers = { ...form, 'x-filler': 'x'.repeat(15_000), 'x-more': 'x'.repeat(3_000) };
      const answer = await request(`${installation.url}${path}`, { method: 'POST', headers, body: 'a=b' });
      expect(answer).toEqual(both(431, 'headers_too_large', 'invalid_request'));
    });
  });

  test('when the store fails', async () => {
    const broken = await startInstallation();
    await broken.closeStores();
    const fields = { grant_type: 'client_credentials', client_id: 'cli_x', client_secret: 'y', token: 'z' };
    for (const path of paths) {
      const { status, body } = await broken.post(path, fields);
      expect({ http: status, body }).toEqual(both(500, 'internal_error', 'server_error'));
    }
    await broken.close();
  });

  test('while the authorizer starts', async () => {
    const before = new Set(getListeningPorts());
    const store = Promise.withResolvers<never>();
    const starting = startService(authorizer, {
      store: store.promise,
      bus: installation.engines.bus,
      publicUrl: installation.issuer,
      serviceSecret: deriveTestSecret('authorizer'),
      host: '127.0.0.1',
      port: 0,
      logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
      settings: {
        accessTokenLifetime: 900,
        loginFailuresPerAddress: 300,
        serviceRootSecret,
        keyEncryptionKey,
        catalogUrl: NOWHERE,
        contactsUrl: NOWHERE,
        servicesFile: undefined,
      },
    });
    const ended = expect(starting).rejects.toThrow('start cancelled');
    const ownPort = () => [...getListeningPorts()].find((port) => !before.has(port));
    await waitUntil(() => ownPort() !== undefined, 60_000);
    const url = `http://127.0.0.1:${ownPort()}`;
    for (const path of paths) {
      const answer = await request(`${url}${path}`, { method: 'POST', headers: form, body: 'a=b' });
      expect(answer).toEqual(both(503, 'service_unavailable', 'temporarily_unavailable'));
    }
    expect((await request(`${url}/auth/jwks`)).body).not.toHaveProperty('error');
    store.reject(new Error('start cancelled'));
    await ended;
  });
});

describe('a client authenticates in the form or with HTTP Basic', () => {
  let client: TestClient;

  beforeAll(async () => {
    client = await installation.newClient(['catalog:read', 'contacts:write']);
  });

  const grant = { grant_type: 'client_credentials' };
  const token = (fields: Record<string, string> | string, headers?: Record<string, string>) =>
    installation.post('/auth/token', fields, headers);

  test('the answer is the envelope with the members of RFC 6749 beside it', async () => {
    const { status, body, headers } = await installation.askToken(client);
    const issued = {
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'catalog:read contacts:write',
    };
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'success', details: null, data: issued, ...issued });
    expect((body.data as { access_token: string }).access_token).toBe(body.access_token);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('pragma')).toBe('no-cache');
  });

  test('the token is a JWT by RFC 9068, for this installation', async () => {
    const { access_token } = (await installation.askToken(client)).body;
    const [head = '', payload = ''] = String(access_token).split('.');
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
    expect(read(head)).toEqual({ typ: 'at+jwt', alg: 'ES256', kid: expect.any(String) });
    expect(read(payload)).toEqual({
      iss: installation.issuer,
      aud: installation.issuer,
      sub: client.clientId,
      client_id: client.clientId,
      institution: 'opera',
      scope: 'catalog:read contacts:write',
      iat: expect.any(Number),
      exp: Number(read(payload).iat) + 600,
      jti: expect.stringMatching(/^sec_[\w-]{16}\.[0-9a-f-]{36}$/),
    });
    const verify = createAccessTokenVerifier({
      keys: createKeySet({ url: `${installation.url}/auth/jwks` }),
      issuer: installation.issuer,
    });
    expect(await verify(String(access_token))).toMatchObject({ sub: client.clientId });
  });

  test('Basic is accepted in any letter case of the scheme, raw or form-encoded', async () => {
    const encoded = `${encodeURIComponent(client.clientId)}:${encodeURIComponent(client.clientSecret)}`;
    const everyCharacter = [...encoded].map((c) => (c === ':' ? c : `%${c.charCodeAt(0).toString(16)}`)).join('');
    for (const authorization of [
      formatBasicHeader(client.clientId, client.clientSecret),
      formatBasicHeader(client.clientId, client.clientSecret).replace('Basic', 'bAsIc'),
      `Basic  ${Buffer.from(everyCharacter).toString('base64')}`,
    ]) {
      expect((await token(grant, { authorization })).status).toBe(200);
    }
  });

  test('Basic is accepted with the same client_id, or an empty secret, in the form', async () => {
    const authorization = formatBasicHeader(client.clientId, client.clientSecret);
    expect((await token({ ...grant, client_id: client.clientId, client_secret: '' }, { authorization })).status).toBe(
      200,
    );
    expect((await token({ ...grant, client_id: 'cli_other' }, { authorization })).status).toBe(400);
  });

  test('a form may declare its charset', async () => {
    const body = { ...grant, client_id: client.clientId, client_secret: client.clientSecret };
    for (const charset of ['charset=UTF-8', 'charset=utf-8', 'charset="utf-8"', 'Charset=Utf-8']) {
      const headers = { 'content-type': `application/x-www-form-urlencoded;${charset}` };
      expect((await token(body, headers)).status).toBe(200);
      expect((await token(body, { 'content-type': `application/x-www-form-urlencoded; ${charset}` })).status).toBe(200);
    }
  });

  test('unknown parameters are ignored', async () => {
    const more = { resource: 'https://x', audience: 'y', __proto__: 'z', constructor: 'q', client_assertion: 'a' };
    expect((await installation.askToken(client, more)).status).toBe(200);
  });

  test('a subset of the scopes can be requested, in any order and without duplicates', async () => {
    for (const scope of ['contacts:write', 'contacts:write catalog:read', 'contacts:write  contacts:write']) {
      const { status, body } = await installation.askToken(client, { scope });
      expect({ status, scope: body.scope }).toEqual({
        status: 200,
        scope: [...new Set(scope.split(/ +/))].join(' '),
      });
    }
  });

  test('a client without scopes gets a token without scopes', async () => {
    const { body } = await installation.askToken(await installation.newClient([]));
    expect(body).toMatchObject({ token_type: 'Bearer', scope: '' });
  });
});

describe('an unknown client is indistinguishable from a wrong secret', () => {
  let client: TestClient;

  beforeAll(async () => {
    client = await installation.newClient([]);
  });

  const unknown = 'cli_AAAAAAAAAAAAAAAAAAAAAA';

  /** Number of client reads so far. */
  const reads = async (): Promise<number> => {
    const { text } = await metrics.text();
    const samples = text.matchAll(/^store_operation_duration_seconds_count\{[^}]*collection="clients"[^}]*\} (\d+)$/gm);
    return [...samples].reduce((sum, [, count]) => sum + Number(count), 0);
  };

  test('both have the same answer, byte for byte, in the form and with Basic', async () => {
    const { askToken, post } = installation;
    const wrong = await askToken({ ...client, clientSecret: 'wrong' });
    for (const clientId of [unknown, 'x', 'no such client', "'; drop", '\u0000', 'ü'.repeat(500)]) {
      const answer = await askToken({ clientId, clientSecret: client.clientSecret });
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 401, text: wrong.text });
    }
    const body = { grant_type: 'client_credentials' };
    const wrongBasic = await post('/auth/token', body, { authorization: formatBasicHeader(client.clientId, 'wrong') });
    const unknownBasic = await post('/auth/token', body, { authorization: formatBasicHeader(unknown, 'wrong') });
    expect(unknownBasic.text).toBe(wrongBasic.text);
    expect([wrongBasic.status, unknownBasic.status]).toEqual([401, 401]);
  });

  test('both cause the same work: each refusal reads the store, even if the client is cached', async () => {
    const { askToken } = installation;
    await askToken(client);
    // The use of a secret is written after the answer, for the first time: that is no read of a refusal.
    const stored = installation.store.collection(clientsCollection).of('opera');
    await waitUntil(
      async () => typeof (await stored.get(client.clientId))?.secrets[0]?.lastUsedAt === 'string',
      60_000,
    );
    await askToken(client);
    const readsFor = async (clientId: string): Promise<number> => {
      const before = await reads();
      for (let count = 0; count < 20; count += 1) await askToken({ clientId, clientSecret: 'wrong' });
      return (await reads()) - before;
    };
    expect([await readsFor(client.clientId), await readsFor(unknown)]).toEqual([20, 20]);
  });

  test('every failure is in the audit log, without secrets and without ids that may be misplaced secrets', async () => {
    const { askToken, lines } = installation;
    await askToken({ ...client, clientSecret: 'a-secret-that-nobody-may-read' });
    await askToken({ clientId: 'a-secret-in-the-wrong-place', clientSecret: 'x' });
    const audit = lines.filter(({ event }) => event === 'audit.authentication_failed').slice(-2);
    expect(audit).toMatchObject([
      { client: client.clientId, reason: 'wrong secret', requestId: expect.any(String) },
      { client: null, reason: 'unknown client' },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/nobody-may-read|in-the-wrong-place/);
    expect(JSON.stringify(lines)).not.toContain(client.clientSecret);
  });

  test('an empty password is refused without a line: libraries try a public client so', async () => {
    const { lines, post } = installation;
    const grant = { grant_type: 'client_credentials' };
    const failures = () => lines.filter(({ event }) => event === 'audit.authentication_failed').length;
    const before = failures();
    for (const path of ['/auth/token', '/auth/introspect', '/auth/revoke'])
      expect(
        (await post(path, { ...grant, token: 'x' }, { authorization: formatBasicHeader(client.clientId, '') })).status,
      ).toBe(401);
    expect(failures()).toBe(before);
    for (const authorization of ['Basic !!!', 'Basic Og==', formatBasicHeader(client.clientId, ' ')])
      expect((await post('/auth/token', grant, { authorization })).status).toBe(401);
    expect(failures()).toBe(before + 3);
  });
});
