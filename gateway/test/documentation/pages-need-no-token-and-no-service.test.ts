import { posRegistry, registry } from '@boxoffice/envelope';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readGuide } from '../../src/documentation/files.ts';
import { guides, sections } from '../../src/documentation/guides.ts';
import { ISSUER } from '../fixtures/fake-authorizer.ts';
import type { Reply } from '../fixtures/http.ts';
import { startInstallation, useFixture } from '../fixtures/installation.ts';

describe('pages need no token and no service', () => {
  const paths = sections.flatMap(({ entries }) => entries.map(({ path }) => `/docs${path}`));

  const DRAWN = ['/docs', '/docs/pos', '/docs/pos/vexp'];

  /** A gateway none of whose services is there. */
  const its = useFixture(() => startInstallation({ services: {} }, { ready: false }));
  const pages = new Map<string, Reply>();
  beforeAll(async () => {
    for (const path of [...paths, '/docs/callback']) pages.set(path, await its.call(path));
  });

  const textOf = (path: string): string => pages.get(path)?.text ?? '';
  const headerOf = (path: string, name: string): string => String(pages.get(path)?.headers[name]);

  /** What the page loads or leads to. */
  const addressesIn = (text: string): string[] =>
    [...text.matchAll(/ (?:href|src|data-description|data-viewer)="([^"]*)"/g)].map(([, address = '']) => address);

  describe('every page', () => {
    test.each([...paths, '/docs/callback'])('%s is there without a token, under a strict policy', (path) => {
      expect([path, pages.get(path)?.status]).toEqual([path, 200]);
      expect(headerOf(path, 'content-type')).toBe('text/html; charset=utf-8');
      expect(headerOf(path, 'x-content-type-options')).toBe('nosniff');
      expect(headerOf(path, 'x-frame-options')).toBe('DENY');
      const policy = headerOf(path, 'content-security-policy');
      // The viewer of the reference has styles of its own; no page runs a script of another origin or in its text.
      const styles = DRAWN.includes(path) ? "style-src 'self' 'unsafe-inline'" : "style-src 'self'";
      expect(policy).toContain(`default-src 'none'; ${styles}; `);
      expect(policy.replace(styles, '')).not.toContain('unsafe');
      expect(textOf(path)).not.toMatch(/ style="|<style|<script(?! src="\/docs\/assets\/)| on[a-z]+="/);
    });

    test('of a guide runs no script', () => {
      for (const { path } of guides) {
        expect(headerOf(`/docs${path}`, 'content-security-policy')).not.toContain('script-src');
        expect(textOf(`/docs${path}`)).not.toContain('<script');
      }
    });

    test('loads files of this installation alone, each of which may be kept for good', async () => {
      const addresses = new Set(
        [...pages.values()]
          .flatMap(({ text }) => [...text.matchAll(/<(?:link|script|div)[^>]* (?:href|src|data-viewer)="([^"]*)"/g)])
          .map(([, address = '']) => address),
      );
      addresses.delete('data:,');
      expect(addresses.size).toBeGreaterThanOrEqual(5);
      for (const address of addresses) {
        const { status, headers } = await its.call(address, { method: 'HEAD' });
        expect([address, status]).toEqual([expect.stringMatching(/^\/docs\/assets\/[0-9a-f]{16}\/[\w.-]+$/), 200]);
        expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
        expect(headers['content-type']).toMatch(/^text\/(?:css|javascript); charset=utf-8$/);
      }
      const [address = ''] = addresses;
      expect((await its.call(address.replace(/assets\/\w+/, 'assets/0000000000000000'))).status).toBe(404);
    });

    test('names the installation in its commands, which can be copied', () => {
      expect(textOf('/docs/client')).toContain(`npm install ${ISSUER}/docs/client.tgz`);
      const others = guides.filter(({ path }) => textOf(`/docs${path}`).includes('tickets.example.org'));
      expect(others).toEqual([]);
    });

    test('links to pages, headings and documents that are there', async () => {
      const faults: string[] = [];
      for (const [path, { text }] of pages) {
        for (const address of addressesIn(text)) {
          if (/^(?:https:|data:|\/docs\/assets\/|\/(?:tnwr\/(?:v1|vexp)\/)?openapi\.json$)/.test(address)) continue;
          const [target = '', anchor] = address.split('#');
          const found = target === '' ? text : textOf(target);
          if (found === '') faults.push(`${path} links to ${address}`);
          else if (anchor !== undefined && !found.includes(` id="${anchor}"`)) faults.push(`${path}: no ${address}`);
        }
      }
      expect(faults).toEqual([]);
    });

    test('is in the navigation of every other one, and marked there as the present one', () => {
      for (const path of paths) {
        const inside = /<nav[\s\S]*?<\/nav>/.exec(textOf(path))?.[0] ?? '';
        expect(addressesIn(inside)).toEqual(paths);
        expect(inside.match(/aria-current="page"/g)).toHaveLength(1);
        expect(inside).toContain(`href="${path}" aria-current="page"`);
      }
    });

    test('has one title, and one heading of the first level that is the same', () => {
      for (const path of paths) {
        const [, heading] = /<h1[^>]*>([^<]*)<\/h1>/.exec(textOf(path)) ?? [];
        expect(textOf(path).match(/<h1/g)).toHaveLength(1);
        expect(textOf(path)).toContain(`<title>${heading} – boxoffice</title>`);
      }
    });
  });

  describe('requests of pages', () => {
    test('are revalidated by their validator, compressed where the client can, and have no body for HEAD', async () => {
      const etag = headerOf('/docs/errors', 'etag');
      const unchanged = await its.call('/docs/errors', { headers: { 'if-none-match': etag } });
      expect([unchanged.status, unchanged.text]).toEqual([304, '']);
      expect(headerOf('/docs/errors', 'cache-control')).toBe('no-cache');
      const head = await its.call('/docs/errors', { method: 'HEAD' });
      expect([head.status, head.text, head.headers.etag]).toEqual([200, '', etag]);
      const zipped = await its.call('/docs/errors', { headers: { 'accept-encoding': 'gzip' } });
      expect([zipped.headers['content-encoding'], zipped.headers.vary]).toEqual(['gzip', 'Accept-Encoding']);
      expect(Number(zipped.headers['content-length'])).toBeLessThan(textOf('/docs/errors').length / 2);
    });

    test('other methods are 405, unknown pages 404, both as pages', async () => {
      for (const path of ['/docs', '/docs/errors']) {
        const refused = await its.call(path, { method: 'POST' });
        expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD']);
      }
      const unknown = await its.call('/docs/nothing');
      expect([unknown.status, unknown.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect((await its.plain('/docs')).status).toBe(404);
    });

    test('browsers are led from the root to the reference where there is no shop; for everybody else it is 404', async () => {
      const led = await its.call('/', { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
      expect([led.status, led.headers.location, led.headers.vary]).toEqual([302, '/docs', 'Accept']);
      const slash = await its.call('/docs/');
      expect([slash.status, slash.headers.location]).toEqual([308, '/docs']);
      for (const { headers } of [led, slash]) expect(headers['content-type']).toBe('text/html; charset=utf-8');
      for (const accept of ['application/json', '*/*', 'text/html;q=0']) {
        expect((await its.call('/', { headers: { accept } })).status).toBe(404);
      }
    });

    test('404 names the reference in details', async () => {
      for (const path of ['/', '/nowhere', '/svc/v3/nothing', '/a//b']) {
        const { status, body } = await its.call(path);
        expect([path, status, body.details]).toEqual([path, 404, expect.stringContaining('/docs')]);
      }
      expect((await its.call('/tnwr/v2')).body.errorMessage).toContain('/docs');
    });
  });
});

/** The rows of a chapter: code, HTTP status, meaning, and what to do. */
const rowsOf = async (chapter: string): Promise<readonly string[][]> => {
  const text = (await readGuide('docs/guides/errors.md')).split(`\n## ${chapter}\n`)[1]?.split('\n## ')[0] ?? '';
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').replaceAll('`', '')));
};

test.each([
  ['Institution API', registry],
  ['Point-of-sale API', posRegistry],
])(
  '%s: the guide has every code of the registry, with its status and meaning, and no other one',
  async (chapter, codes) => {
    const rows = await rowsOf(chapter);
    expect(rows.map(([code, http, when]) => [code, http, when])).toEqual(
      Object.values(codes).map(({ status, http, when }) => [status, `${http}`, when.replaceAll('`', '')]),
    );
    expect(rows.filter(([, , , todo = '']) => todo.length < 6)).toEqual([]);
  },
);
