import { describe, expect, test } from '@jest/globals';
import { createDocument } from '../fixtures/describe.ts';
import { exchangeBytes } from '../fixtures/http.ts';
import { startInstallation, useFixture } from '../fixtures/installation.ts';
import { decodeClaims } from '../fixtures/jws.ts';
import { startUpstream } from '../fixtures/upstream.ts';

const tickets = useFixture(() => startUpstream(createDocument([])));
const its = useFixture(() =>
  startInstallation({ trustProxy: ['127.0.0.0/8'] }, { services: { tickets: tickets.url } }),
);

describe('a matched request', () => {
  test('is forwarded with the caller’s signed identity, and its response is unchanged', async () => {
    const token = its.authorizer.token(['contacts:read']);
    const reply = await its.as(token)('/svc/v3/contacts/individuals/C1?x=1%20y', {
      headers: { 'x-request-id': 'abc' },
    });
    expect(reply.status).toBe(200);
    expect(reply.headers['x-request-id']).toBe('abc');
    expect(reply.headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    const received = its.contacts.received.at(-1);
    expect(received?.url).toBe('/svc/v3/contacts/individuals/C1?x=1%20y');
    expect(received?.headers).toMatchObject({
      'x-request-id': 'abc',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      host: new URL(its.contacts.url).host,
    });
    expect(received?.headers.authorization).toBeUndefined();
    expect(decodeClaims(received?.headers['x-internal-identity'])).toMatchObject({
      aud: 'contacts',
      operation: 'getIndividual',
      institution: 'opera',
    });
  });

  test('may be HEAD wherever GET is described, and bodies are forwarded', async () => {
    const token = its.authorizer.token(['contacts:read', 'contacts:write']);
    const head = await its.as(token)('/svc/v3/contacts/individuals', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(its.contacts.received.at(-1)?.method).toBe('HEAD');
    const post = await its.as(token)('/contacts/individuals', { method: 'POST', body: '{"lastName":"é"}' });
    expect(post.body.data?.body).toBe('{"lastName":"é"}');
  });

  test('of an operation without a token is forwarded with the client’s own credentials', async () => {
    const headers = { authorization: 'Basic YTpi' };
    const reply = await its.call('/auth/token', { method: 'POST', body: 'grant_type=x', headers });
    expect(reply.body.data).toMatchObject({ url: '/auth/token', authorization: 'Basic YTpi' });
  });
});

describe('paths are canonical or refused', () => {
  /** The gateway's response to a request line, through the plain listener, as a trusted proxy sends it. */
  const ask = async (
    target: string,
    headers = '',
    token = its.authorizer.token(['contacts:read']),
  ): Promise<string> => {
    const lines = `Host: x\r\nX-Forwarded-Proto: https\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n${headers}`;
    return exchangeBytes(its.gateway.httpPort, Buffer.from(`GET ${target} HTTP/1.1\r\n${lines}\r\n`, 'latin1'));
  };

  const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);

  test.each([
    ['/svc/v3/contacts/individuals/C%31', '/svc/v3/contacts/individuals/C1'],
    ['/%73vc/v3/contacts/individuals/%7e', '/svc/v3/contacts/individuals/~'],
    ['/svc/v3/contacts/individuals/%c3%a9', '/svc/v3/contacts/individuals/%C3%A9'],
    ['/svc/v3/contacts/individuals/a%20b%2B?q=%2e%2e/x&y=a+b', '/svc/v3/contacts/individuals/a%20b+?q=%2e%2e/x&y=a+b'],
    ['/svc/v3/contacts/individuals/%252e%252e', '/svc/v3/contacts/individuals/%252e%252e'],
    ["/svc/v3/contacts/individuals/!$&'()*+,;=:@-._~", "/svc/v3/contacts/individuals/!$&'()*+,;=:@-._~"],
    ['http://elsewhere.example/svc/v3/contacts/individuals/C1', '/svc/v3/contacts/individuals/C1'],
    ['HTTPS://elsewhere.example:1/svc/v3/contacts/individuals?limit=1', '/svc/v3/contacts/individuals?limit=1'],
  ])('the path that a service receives for %s is %s', async (sent, seen) => {
    expect(statusOf(await ask(sent))).toBe(200);
    expect(its.contacts.received.at(-1)?.url).toBe(seen);
  });

  describe('paths that are refused', () => {
    test.each([
      ['/svc/v3/contacts/../contacts/individuals', 404],
      ['/svc/v3/contacts/individuals/..', 404],
      ['/svc/v3/contacts/individuals/.', 404],
      ['/svc/v3/contacts/individuals/%2e%2E/individuals', 404],
      ['/svc/v3/contacts/individuals/.%2e', 404],
      ['/svc/v3/contacts/individuals/x%2f..%2f..%2finternal', 404],
      ['/svc/v3/contacts%2Findividuals', 404],
      ['//svc/v3/contacts/individuals', 404],
      ['/svc/v3//contacts/individuals', 404],
      ['/svc/v3/contacts/individuals/', 404],
      ['/SVC/v3/contacts/individuals', 404],
      ['/svc/v3/contacts/individuals/x%5c..', 400],
      ['/svc/v3/contacts/individuals/x\\..', 400],
      ['/svc/v3/contacts/individuals/%00', 400],
      ['/svc/v3/contacts/individuals/%0d%0aX:%20y', 400],
      ['/svc/v3/contacts/individuals/%c2%85', 400],
      ['/svc/v3/contacts/individuals/%ff', 400],
      ['/svc/v3/contacts/individuals/%c0%ae', 400],
      ['/svc/v3/contacts/individuals/%', 400],
      ['/svc/v3/contacts/individuals/%zz', 400],
      ['/svc/v3/contacts/individuals/\xe9', 400],
      ['/svc/v3/contacts/individuals#x', 400],
      ['ftp://x/svc/v3/contacts/individuals', 400],
      ['*', 404],
    ])('%s is %i', async (sent, status) => {
      const before = its.contacts.received.length;
      const answer = await ask(sent);
      expect(statusOf(answer)).toBe(status);
      expect(answer).toMatch(/"status":"(not_found|bad_request)"/);
      expect(its.contacts.received.length).toBe(before);
    });

    test('are refused in the shape of family B, too', async () => {
      expect(await ask('/tnwr/v1/products/%ff')).toContain('"errorCode":"bad_request"');
      expect(await ask('http://x/tnwr/v1/products/..')).toContain('"errorCode":"not_found"');
      expect(await ask('//tnwr/v1/products')).toContain('"errorCode":"not_found"');
    });
  });
});

describe('web pages are proxied unchanged', () => {
  describe('web pages below /shop', () => {
    test('are proxied without a token or a description', async () => {
      its.pos.answer((_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ETag: '"1"' }).end('<!doctype html>');
      });
      for (const path of ['/shop/', '/shop', '/shop/pages/cart.js?v=1', '/shop/tickets.example:8443/?lang=de']) {
        const reply = await its.call(path);
        expect([reply.status, reply.text, reply.headers.etag]).toEqual([200, '<!doctype html>', '"1"']);
        expect(its.pos.received.at(-1)?.url).toBe(path);
      }
      expect(its.pos.received.at(-1)?.headers['x-forwarded-host']).toMatch(/^(?:localhost|127\.0\.0\.1):\d+$/);
      // A slash at the end is kept, and the path before it made canonical.
      await its.call('/shop/a%2Eexample/');
      expect(its.pos.received.at(-1)?.url).toBe('/shop/a.example/');
    });

    test('those below /door are of the tickets service', async () => {
      tickets.answer((_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end('the door');
      });
      for (const path of ['/door/', '/door', '/door/service-worker.js'])
        expect([path, (await its.call(path)).text]).toEqual([path, 'the door']);
      expect((await its.call('/door/', { method: 'POST', body: '{}' })).status).toBe(405);
    });

    test('have whatever type the service gives them: scripts, attached files of mails, the camera’s decoder', async () => {
      for (const type of [
        'application/wasm',
        'application/manifest+json',
        'application/json',
        'application/pdf',
        'text/calendar; charset=utf-8; method=PUBLISH',
        'image/webp',
        'application/octet-stream',
      ]) {
        its.pos.answer((_request, response) => {
          response.writeHead(200, { 'Content-Type': type, 'Content-Disposition': 'attachment' }).end('a file');
        });
        const { status, headers, text } = await its.call('/shop/outbox/mail_1/0');
        expect([status, headers['content-type'], headers['content-disposition'], text]).toEqual([
          200,
          type,
          'attachment',
          'a file',
        ]);
      }
    });

    test('are read-only, and no other path ends with a slash', async () => {
      const reply = await its.call('/shop/', { method: 'POST', body: '{}' });
      expect([reply.status, reply.headers.allow]).toEqual([405, 'GET, HEAD']);
      for (const path of [
        '/shop//',
        '/shop/a//',
        '/shop/%2e%2e/',
        '/shopping',
        '/shopping/',
        '/shop/../internal/decisions/',
      ])
        expect([path, (await its.call(path)).status]).toEqual([path, 404]);
    });
  });

  describe('pages with forms', () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };

    test('are proxied for GET and POST, with all their cookies', async () => {
      for (const call of [{}, { method: 'POST', body: 'form=x', headers: form }]) {
        const reply = await its.call('/auth/authorize?client_id=x', call);
        expect([reply.status, reply.text]).toEqual([200, '<!doctype html>']);
        expect(reply.headers['set-cookie']).toEqual(['__Host-boxoffice-session=1', '__Host-boxoffice-browser=2']);
      }
    });

    test('support no other method', async () => {
      const reply = await its.call('/auth/authorize', { method: 'PUT', body: '{}' });
      expect([reply.status, reply.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
    });

    test('are refused with pages, in the language of the browser; other paths with the envelope', async () => {
      const put = (path: string, language: string) =>
        its.call(path, { method: 'PUT', body: '{}', headers: { 'accept-language': language } });
      for (const path of ['/auth/authorize?client_id=x', '/auth/logout', '/auth/invitation', '/auth/authorize/below']) {
        const { headers, text } = await put(path, 'de-CH');
        expect([path, headers['content-type']]).toEqual([path, 'text/html; charset=utf-8']);
        expect(headers['content-security-policy']).toContain("default-src 'none'");
        expect(headers['cache-control']).toBe('no-store');
        expect(text).toContain('<html lang="de">');
      }
      for (const path of ['/auth/token', '/auth/authorized', '/svc/v3/clients'])
        expect([path, (await put(path, 'de')).headers['content-type']]).toEqual([
          path,
          'application/json; charset=utf-8',
        ]);
    });
  });
});
