// rule 4: `POST /auth/token` takes a form with `grant_type`, `client_id`, `client_secret` | authorizer/src/authentication/form.ts

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { basic, type Installation, startInstallation, type TestClient } from '../installation.ts';

let installation: Installation;
let client: TestClient;

beforeAll(async () => {
  installation = await startInstallation();
  client = await installation.newClient(['catalog:read', 'contacts:write']);
});
afterAll(() => installation.close());

const path = '/auth/token';
const credentials = () => ({ client_id: client.clientId, client_secret: client.clientSecret });
const grant = { grant_type: 'client_credentials' };

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

describe('a refused token request has an error code of RFC 6749, 5.2', () => {
  test('an absent parameter is missing_parameter and invalid_request', async () => {
    const { post } = installation;
    await refused(post(path, credentials()), 400, 'missing_parameter', 'invalid_request');
    await refused(post(path, grant), 400, 'missing_parameter', 'invalid_request');
    await refused(post(path, { ...grant, client_id: client.clientId }), 400, 'missing_parameter', 'invalid_request');
    await refused(post(path, ''), 400, 'missing_parameter', 'invalid_request');
  });

  test('an empty value counts as absent', async () => {
    const { post } = installation;
    await refused(
      post(path, { ...grant, ...credentials(), grant_type: '' }),
      400,
      'missing_parameter',
      'invalid_request',
    );
    await refused(
      post(path, { ...grant, ...credentials(), client_secret: '' }),
      400,
      'missing_parameter',
      'invalid_request',
    );
    expect((await post(path, { ...grant, ...credentials(), scope: '' })).status).toBe(200);
  });

  test('an unknown grant is invalid_parameter and unsupported_grant_type', async () => {
    const { post } = installation;
    for (const grant_type of ['password', 'implicit', 'CLIENT_CREDENTIALS', 'Refresh_token']) {
      await refused(post(path, { ...credentials(), grant_type }), 400, 'invalid_parameter', 'unsupported_grant_type');
    }
  });

  test('an unknown grant is unsupported also without the credentials that another grant needs', async () => {
    const { post } = installation;
    const forms: readonly Record<string, string>[] = [{ client_id: client.clientId }, {}];
    for (const form of forms) {
      const sent = { ...form, grant_type: 'password', username: 'ada', password: 'four swans on a lake' };
      await refused(post(path, sent), 400, 'invalid_parameter', 'unsupported_grant_type');
    }
  });

  test('a scope outside the registration is invalid_parameter and invalid_scope', async () => {
    const { askToken } = installation;
    for (const scope of ['orders:read', 'catalog:read orders:read', 'contacts:read', 'catalog', '*']) {
      await refused(askToken(client, { scope }), 400, 'invalid_parameter', 'invalid_scope');
    }
  });

  test('a repeated parameter is bad_request and invalid_request', async () => {
    const body = new URLSearchParams({ ...grant, ...credentials() }).toString();
    for (const repeated of [
      'grant_type=client_credentials',
      `client_id=${client.clientId}`,
      'scope=a&scope=a',
      'client_secret=',
    ]) {
      await refused(installation.post(path, `${body}&${repeated}`), 400, 'bad_request', 'invalid_request');
    }
  });

  test('credentials both with Basic and in the form are bad_request and invalid_request', async () => {
    const authorization = basic(client.clientId, client.clientSecret);
    const answer = installation.post(path, { ...grant, ...credentials() }, { authorization });
    await refused(answer, 400, 'bad_request', 'invalid_request');
  });

  test('a body that is not a form is bad_request and invalid_request', async () => {
    const { post } = installation;
    const fields = { ...grant, ...credentials() };
    for (const type of [
      'application/json',
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded; charset=latin1',
    ]) {
      await refused(post(path, fields, { 'content-type': type }), 400, 'bad_request', 'invalid_request');
    }
  });

  test('query parameters are refused, so that secrets stay out of logs', async () => {
    const { post } = installation;
    const query = new URLSearchParams({ ...grant, ...credentials() });
    await refused(post(`${path}?${query}`, ''), 400, 'missing_parameter', 'invalid_request');
    await refused(post(`${path}?x=1`, { ...grant, ...credentials() }), 400, 'invalid_parameter', 'invalid_request');
  });

  test('a body that is too large is payload_too_large', async () => {
    const answer = installation.post(path, { ...grant, ...credentials(), filler: 'x'.repeat(300_000) });
    await refused(answer, 413, 'payload_too_large', 'invalid_request');
  });

  test('other methods are 405 with Allow', async () => {
    const response = await fetch(`${installation.url}${path}`);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await response.json()).toMatchObject({ status: 'method_not_allowed', data: null });
  });

  test('a challenge is sent only if Basic was used', async () => {
    const wrong = { ...grant, client_id: client.clientId, client_secret: 'wrong' };
    const form = await refused(installation.post(path, wrong), 401, 'unauthorized', 'invalid_client');
    expect(form.get('www-authenticate')).toBeNull();
    for (const authorization of [
      basic(client.clientId, 'wrong'),
      'Basic',
      'Basic !!!',
      basic(client.clientId, ''),
      'basic Og==',
    ]) {
      const headers = await refused(
        installation.post(path, grant, { authorization }),
        401,
        'unauthorized',
        'invalid_client',
      );
      expect(headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    }
  });
});
