// rule 2: An access token has the granted scopes | authorizer/src/tokens/issue.ts
// rule 5: Family A 1: `client_credentials` gives an access token with the granted scopes | authorizer/src/tokens/issue.ts
// rule 5: 3: every token carries the client's scopes | authorizer/src/tokens/claims.ts

import { createKeySet, verifyAccessToken } from '@boxoffice/identity';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { basic, type Installation, startInstallation, type TestClient } from '../installation.ts';

let installation: Installation;
let client: TestClient;

beforeAll(async () => {
  installation = await startInstallation({ accessTokenLifetime: 600 });
  client = await installation.newClient(['catalog:read', 'contacts:write']);
});
afterAll(() => installation.close());

const grant = { grant_type: 'client_credentials' };
const token = (fields: Record<string, string> | string, headers?: Record<string, string>) =>
  installation.post('/auth/token', fields, headers);

describe('a client authenticates in the form or with HTTP Basic', () => {
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
    const verify = verifyAccessToken({
      keys: createKeySet({ url: `${installation.url}/auth/jwks` }),
      issuer: installation.issuer,
    });
    expect(await verify(String(access_token))).toMatchObject({ sub: client.clientId });
  });

  test('Basic is accepted in any letter case of the scheme, raw or form-encoded', async () => {
    const encoded = `${encodeURIComponent(client.clientId)}:${encodeURIComponent(client.clientSecret)}`;
    const everyCharacter = [...encoded].map((c) => (c === ':' ? c : `%${c.charCodeAt(0).toString(16)}`)).join('');
    for (const authorization of [
      basic(client.clientId, client.clientSecret),
      basic(client.clientId, client.clientSecret).replace('Basic', 'bAsIc'),
      `Basic  ${Buffer.from(everyCharacter).toString('base64')}`,
    ]) {
      expect((await token(grant, { authorization })).status).toBe(200);
    }
  });

  test('Basic is accepted with the same client_id, or an empty secret, in the form', async () => {
    const authorization = basic(client.clientId, client.clientSecret);
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
      expect({ status, scope: body.scope }).toEqual({ status: 200, scope: [...new Set(scope.split(/ +/))].join(' ') });
    }
  });

  test('a client without scopes gets a token without scopes', async () => {
    const { body } = await installation.askToken(await installation.newClient([]));
    expect(body).toMatchObject({ token_type: 'Bearer', scope: '' });
  });
});
