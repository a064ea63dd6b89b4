import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, type Installation, startInstallation } from '../installation.ts';
import { CALLBACK, type People, peopleOf } from './browser.ts';

describe.each(engines)('on $name', (engine) => {
  let installation: Installation;
  let people: People;
  let client: string;

  beforeAll(async () => {
    installation = await startInstallation({ engine });
    people = peopleOf(installation);
    client = await people.webClient();
  });
  afterAll(() => installation.close());

  describe('an unknown client or redirect URI is a page, never a redirect', () => {
    test.each([
      ['no client', { client_id: undefined }],
      ['an unknown client', { client_id: 'cli_AAAAAAAAAAAAAAAAAAAAAA' }],
      ['a malformed client', { client_id: '<script>' }],
      ['no redirect URI', { redirect_uri: undefined }],
      ['another path', { redirect_uri: `${CALLBACK}/x` }],
      ['a parent path', { redirect_uri: `${CALLBACK}/../evil` }],
      ['another case', { redirect_uri: 'https://shop.example.org/Callback' }],
      ['an encoded path', { redirect_uri: 'https://shop.example.org/%63allback' }],
      ['userinfo', { redirect_uri: 'https://shop.example.org@evil.example/callback' }],
      ['extra parameters', { redirect_uri: `${CALLBACK}?next=https://evil.example` }],
      ['a fragment', { redirect_uri: `${CALLBACK}#x` }],
      ['another scheme', { redirect_uri: 'http://shop.example.org/callback' }],
      ['a loopback name of another host', { redirect_uri: 'http://127.0.0.1.evil.example/callback' }],
      ['a loopback with userinfo', { redirect_uri: 'http://127.0.0.1:80@evil.example/callback' }],
      ['a script', { redirect_uri: 'javascript:alert(1)' }],
    ])('%s', async (_name, change) => {
      const answer = await people.browser().visit(people.requestOf(client, change));
      expect(answer.status).toBe(400);
      expect(answer.headers.get('location')).toBeNull();
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.text).not.toContain('<script');
    });

    test.each(['client_id', 'redirect_uri'])('%s twice', async (name) => {
      const request = people.requestOf(client);
      const value = new URLSearchParams(request.split('?')[1]).get(name) ?? '';
      const answer = await people.browser().visit(`${request}&${name}=${encodeURIComponent(value)}`);
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    });
  });

  describe('every other error goes to the redirect URI, with state and issuer', () => {
    test.each([
      ['no response_type', { response_type: undefined }, 'invalid_request'],
      ['another response_type', { response_type: 'token' }, 'unsupported_response_type'],
      ['a hybrid response_type', { response_type: 'code id_token' }, 'unsupported_response_type'],
      ['no code_challenge', { code_challenge: undefined }, 'invalid_request'],
      ['a short code_challenge', { code_challenge: 'abc' }, 'invalid_request'],
      ['no code_challenge_method', { code_challenge_method: undefined }, 'invalid_request'],
      ['the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
      ['an unknown scope', { scope: 'catalog:read everything' }, 'invalid_scope'],
      ['a scope that the client is not registered for', { scope: 'orders:write' }, 'invalid_scope'],
      ['an unknown prompt', { prompt: 'create' }, 'invalid_request'],
      ['prompt none and another', { prompt: 'none login' }, 'invalid_request'],
      ['a max_age that is no number', { max_age: 'soon' }, 'invalid_request'],
      ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
      ['the response mode fragment', { response_mode: 'fragment' }, 'invalid_request'],
      ['no session and prompt none', { prompt: 'none' }, 'login_required'],
    ])('%s', async (_name, change, error) => {
      const { status, headers, sent } = await people.browser().visit(people.requestOf(client, change));
      expect(status).toBe(303);
      expect(headers.get('location')?.startsWith(`${CALLBACK}?`)).toBe(true);
      expect(Object.fromEntries(sent)).toEqual({
        error,
        error_description: expect.any(String),
        state: 'the-state',
        iss: installation.issuer,
      });
      expect(headers.get('access-control-allow-origin')).toBeNull();
    });

    test('a parameter twice', async () => {
      const twice = await people.browser().visit(`${people.requestOf(client)}&scope=a&scope=b`);
      expect([twice.status, twice.sent.get('error'), twice.sent.get('state')]).toEqual([
        303,
        'invalid_request',
        'the-state',
      ]);
      const { sent } = await people.browser().visit(`${people.requestOf(client)}&state=other`);
      expect([sent.get('error'), sent.get('state')]).toEqual(['invalid_request', null]);
    });

    test.each(['id_token_hint', 'display', 'acr_values', 'claims', 'max_age'])('%s twice', async (name) => {
      const { status, sent } = await people.browser().visit(`${people.requestOf(client)}&${name}=1&${name}=2`);
      expect([status, sent.get('error')]).toEqual([303, 'invalid_request']);
    });

    test('also of a request that is sent as a form', async () => {
      const fields = Object.fromEntries(new URLSearchParams(people.requestOf(client, { scope: 'x' }).split('?')[1]));
      const { status, sent } = await people.browser().post('/auth/authorize', fields);
      expect([status, sent.get('error')]).toEqual([303, 'invalid_scope']);
    });
  });

  test('any port of a loopback redirect URI matches', async () => {
    const page = await people
      .browser()
      .visit(people.requestOf(client, { redirect_uri: 'http://127.0.0.1:50123/callback' }));
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:50123;");
  });

  describe('the pages', () => {
    test('run no script, cannot be framed or cached, and set a cookie for this host only', async () => {
      const { headers, text } = await people.browser().visit(people.requestOf(client));
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      expect(headers.get('content-security-policy')).not.toMatch(/unsafe|script-src/);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(text).not.toContain('<script');
      for (const cookie of headers.getSetCookie())
        expect(cookie).toMatch(/^__Host-[a-z-]+=[A-Za-z0-9_-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
    });

    test('name institution and client, and are filled by password managers', async () => {
      const { text } = await people.browser().visit(people.requestOf(client, { login_hint: 'ada@opera.example' }));
      expect(text).toContain('opera');
      expect(text).toContain('<strong>Shop</strong>');
      expect(text).toContain('autocomplete="username"');
      expect(text).toContain('value="ada@opera.example"');
      expect(text).toContain('autocomplete="current-password"');
    });

    test.each([
      ['ui_locales', { ui_locales: 'de-CH en' }, {}, 'de'],
      ['Accept-Language', {}, { 'accept-language': 'it, fr;q=0.8, en;q=0.5' }, 'fr'],
    ])('speak the language of %s', async (_name, more, headers, language) => {
      const page = await people.browser().visit(people.requestOf(client, more), { headers });
      expect(page.headers.get('content-language')).toBe(language);
      expect(page.text).toContain(`<html lang="${language}">`);
    });

    test('are also the errors of their paths', async () => {
      const missing = await people.browser().visit('/auth/authorize/x');
      expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      const wrong = await people.browser().visit(people.requestOf(client), { method: 'DELETE' });
      expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    });
  });
});
