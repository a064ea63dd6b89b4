import { notExercised } from '@boxoffice/service/testkit';
import type { Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createApiKeys } from '../src/api-keys/api-keys.ts';
import { createClients } from '../src/clients/clients.ts';
import { createReadOrigins, findOriginProblem, findRedirectUriProblem } from '../src/clients/uris.ts';
import { addParameters, isRegistered } from '../src/domain/client.ts';
import { clientsCollection } from '../src/store.ts';
import { engines } from './installation.ts';

describe('a redirect uri is safe and matches to the letter', () => {
  describe('a client can register', () => {
    test.each([
      'https://shop.example.org/callback',
      'https://shop.example.org/callback?tenant=1',
      'http://127.0.0.1/callback',
      'http://127.0.0.1:5173/callback',
      'http://[::1]/callback',
      'http://localhost:8080/a/b',
      'https://[2001:db8::1]/callback',
    ])('%s', (uri) => {
      expect(findRedirectUriProblem(uri, 'confidential')).toBeUndefined();
      expect(findRedirectUriProblem(uri, 'public')).toBeUndefined();
    });

    test.each(['org.example.app:/callback', 'org.example.app://callback'])('%s, if it is public', (uri) => {
      expect(findRedirectUriProblem(uri, 'public')).toBeUndefined();
      expect(findRedirectUriProblem(uri, 'confidential')).toMatch(/public client/);
    });

    test.each([
      'http://shop.example.org/callback',
      'http://127.0.0.2/callback',
      'http://127.0.0.1.example.org/callback',
      'http://localhost.example.org/callback',
      'http://localhost:0/callback',
      'http://localhost:99999/callback',
      'https://user@shop.example.org/callback',
      'https://user:secret@shop.example.org/callback',
      'https://@shop.example.org/callback',
      'http://127.0.0.1@shop.example.org/callback',
      'https://shop.example.org/callback#here',
      'https://shop.example.org/callback#',
      'HTTPS://shop.example.org/callback',
      'https:/shop.example.org',
      'https://',
      'https://shop.example.org/call back',
      'https://shop.example.org\\callback',
      'https://shop.exämple.org/',
      'https://1.2.3.4.5/',
      'https://[2001:db8::1::2]/',
      'org.example.app://user@callback',
      'org.example.app://callback:99999',
      'https://*.example.org/callback',
      'https://shop.example.org;script-src/callback',
      'https://shop.example.org,default-src/callback',
      'app:/callback',
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      '/callback',
      '//shop.example.org/callback',
      '',
    ])('but never %s', (uri) => {
      expect(findRedirectUriProblem(uri, 'public')).toEqual(expect.any(String));
      expect(findRedirectUriProblem(uri, 'confidential')).toEqual(expect.any(String));
    });

    test('origins of https, of loopback hosts and of apps in a web view', () => {
      const apps = ['capacitor://localhost', 'ionic://localhost', 'tauri://localhost'];
      for (const origin of ['https://www.example.org', 'https://a.example:8443', 'http://localhost:5173', ...apps]) {
        expect(findOriginProblem(origin)).toBeUndefined();
      }
      for (const origin of [
        'https://www.example.org/',
        'http://www.example.org',
        'null',
        '*',
        'https://*.example.org',
        'https://a;b',
        'capacitor://localhost/',
        'capacitor://elsewhere.example',
        'capacitor:localhost',
      ]) {
        expect(findOriginProblem(origin)).toEqual(expect.any(String));
      }
    });
  });

  describe('a requested redirect URI', () => {
    const registered = ['https://shop.example.org/callback', 'http://127.0.0.1/callback', 'http://[::1]:1/callback'];

    test.each([
      'https://shop.example.org/callback',
      'http://127.0.0.1/callback',
      'http://127.0.0.1:49152/callback',
      'http://[::1]:65535/callback',
      'http://[::1]/callback',
    ])('is registered: %s', (uri) => expect(isRegistered(uri, registered)).toBe(true));

    test.each([
      'https://shop.example.org/callback/',
      'https://shop.example.org/callback/../evil',
      'https://shop.example.org/callback?next=1',
      'https://shop.example.org/%63allback',
      'https://shop.example.org/Callback',
      'https://SHOP.example.org/callback',
      'https://shop.example.org:443/callback',
      'https://shop.example.org./callback',
      'https://user@shop.example.org/callback',
      'https://shop.example.org@evil.example/callback',
      'https://shop.example.org/callback#x',
      'http://shop.example.org/callback',
      'https://127.0.0.1/callback',
      'http://127.0.0.1:/callback',
      'http://127.0.0.1:99999/callback',
      'http://127.0.0.1:80@evil.example/callback',
      'http://127.0.0.1:5173/callback/x',
      'http://127.0.0.1:5173/callback?x=1',
      'http://127.0.0.1.evil.example/callback',
      'http://127.1/callback',
      'http://2130706433/callback',
      'http://0x7f.0.0.1/callback',
      'http://localhost/callback',
      'http://[::ffff:127.0.0.1]/callback',
      'http://[0:0:0:0:0:0:0:1]:1/callback',
      'HTTP://127.0.0.1/callback',
      'https://shop.example.org/callback/../../evil',
      'https://shop.example.org/callback%2f..%2fevil',
      'https://shop.example.org/callback?',
      'https://shop.example.org/callback?code=x',
      'https://shop.example.org/callback&x=1',
      'https://shop.example.org/callback;x',
      'https://shop.example.org/callback#',
      ' https://shop.example.org/callback',
      'https://shop.example.org/callback ',
      'https://shop.example.org/callback\r\nSet-Cookie: a=b',
      'https://shop.example.org/call%62ack',
      'https://shop.example.org//callback',
      'https://shop.example.org/CALLBACK',
      'HTTPS://shop.example.org/callback',
      'https://shop.example.org%2eevil.example/callback',
      'https://evil.example\\@shop.example.org/callback',
      'https://evil.example#@shop.example.org/callback',
      'https://shop.example.org:pass@evil.example/callback',
      'https://shop.ехample.org/callback',
      '//shop.example.org/callback',
      '/callback',
      'https:shop.example.org/callback',
      'data:text/html,x',
      'http://127.0.0.1/',
      'http://127.0.0.1/callback/../x',
      'http://127.0.0.1:0/callback',
      'http://127.0.0.1:65536/callback',
      'http://127.0.0.1:80:80/callback',
      'http://127.0.0.1:5000@evil.example/callback',
      'http://127.0.0.2/callback',
      'http://0x7f000001/callback',
      'http://0.0.0.0/callback',
      'http://localhost:5000@evil.example/callback',
      '',
    ])('is not: %s', (uri) => expect(isRegistered(uri, registered)).toBe(false));
  });

  test('parameters are added to the query that a redirect URI has', () => {
    expect(addParameters('https://a.example/cb', { code: 'x', state: undefined })).toBe('https://a.example/cb?code=x');
    expect(addParameters('https://a.example/cb?t=1', { state: 'a&b' })).toBe('https://a.example/cb?t=1&state=a%26b');
  });
});

