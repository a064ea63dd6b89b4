import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { axe, listAxeFindings } from '../../src/axe.ts';
import { findDemoClient, type Product, startProduct } from '../../src/product.ts';
import { executablePath, measureOverflow, openBrowser } from '../shop/visit.ts';

const PATIENCE_MS = 180_000;
const STORY_MS = 600_000;
const INSTITUTION = 'opera';
const GUIDES =
  `demo token sale season reservations after-sale door mirror errors limits versions changes client webhooks
  api-keys`.split(/\s+/);
/** The pages whose descriptions the viewer draws, with an operation of each. */
const DRAWN = [
  ['', 'post-/svc/v3/orders'],
  ['/pos', 'post-/tnwr/v1/shopping-cart/items'],
  ['/pos/vexp', 'get-/tnwr/vexp/products'],
] as const;
/** Operations whose forms need more than ids of what is on sale. */
const FILLED = [
  ['get-/svc/v3/catalog/availability', '/svc/v3/catalog/availability', 200],
  ['post-/svc/v3/catalog/tariffs', '/svc/v3/catalog/tariffs', 201],
  ['post-/svc/v3/catalog/points-of-sale', '/svc/v3/catalog/points-of-sale', 201],
] as const;
const ALL = [...GUIDES, 'sign-in', 'point-of-sale', 'selling', 'decisions', 'glossary', 'callback'];

const suite = executablePath ? describe : describe.skip;
if (suite === describe.skip) process.stdout.write('skipped: the documentation needs a browser\n');

