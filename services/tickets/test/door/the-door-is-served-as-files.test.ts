import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDoorFront } from '../../src/control/door-files.ts';

const api: RequestListener = (_request, response) => {
  response.writeHead(418).end('the service');
};
const settings = { doorClientIds: '' };
// A connection whose end `fetch` has not noticed would fail its next request.
const server = createServer(
  { keepAliveTimeout: 600_000 },
  createDoorFront(api, { publicUrl: 'https://tickets.example', settings }),
);
let origin = '';

/** The folder of the files that the page loads, which is named after their content. */
let files = '';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address !== null && typeof address === 'object') origin = `http://127.0.0.1:${address.port}`;
  files = /src="([0-9a-f]{16})\/door\.js"/.exec(await (await get('/door/')).text())?.[1] ?? '';
});

afterAll(async () => {
  server.close();
  // `fetch` keeps its connections.
  server.closeAllConnections();
  await once(server, 'close');
});

const get = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${origin}${path}`, { redirect: 'manual', ...init });

describe('the door is served as files', () => {
  test('the page is at /door/, and /door redirects there with the answer of the sign-in', async () => {
    const page = await get('/door/');
    expect([page.status, page.headers.get('content-type'), page.headers.get('cache-control')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    const moved = await get('/door?code=1');
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/door/?code=1']);
  });

  test('every file that the page, its modules and its worker name is served', async () => {
    const seen = new Set<string>();
    const visit = async (path: string): Promise<void> => {
      if (seen.has(path)) return;
      seen.add(path);
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      if (!/\.(?:js|html)$|\/$/.test(path)) return;
      const named = (await answer.text()).matchAll(/(?:src|href|from|import|URL\()[=\s(]*["']([\w./-]+\.\w+)["']/g);
      for (const [, name = ''] of named) await visit(new URL(name, `http://door${path}`).pathname);
    };
    await visit('/door/');
    await visit('/door/service-worker.js');
    const worker = await (await get('/door/service-worker.js')).text();
    const release = JSON.parse(/^const release = (\{.*\});/.exec(worker)?.[1] ?? '{}');
    expect(release.folder).toBe(files);
    for (const path of release.paths) {
      const { status, headers } = await get(`/door/${path}`);
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'public, max-age=31536000, immutable']);
    }
    const loaded = [...seen].filter((path) => path.startsWith(`/door/${files}/`)).map((path) => path.slice(6));
    expect(release.paths).toEqual(expect.arrayContaining(loaded));
    expect(release.paths).toContain(`${files}/lib/zxing/zxing_reader.wasm`);
  });

  test('the decoder is WebAssembly, compressed', async () => {
    const { headers } = await get(`/door/${files}/lib/zxing/zxing_reader.wasm`);
    expect([headers.get('content-type'), headers.get('content-encoding')]).toEqual(['application/wasm', 'gzip']);
  });

  test('the icons of the manifest are served', async () => {
    const { icons } = JSON.parse(await (await get('/door/manifest.webmanifest')).text());
    for (const { src } of icons) expect([src, (await get(src)).status]).toEqual([src, 200]);
  });

  test('every answer allows the camera and WebAssembly, and neither inline scripts nor foreign sources', async () => {
    for (const path of ['/door', '/door/', '/door/service-worker.js', `/door/${files}/door.js`, '/door/nothing']) {
      const { headers } = await get(path);
      const policy = `${headers.get('content-security-policy')}`;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toMatch(/unsafe-inline|unsafe-eval'(?<!'wasm-unsafe-eval')|https?:|\*/);
      expect(headers.get('permissions-policy')).toMatch(/^camera=\(self\), geolocation=\(\), microphone=\(\)/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  test('the clients of the setting as it is now, by the name that the page shows', async () => {
    const read = async () => JSON.parse(await (await get('/door/settings.json')).text());
    expect(await read()).toEqual({ address: 'https://tickets.example/door/', clients: [] });
    settings.doorClientIds = 'Opéra du Lac=client_1, Musée des Rives=client_2';
    expect((await read()).clients).toEqual([
      { name: 'Opéra du Lac', clientId: 'client_1' },
      { name: 'Musée des Rives', clientId: 'client_2' },
    ]);
  });

  test('what is not there is a page that leads back, other methods are 405', async () => {
    const accept = 'text/html';
    const missing = await get('/door/nope', { headers: { accept, 'accept-language': 'de' } });
    expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await missing.text()).toContain('<a href="/door/">Zur Kontrolle am Einlass</a>');
    const refused = await get('/door/', { method: 'POST' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('all other paths reach the service', async () => {
    for (const path of ['/', '/svc/v3/tickets', '/doors/', '/svc/v3/door/'])
      expect([path, (await get(path)).status]).toEqual([path, 418]);
  });
});
