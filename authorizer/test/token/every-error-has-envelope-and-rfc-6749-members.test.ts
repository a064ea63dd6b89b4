import { listen } from '@boxoffice/runtime';
import { startService } from '@boxoffice/service';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { authorizer } from '../../src/index.ts';
import {
  type Installation,
  type Json,
  keyEncryptionKey,
  NOWHERE,
  secretOf,
  serviceRootSecret,
  startInstallation,
} from '../installation.ts';

const paths = ['/auth/token', '/auth/introspect', '/auth/revoke'];
const form = { 'content-type': 'application/x-www-form-urlencoded' };

let installation: Installation;
beforeAll(async () => {
  installation = await startInstallation();
});
afterAll(() => installation.close());

const request = async (url: string, init: RequestInit = {}) => {
  const answer = await fetch(url, init);
  return { http: answer.status, body: (await answer.json()) as Json };
};

const both = (http: number, status: string, error: string) => ({
  http,
  body: { status, details: expect.any(String), data: null, error, error_description: expect.any(String) },
});

describe.each(paths)('%s answers the envelope and the members of RFC 6749', (path) => {
  test('for another method', async () => {
    const answer = await request(`${installation.url}${path}`);
    expect(answer).toEqual(both(405, 'method_not_allowed', 'invalid_request'));
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
  const freed = await listen(() => undefined, { host: '127.0.0.1', port: 0 });
  await freed.close();
  const url = `http://127.0.0.1:${freed.port}`;
  const store = Promise.withResolvers<never>();
  const starting = startService(authorizer, {
    store: store.promise,
    bus: installation.engines.bus,
    publicUrl: url,
    serviceSecret: secretOf('authorizer'),
    host: '127.0.0.1',
    port: freed.port,
    logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    settings: {
      accessTokenLifetime: 900,
      loginFailuresPerAddress: 300,
      serviceRootSecret,
      keyEncryptionKey,
      catalogUrl: NOWHERE,
      contactsUrl: NOWHERE,
    },
  });
  const ended = expect(starting).rejects.toThrow('start cancelled');
  for (const path of paths) {
    const answer = await request(`${url}${path}`, { method: 'POST', headers: form, body: 'a=b' });
    expect(answer).toEqual(both(503, 'service_unavailable', 'temporarily_unavailable'));
  }
  expect((await request(`${url}/auth/jwks`)).body).not.toHaveProperty('error');
  store.reject(new Error('start cancelled'));
  await ended;
});
