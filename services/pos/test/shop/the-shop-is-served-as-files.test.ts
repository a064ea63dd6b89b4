import { once } from 'node:events';
import { createServer, request as httpRequest, type RequestListener } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createShopFront } from '../../src/shop-files.ts';

const api: RequestListener = (_request, response) => {
  response.writeHead(418).end('the service');
};
const server = createServer(createShopFront(api));
let port = 0;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address !== null && typeof address === 'object') port = address.port;
});

afterAll(() => {
  server.close();
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** The path as it is given: fetch would tidy it up. */
const ask = (path: string, method = 'GET', headers: Record<string, string> = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        resolve({ status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(chunks) });
      });
    });
    outgoing.on('error', reject).end();
  });

describe('the shop is served as files', () => {
  test('the page is at /shop/, and /shop leads there with its query', async () => {
    const page = await ask('/shop/');
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.body.toString()).toContain('<script type="module" src="shop.js">');
    const moved = await ask('/shop?host=tickets.museum.example');
    expect([moved.status, moved.headers.location]).toEqual([308, '/shop/?host=tickets.museum.example']);
  });

  test.each([
    ['shop.js', 'text/javascript; charset=utf-8'],
    ['styles/base.css', 'text/css; charset=utf-8'],
    ['icon.svg', 'image/svg+xml'],
    ['lib/lean-qr.mjs', 'text/javascript; charset=utf-8'],
    ['fonts/cormorant.woff2', 'font/woff2'],
  ])('%s has its content type', async (name, type) => {
    const file = await ask(`/shop/${name}`);
    expect([file.status, file.headers['content-type']]).toEqual([200, type]);
    expect(file.headers['content-length']).toBe(`${file.body.length}`);
  });

  test('everything that the page and its modules name is there', async () => {
    const seen = new Set<string>();
    const look = async (path: string): Promise<void> => {
      if (seen.has(path)) return;
      seen.add(path);
      const { status, body } = await ask(path);
      expect([path, status]).toEqual([path, 200]);
      const named = path.endsWith('.mjs')
        ? []
        : body.toString().matchAll(/(?:src|href|from|url\()[=\s]*"?'?([\w./-]+\.\w+)["')]/g);
      for (const [, name = ''] of named) await look(new URL(name, `http://shop${path}`).pathname);
    };
    await look('/shop/');
    expect([...seen]).toEqual(
      expect.arrayContaining(['/shop/texts/de.js', '/shop/pages/seat-map.js', '/shop/fonts/cormorant.woff2']),
    );
  });

  test('nothing outside the folder is', async () => {
    const paths = [
      '../package.json',
      '..%2fpackage.json',
      'pages',
      'pages/',
      'lib/index.mjs',
      '__proto__',
      'nothing.js',
      '/shop.js',
    ];
    for (const path of paths) expect([path, (await ask(`/shop/${path}`)).status]).toEqual([path, 404]);
  });

  test('a known ETag gives 304, with and without compression', async () => {
    for (const coding of ['identity', 'gzip']) {
      const first = await ask('/shop/shop.js', 'GET', { 'accept-encoding': coding });
      const etag = `${first.headers.etag}`;
      const again = await ask('/shop/shop.js', 'GET', {
        'accept-encoding': coding,
        'if-none-match': `"other", W/${etag}`,
      });
      expect([again.status, again.headers.etag, again.body.length]).toEqual([304, etag, 0]);
    }
  });

  test('texts are compressed for who accepts it', async () => {
    const plain = await ask('/shop/shop.js', 'GET', { 'accept-encoding': 'gzip;q=0' });
    const packed = await ask('/shop/shop.js', 'GET', { 'accept-encoding': 'br, gzip' });
    expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    expect(gunzipSync(packed.body)).toEqual(plain.body);
    expect(packed.headers.vary).toBe('Accept-Encoding');
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
  });

  test('pages are asked for again, typefaces are kept for a day', async () => {
    expect((await ask('/shop/')).headers['cache-control']).toBe('no-cache');
    expect((await ask('/shop/fonts/cormorant.woff2')).headers['cache-control']).toBe('public, max-age=86400');
  });

  test('HEAD is GET without a body, everything else is 405', async () => {
    const [got, head] = [await ask('/shop/shop.js'), await ask('/shop/shop.js', 'HEAD')];
    expect([head.status, head.body.length, head.headers.etag]).toEqual([200, 0, got.headers.etag]);
    expect(head.headers['content-length']).toBe(got.headers['content-length']);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const refused = await ask('/shop/shop.js', method);
      expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD']);
    }
  });

  test('every answer forbids inline scripts and styles, frames and foreign sources', async () => {
    for (const path of ['/shop', '/shop/', '/shop/shop.js', '/shop/nothing']) {
      const { headers } = await ask(path);
      const policy = `${headers['content-security-policy']}`;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  test('all other paths are the service’s', async () => {
    for (const path of ['/', '/tnwr/v1/products', '/shopping', '/tnwr/v1/shop/'])
      expect((await ask(path)).status).toBe(418);
  });
});
