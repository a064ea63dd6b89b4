import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Installation, startInstallation } from '../fixtures/installation.ts';

let its: Installation;
beforeAll(async () => {
  its = await startInstallation();
});
afterAll(() => its.close());

describe('web pages below /shop', () => {
  test('are proxied without a token or a description', async () => {
    its.pos.answer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ETag: '"1"' }).end('<!doctype html>');
    });
    for (const path of ['/shop/', '/shop', '/shop/pages/cart.js?v=1']) {
      const reply = await its.call(path);
      expect([reply.status, reply.text, reply.headers.etag]).toEqual([200, '<!doctype html>', '"1"']);
      expect(its.pos.received.at(-1)?.url).toBe(path);
    }
  });

  test('are read-only, and no other path ends with a slash', async () => {
    const reply = await its.call('/shop/', { method: 'POST', body: '{}' });
    expect([reply.status, reply.headers.allow]).toEqual([405, 'GET, HEAD']);
    for (const path of ['/shop/pages/', '/shop//', '/shopping', '/shop/../internal/decisions'])
      expect([path, (await its.call(path)).status]).toEqual([path, 404]);
  });
});

describe('pages with forms', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  test('are proxied for GET and POST, with all their cookies', async () => {
    for (const call of [{}, { method: 'POST', body: 'form=x', headers: form }]) {
      const reply = await its.call('/auth/authorize?client_id=x', call);
      expect([reply.status, reply.text]).toEqual([200, '<!doctype html>']);
      expect(reply.headers['set-cookie']).toEqual(['a=1', 'b=2']);
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
