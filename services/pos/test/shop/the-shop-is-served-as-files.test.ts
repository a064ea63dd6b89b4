import { request as httpRequest } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { openFixture } from '../fixture/fixture.ts';

const its = useFixture(() => openFixture());
/** The first page of the point of sale. */
let home = '';
/** The folder of the files that the page loads, which is named after their content. */
let files = '';

beforeAll(async () => {
  home = `/shop/${its.pointOfSale.serviceHost}/`;
  files = /src="\/shop\/([0-9a-f]{16})\/shop\.js"/.exec((await send(home)).body.toString())?.[1] ?? '';
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Sends the path unchanged; fetch would normalise it. */
const send = (path: string, method = 'GET', headers: Record<string, string> = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname: host, port } = new URL(its.url);
    const outgoing = httpRequest({ host, port, path, method, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        resolve({ status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(chunks) });
      });
    });
    outgoing.on('error', reject).end();
  });

describe('the shop is served as files', () => {
  test.each([
    ['shop.js', 'text/javascript; charset=utf-8'],
    ['styles/base.css', 'text/css; charset=utf-8'],
    ['icon.svg', 'image/svg+xml'],
    ['lib/lean-qr.mjs', 'text/javascript; charset=utf-8'],
    ['fonts/cormorant.woff2', 'font/woff2'],
  ])('%s has its content type', async (name, type) => {
    const file = await send(`/shop/${files}/${name}`);
    expect([file.status, file.headers['content-type']]).toEqual([200, type]);
    expect(file.headers['content-length']).toBe(`${file.body.length}`);
  });

  test('every file that the page and its modules name is served', async () => {
    const seen = new Set<string>();
    const visit = async (path: string): Promise<void> => {
      if (seen.has(path)) return;
      seen.add(path);
      const { status, body } = await send(path);
      expect([path, status]).toEqual([path, 200]);
      const named = path.endsWith('.mjs')
        ? []
        : body.toString().matchAll(/(?:src|href|from|import\(|url\()[=\s]*"?'?([\w./-]+\.\w+)["')]/g);
      for (const [, name = ''] of named) await visit(new URL(name, `http://shop${path}`).pathname);
    };
    await visit(home);
    expect([...seen]).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/\/texts\/(?:fr|en|de)\.js$/),
        `/shop/${files}/pages/seat-map.js`,
        `/shop/${files}/fonts/cormorant.woff2`,
      ]),
    );
  });

  test('no file outside the folder is served', async () => {
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
    for (const path of [...paths, 'shop.js', '0123456789abcdef/shop.js'])
      expect([path, (await send(`/shop/${path}`)).status]).toEqual([path, 404]);
    for (const path of paths) expect([path, (await send(`/shop/${files}/${path}`)).status]).toEqual([path, 404]);
  });

  test.each([
    ['de-CH, en;q=0.5', 'de', 'Zum Shop'],
    ['en', 'en', 'To the shop'],
    ['fr', 'fr', 'Vers la billetterie'],
  ])(
    'an unknown address below it is a page in the language of the browser (%s), a text for programs',
    async (wanted, language, link) => {
      for (const path of ['/shop/nope.html', '/shop/a/b', `/shop/${files}/nothing.js`]) {
        const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
        const { status, headers, body } = await send(path, 'GET', { accept, 'accept-language': wanted });
        expect([path, status, headers['content-type']]).toEqual([path, 404, 'text/html; charset=utf-8']);
        expect(headers).toMatchObject({ 'content-language': language, 'content-length': `${body.length}` });
        expect(body.toString()).toContain(`<a href="/shop/">${link}</a>`);
        for (const other of ['*/*', 'application/json', 'text/html;q=0']) {
          const answer = await send(path, 'GET', { accept: other, 'accept-language': wanted });
          expect([other, answer.status, answer.headers['content-type']]).toEqual([
            other,
            404,
            'text/plain; charset=utf-8',
          ]);
        }
      }
    },
  );

  test('a known ETag gives 304, with and without compression', async () => {
    for (const coding of ['identity', 'gzip']) {
      const first = await send(`/shop/${files}/shop.js`, 'GET', { 'accept-encoding': coding });
      const etag = `${first.headers.etag}`;
      const again = await send(`/shop/${files}/shop.js`, 'GET', {
        'accept-encoding': coding,
        'if-none-match': `"other", W/${etag}`,
      });
      expect([again.status, again.headers.etag, again.body.length]).toEqual([304, etag, 0]);
    }
  });

  test('texts are compressed if the client accepts gzip', async () => {
    const plain = await send(`/shop/${files}/shop.js`, 'GET', { 'accept-encoding': 'gzip;q=0' });
    const packed = await send(`/shop/${files}/shop.js`, 'GET', { 'accept-encoding': 'br, gzip' });
    expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    expect(gunzipSync(packed.body)).toEqual(plain.body);
    expect(packed.headers.vary).toBe('Accept-Encoding');
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
  });

  test('the page is revalidated, what it loads is asked for once', async () => {
    expect((await send(home)).headers['cache-control']).toBe('private, no-cache');
    for (const name of ['shop.js', 'styles/base.css', 'fonts/cormorant.woff2', 'lib/lean-qr.mjs']) {
      const { headers } = await send(`/shop/${files}/${name}`);
      expect([name, headers['cache-control']]).toEqual([name, 'public, max-age=31536000, immutable']);
    }
  });

  test('HEAD is GET without a body, every other method is 405', async () => {
    const [got, head] = [await send(`/shop/${files}/shop.js`), await send(`/shop/${files}/shop.js`, 'HEAD')];
    expect([head.status, head.body.length, head.headers.etag]).toEqual([200, 0, got.headers.etag]);
    expect(head.headers['content-length']).toBe(got.headers['content-length']);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const refused = await send(`/shop/${files}/shop.js`, method);
      expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD']);
    }
  });

  test('every answer forbids inline scripts and styles, frames and foreign sources', async () => {
    for (const path of ['/shop', '/shop/', home, `/shop/${files}/shop.js`, '/shop/nothing']) {
      const { headers } = await send(path);
      const policy = `${headers['content-security-policy']}`;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  test('all other paths reach the service', async () => {
    for (const path of ['/', '/tnwr/v1/products', '/shopping', '/tnwr/v1/shop/'])
      expect((await send(path)).headers['content-type']).toMatch(/^application\/json/);
  });
});