// One installation and one browser for everything.
suite('the documentation in a browser', () => {
  let product: Product;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  /** Requests that would leave the installation. */
  const foreign: string[] = [];
  /** Errors of scripts and violated policies. */
  const complaints: string[] = [];

  beforeAll(async () => {
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

  /** Loads axe-core once into the page, by the debugger, which no policy concerns. */
  const loadAxe = async (): Promise<void> => {
    if (await page.evaluate('"axe" in window')) return;
    const debug = await context.newCDPSession(page);
    await debug.send('Runtime.evaluate', { expression: axe });
    await debug.detach();
  };

  /** What axe-core finds, by all of its rules or by these. */
  const findings = async (rules?: readonly string[]): Promise<string[]> => {
    // Colours fade into those of another scheme, in every shadow tree from the next frame on.
    await page.evaluate(
      `(async () => {
        const rootsIn = (root) => [root, ...[...root.querySelectorAll('*')].flatMap((one) => one.shadowRoot ? rootsIn(one.shadowRoot) : [])];
        for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
        const animations = rootsIn(document).flatMap((root) => root.getAnimations());
        await Promise.all(animations.map(({ finished }) => finished.catch(() => undefined)));
      })()`,
    );
    return listAxeFindings(page, rules);
  };

  const viewer = () => page.locator('openapi-explorer');
  const linkTo = (route: string) => page.locator(`a[href="#?route=${route}"]`);
  /** Opens a page of the reference without a place, as readers first see it. */
  const openContents = async (path: string) => {
    await page.goto('about:blank');
    await open(path);
    await page.locator('#contents summary').first().waitFor();
  };
  /** Waits until the viewer shows a place. */
  const shownAt = async (route: string, shown: string) => {
    await viewer().locator(`[id="${route}"]`).first().waitFor();
    await viewer().locator(shown).first().waitFor();
  };
  /** Opens a page of the reference at a place of the viewer. */
  const openReference = async (path: string, route: string, shown: string) => {
    await page.goto('about:blank');
    await open(`${path}#?route=${route}`);
    await shownAt(route, shown);
  };
  /** Shows another place by the list of operations. */
  const turnTo = async (route: string, shown: string) => {
    const group = page.locator('#contents details:not([open])', { has: linkTo(route) });
    for (const one of await group.all()) await one.locator('summary').click();
    await linkTo(route).click();
    await shownAt(route, shown);
  };
  const EXECUTE = '[part~="btn-try"]';
  const answerTo = async (path: string): Promise<number> => {
    const answered = page.waitForResponse((response) => new URL(response.url()).pathname.startsWith(path));
    await viewer().locator(EXECUTE).first().click();
    return (await answered).status();
  };

  test(
    'axe-core finds nothing on any page, at 390 px nothing is wider than the page, light and dark',
    async () => {
      const faults: string[] = [];
      const examine = async (name: string, show: () => Promise<unknown>) => {
        await page.setViewportSize({ width: 1280, height: 900 });
        await page.emulateMedia({ colorScheme: 'light' });
        await show();
        await loadAxe();
        faults.push(...(await findings()).map((found) => `${name}: ${found}`));
        // The schemes differ in colours alone.
        await page.emulateMedia({ colorScheme: 'dark' });
        faults.push(...(await findings(['color-contrast'])).map((found) => `${name} dark: ${found}`));
        await page.setViewportSize({ width: 390, height: 800 });
        if ((await measureOverflow(page)) > 0) faults.push(`${name}: wider than 390 px`);
      };
      for (const [path, operation] of DRAWN) {
        await examine(path, () => openContents(path));
        await examine(`${path} authentication`, () => turnTo('auth', '#auth'));
        await examine(`${path} ${operation}`, () => turnTo(operation, EXECUTE));
      }
      for (const name of ALL) await examine(name, () => open(`/${name}`));
      await page.setViewportSize({ width: 1280, height: 900 });
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
    'an operation has examples in curl and TypeScript',
    async () => {
      await openReference('', 'post-/svc/v3/orders', EXECUTE);
      const [curl, typescript] = await viewer().locator('.code-sample-wrapper pre').allTextContents();
      expect(curl).toMatch(/curl -X POST "\$BASE\/svc\/v3\/orders"[\s\S]*Bearer \$TOKEN[\s\S]*-d '\{"/);
      expect(typescript).toMatch(/const data = await client\.createOrder\(\{\s+body: \{/);
    },
    STORY_MS,
  );

  test(
    'the first sight lists every operation without the viewer, which is then given one operation with what it refers to',
    async () => {
      for (const [path, route] of DRAWN) {
        const loaded: string[] = [];
        const note = (request: Request) => loaded.push(request.url());
        page.on('request', note);
        await openContents(path);
        const [operations, components] = await page.evaluate<[number, number]>(
          `fetch(document.getElementById('reference').dataset.description).then((answer) => answer.json())
            .then(({ paths, webhooks = {}, components }) => [
              [paths, webhooks].flatMap(Object.values).flatMap(Object.keys).length,
              Object.values(components).flatMap(Object.keys).length,
            ])`,
        );
        expect(await page.locator('#contents li a').count()).toBe(operations);
        expect(loaded.filter((address) => address.endsWith('/openapi-explorer.js'))).toEqual([]);
        expect(await viewer().count()).toBe(0);
        page.off('request', note);

        await page.evaluate(`globalThis.given = []; addEventListener('spec-loaded', ({ detail }) => given.push([
          detail.tags.flatMap(({ paths }) => paths).length,
          detail.components.flatMap(({ subComponents }) => subComponents).length,
        ]))`);
        await turnTo(route, EXECUTE);
        const given = await page.evaluate<[number, number][]>('given');
        expect(given).toEqual([[1, expect.any(Number)]]);
        expect(given[0]?.[1]).toBeLessThan(components);
      }
    },
    STORY_MS,
  );

  test(
    'at 390 px operations are found by path, id and summary, with the keyboard, and axe-core finds nothing',
    async () => {
      await page.setViewportSize({ width: 390, height: 800 });
      const faults: string[] = [];
      for (const [path, route] of DRAWN) {
        await openContents(path);
        await loadAxe();
        faults.push(...(await findings()));
        const [method = '', address = ''] = route.split(/-(.*)/);
        const [id, summary, all] = await page.evaluate<[string, string, number]>(
          `fetch(document.getElementById('reference').dataset.description).then((answer) => answer.json())
            .then(({ paths }) => paths['${address}']['${method}'])
            .then(({ operationId, summary }) => [operationId, summary, document.querySelectorAll('#contents li').length])`,
        );
        const field = page.getByRole('searchbox', { name: 'Search operations' });
        for (const words of [`${method} ${address}`, id, id.toUpperCase(), summary.split('`')[0] ?? '']) {
          await field.fill(words);
          await linkTo(route).waitFor();
          const count = await page.locator('#contents li:visible').count();
          expect(count).toBeLessThan(all / 3);
          expect(await page.getByRole('status').textContent()).toBe(`${count} of ${all} operations`);
        }
        faults.push(...(await findings()));
        await field.fill('nothing is named like this');
        expect(await page.getByRole('status').textContent()).toBe(`0 of ${all} operations`);

        await field.fill(id);
        await page.keyboard.press('Enter');
        await shownAt(route, EXECUTE);
        await page.locator('openapi-explorer:focus').waitFor();
        expect(await linkTo(route).getAttribute('aria-current')).toBe('page');
        expect(await measureOverflow(page)).toBe(0);
      }
      await page.setViewportSize({ width: 1280, height: 900 });
      expect(faults).toEqual([]);
    },
    STORY_MS,
  );

  test(
    'what a form of the point of sale is filled with works: products, one of them, and a place in the cart',
    async () => {
      await openReference('/pos', 'get-/tnwr/v1/products', EXECUTE);
      expect(await answerTo('/tnwr/v1/products')).toBe(200);
      await turnTo('get-/tnwr/v1/products/-id-', '[id="get-/tnwr/v1/products/-id-"]');
      expect(await answerTo('/tnwr/v1/products/prd_')).toBe(200);
      await turnTo('post-/tnwr/v1/shopping-cart/items', '[id="post-/tnwr/v1/shopping-cart/items"]');
      expect(await answerTo('/tnwr/v1/shopping-cart/items')).toBe(201);
    },
    STORY_MS,
  );

  const webClient = () => product.demo.clients.find((one) => one.institution === INSTITUTION && one.name === 'web');

  test(
    '“try it” signs in with PKCE, asks for what the client has, and calls an operation',
    async () => {
      const user = product.demo.apiUsers.find((one) => one.institution === INSTITUTION && one.role === 'manager');
      await openReference('', 'auth', '#auth');
      const flow = viewer().locator('.oauth-flow', { hasText: 'Authorization Code' });
      await flow.locator('#oauth-client-id').fill(webClient()?.clientId ?? '');
      const asked = page.waitForRequest((request) => new URL(request.url()).pathname === '/auth/authorize');
      await flow.locator('button').click();
      const { searchParams } = new URL((await asked).url());
      expect([searchParams.get('client_id'), searchParams.get('scope')]).toEqual([webClient()?.clientId, null]);
      const exchange = page.waitForRequest((request) => request.url().endsWith('/auth/token'));
      await page.locator('input[name=login]').fill(user?.login ?? '');
      await page.locator('input[name=password]').fill(user?.password ?? '');
      await page.locator('button[type=submit]').first().click();
      const sent = new URLSearchParams((await exchange).postData() ?? '');
      expect([sent.get('grant_type'), sent.has('code_verifier')]).toEqual(['authorization_code', true]);
      await viewer().getByText('1 API key applied').waitFor();
      expect(new URL(page.url()).search).toBe('');
      await turnTo('get-/svc/v3/catalog/tariffs', EXECUTE);
      expect(await answerTo('/svc/v3/catalog/tariffs')).toBe(200);
    },
    STORY_MS,
  );

  test(
    '“try it” takes the credentials of a client, and a token that one has already',
    async () => {
      const client = findDemoClient(product, INSTITUTION, 'full');
      await openReference('', 'auth', '#auth');
      const flow = viewer().locator('.oauth-flow', { hasText: 'Client Credentials' });
      await flow.locator('#oauth-client-id').fill(client.clientId);
      await flow.locator('#oauth-client-secret').fill(client.clientSecret);
      const issued = page.waitForResponse((response) => response.url().endsWith('/auth/token'));
      const requested = page.waitForRequest((request) => request.url().endsWith('/auth/token'));
      await flow.locator('button').click();
      expect(new URLSearchParams((await requested).postData() ?? '').has('scope')).toBe(false);
      const { access_token: token } = (await (await issued).json()) as { readonly access_token: string };
      await viewer().getByText('1 API key applied').waitFor();
      await turnTo('post-/svc/v3/orders', EXECUTE);
      expect(await answerTo('/svc/v3/orders')).toBe(201);
      for (const [route, path, status] of FILLED) {
        await turnTo(route, `[id="${route}"]`);
        expect([route, await answerTo(path)]).toEqual([route, status]);
      }

      await openReference('', 'auth', '#auth');
      const row = viewer().locator('tr', { hasText: 'HTTP Bearer' });
      await row.locator('input').fill(token);
      await row.locator('button').click();
      await viewer().getByText('1 API key applied').waitFor();
      await turnTo('get-/svc/v3/catalog/tariffs', EXECUTE);
      expect(await answerTo('/svc/v3/catalog/tariffs')).toBe(200);
    },
    STORY_MS,
  );

  test('a returned sign-in that did not begin in the reference leads nowhere', async () => {
    const state = Buffer.from(JSON.stringify({ url: 'https://elsewhere.example/docs' })).toString('base64url');
    await open(`/callback?code=abc&state=${state}`);
    await page.getByText('No sign-in of the reference waits for this').waitFor();
    await open('/callback?error=access_denied&error_description=no&state=x');
    await page.getByText('You are not signed in: no').waitFor();
  });

  test('no request left the installation, and no page violated its policy', () => {
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