describe.each(engines)(`the origins of clients and keys are named, on $name${notExercised}`, (engine) => {
  let store: Store;
  let discard: () => Promise<void>;

  beforeAll(async () => {
    ({ store, discard } = await engine.open());
  });
  afterAll(() => discard());

  const details = (...origins: string[]) => ({
    name: 'k',
    origins,
    ratePerMinute: 600,
    monthlyQuota: null,
    expiresAt: null,
  });

  test('are those of every institution, each once, and follow every change', async () => {
    const readOrigins = createReadOrigins(store, Date.now);
    const keys = createApiKeys(store);
    const first = await readOrigins(undefined);
    expect(first.origins).toEqual([]);
    const { apiKey } = await keys.create('opera', details('https://a.example', 'https://b.example'));
    await keys.create('museum', details('https://b.example'));
    const second = await readOrigins(first.mark);
    expect(second.origins).toEqual(['https://a.example', 'https://b.example']);
    expect(await readOrigins(second.mark)).toEqual({ mark: second.mark, origins: null });
    await keys.amend('opera', apiKey.id, { origins: ['https://c.example'] });
    expect((await readOrigins(second.mark)).origins).toEqual(['https://b.example', 'https://c.example']);
    await keys.remove('opera', apiKey.id);
    expect((await readOrigins(second.mark)).origins).toEqual(['https://b.example']);
    // Another instance, which reads everything.
    expect((await createReadOrigins(store, Date.now)(undefined)).origins).toEqual(['https://b.example']);
  });

  test('of redirect URIs are named, loopback with any port, private-use schemes not at all', async () => {
    const readOrigins = createReadOrigins(store, Date.now);
    const { client } = await createClients(store).create('opera', { name: 'web', scopes: [] });
    const redirectUris = [
      'https://app.example/callback?x=1',
      'http://127.0.0.1/callback',
      'http://localhost:3000/callback',
      'com.example.app:/callback',
    ];
    const named = { origins: ['https://d.example'], redirectUris };
    await store
      .collection(clientsCollection)
      .of('opera')
      .update(client.id, (current) => ({ next: { ...current, ...named, changedAt: Date.now() } }));
    expect((await readOrigins(undefined)).origins).toEqual(
      expect.arrayContaining(['http://127.0.0.1:*', 'http://localhost:*', 'https://app.example', 'https://d.example']),
    );
  });
});
