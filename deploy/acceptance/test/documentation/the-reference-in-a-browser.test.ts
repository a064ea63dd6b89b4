import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Product, startProduct } from '../../src/product.ts';
import { blocksOf, runBlocks } from '../../src/readme.ts';
import { executablePath, openBrowser, overflow } from '../shop/visit.ts';

const PATIENCE_MS = 180_000;
const STORY_MS = 300_000;
const INSTITUTION = 'opera';
const GUIDES = ['token', 'sale', 'mirror', 'errors', 'limits', 'versions', 'changes', 'client', 'webhooks', 'api-keys'];
/** The pages whose descriptions the viewer draws. */
const DRAWN = ['', '/pos', '/pos/vexp'];
const ALL = [...GUIDES, 'sign-in', 'point-of-sale', 'selling', 'decisions', 'glossary', 'callback'];

const require = createRequire(import.meta.url);
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

const suite = executablePath ? describe : describe.skip;
if (suite === describe.skip) process.stdout.write('skipped: the documentation needs a browser\n');

// One installation and one browser for everything.
suite('the documentation in a browser', () => {
  let product: Product;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let axe: string;
  /** Requests that would leave the installation. */
  const foreign: string[] = [];
  /** Errors of scripts and violated policies. */
  const complaints: string[] = [];

  beforeAll(async () => {
    axe = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');
    [product, browser] = await Promise.all([startProduct(), openBrowser()]);
    context = await browser.newContext({ ignoreHTTPSErrors: true, reducedMotion: 'reduce' });
    context.on('request', (request) => {
      const isInside = request.url().startsWith(`${product.demo.baseUrl}/`) || request.url().startsWith('data:');
      if (!isInside) foreign.push(request.url());
    });
    context.on('console', (message) => {
      const isStatus = message.text().startsWith('Failed to load resource');
      if (['error', 'warning'].includes(message.type()) && !isStatus) complaints.push(message.text());
    });
    context.on('weberror', (error) => complaints.push(error.error().message));
    page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
  }, STORY_MS);
  afterAll(async () => {
    await browser?.close();
    await product?.stop();
    await product?.discard();
  });

  const open = (path: string) => page.goto(`${product.demo.baseUrl}/docs${path}`);

  /** What axe-core finds, without what the viewer draws. It comes by the debugger, which no policy concerns. */
  const findings = async (): Promise<string[]> => {
    const debug = await context.newCDPSession(page);
    await debug.send('Runtime.evaluate', { expression: axe });
    await debug.detach();
    return page.evaluate(
      "axe.run({ exclude: [['#reference']] }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))",
    );
  };

  const drawn = () => page.locator('#reference .opblock').first().waitFor();

  test(
    'axe-core finds nothing on any page, at 390 px nothing is wider than the page, light and dark',
    async () => {
      const faults: string[] = [];
      for (const path of [...DRAWN, ...ALL.map((name) => `/${name}`)]) {
        await page.setViewportSize({ width: 1280, height: 900 });
        await open(path);
        if (DRAWN.includes(path)) await drawn();
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          faults.push(...(await findings()).map((found) => `${path} ${colorScheme}: ${found}`));
        }
        await page.setViewportSize({ width: 390, height: 800 });
        if ((await overflow(page)) > 0) faults.push(`${path}: wider than 390 px`);
      }
      await page.emulateMedia({ colorScheme: 'light' });
      expect(faults).toEqual([]);
    },
    STORY_MS * 2,
  );

  test(
    'the keyboard skips to the content and opens the list of pages; what has the focus is marked',
    async () => {
      await page.setViewportSize({ width: 390, height: 800 });
      await open('/token');
      const focused = page.locator(':focus');
      await page.keyboard.press('Tab');
      expect(await focused.textContent()).toBe('Skip to the content');
      expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
      await page.keyboard.press('Enter');
      expect(await focused.getAttribute('id')).toBe('content');
      await page.locator('summary').focus();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      expect(await focused.textContent()).toBe('Institution API');
      await page.setViewportSize({ width: 1280, height: 900 });
    },
    STORY_MS,
  );

  test(
    'an operation is found by its name, with examples in curl and TypeScript',
    async () => {
      await open('');
      await drawn();
      await page.getByLabel('Search by path, name or text').fill('createOrder');
      const operation = page.locator('#operations-orders-createOrder');
      await operation.waitFor();
      await page.locator('#operations-orders-cancelOrder').waitFor({ state: 'detached' });
      await operation.locator('.opblock-summary-control').click();
      const samples = operation.locator('.samples pre');
      await samples.first().waitFor({ state: 'attached' });
      const [curl, typescript] = await samples.allTextContents();
      expect(curl).toMatch(/^curl -X POST "\$BASE\/svc\/v3\/orders"[\s\S]*Bearer \$TOKEN[\s\S]*-d '\{"/);
      expect(typescript).toMatch(/^const data = await client\.createOrder\(\{\n {2}body: \{/);
    },
    STORY_MS,
  );

  test(
    '“try it” signs in with PKCE and calls an operation',
    async () => {
      const client = product.demo.clients.find((one) => one.institution === INSTITUTION && one.name === 'web');
      const user = product.demo.apiUsers.find((one) => one.institution === INSTITUTION && one.role === 'manager');
      await open('');
      await drawn();
      await page.locator('button.authorize').first().click();
      const flow = page.locator('.auth-container', { has: page.locator('#client_id_authorizationCode') });
      await flow.locator('#client_id_authorizationCode').fill(client?.clientId ?? '');
      await flow.locator('label[for^="catalog:read-authorizationCode"]').click();
      const [popup] = await Promise.all([context.waitForEvent('page'), flow.locator('button.authorize').click()]);
      popup.setDefaultTimeout(PATIENCE_MS);
      const exchange = page.waitForRequest((request) => request.url().endsWith('/auth/token'));
      await popup.locator('input[name=login]').fill(user?.login ?? '');
      await popup.locator('input[name=password]').fill(user?.password ?? '');
      await popup.locator('button[type=submit]').first().click();
      const sent = new URLSearchParams((await exchange).postData() ?? '');
      expect([sent.get('grant_type'), sent.has('code_verifier')]).toEqual(['authorization_code', true]);
      await page.locator('.dialog-ux').getByText('Logout', { exact: true }).waitFor();
      await page.locator('.dialog-ux .btn-done').first().click();

      const operation = page.locator('#operations-catalog-listTariffs');
      await operation.locator('.opblock-summary-control').click();
      await operation.locator('.try-out__btn').click();
      const called = page.waitForResponse((response) => response.url().includes('/svc/v3/catalog/tariffs'));
      await operation.locator('button.execute').click();
      expect((await called).status()).toBe(200);
      await operation.locator('.live-responses-table .response-col_status', { hasText: '200' }).first().waitFor();
    },
    STORY_MS,
  );

  test('no request left the installation, and no page violated its policy', () => {
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test(
    'the commands of the guides do what they say',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'boxoffice-guides-'));
      try {
        await symlink(product.directory, join(folder, 'data'));
        const read = (name: string) => readFile(join(ROOT, 'docs/guides', name), 'utf8');
        const chapters = ['1 Prices', '2 The buyer', '3 The order', '4 The payment', '5 The tickets'];
        const sale = await read('sale.md');
        const first = blocksOf(
          sale.replace('# Selling in five calls', '## Selling in five calls'),
          'Selling in five calls',
        );
        const blocks = [...blocksOf(await read('token.md'), 'With curl'), ...first];
        const faults = runBlocks([...blocks, ...chapters.flatMap((chapter) => blocksOf(sale, chapter))], folder);
        expect(faults).toEqual([]);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    STORY_MS,
  );
});
