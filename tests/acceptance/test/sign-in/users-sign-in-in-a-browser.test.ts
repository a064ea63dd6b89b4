import { randomUUID } from 'node:crypto';
import { waitUntil } from '@boxoffice/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { axe, listAxeFindings } from '../../src/axe.ts';
import { type Product, startProduct } from '../../src/product.ts';
import { executablePath, measureOverflow, openBrowser } from '../shop/visit.ts';
import {
  buildSignInUrl,
  enter,
  findPeople,
  INSTITUTION,
  type Language,
  LOCALES,
  locateControls,
  type People,
  walk,
} from './pages.ts';
import { runWithSavedPassword } from './password-manager.ts';
import { CLIENT_MODULE, type SinglePageApplication, serveSinglePageApplication } from './single-page-application.ts';

const PATIENCE_MS = 180_000;
const STORY_MS = 600_000;

/** No rule of the style depends on both. */
const NARROW = { width: 320, colorScheme: 'dark' } as const;
const WIDE = { width: 1280, colorScheme: 'light' } as const;

/** The other languages change only texts, which take the most room on a narrow screen. */
const LOOKS = { fr: [NARROW, WIDE], en: [NARROW], de: [NARROW] } as const;

const suite = executablePath ? describe : describe.skip;
if (suite === describe.skip) process.stdout.write('skipped: signing in needs a browser\n');

// One installation and one browser for everything.
suite('users sign in in a browser', () => {
  let product: Product;
  let browser: Browser;
  let application: SinglePageApplication;
  let people: People;
  const complaints: string[] = [];

  beforeAll(async () => {
    [product, browser] = await Promise.all([startProduct(), openBrowser()]);
    const client = product.demo.clients.find(({ institution, name }) => institution === INSTITUTION && name === 'web');
    application = await serveSinglePageApplication(product.demo.baseUrl, client?.clientId ?? '');
    people = findPeople(product, application.url);
  });
  afterAll(async () => {
    await browser?.close();
    await application?.close();
    await product?.stop();
    await product?.discard();
  });

  /** A page of a browser without cookies; it closes with the story. */
  const inBrowser = async (options: BrowserContextOptions, story: (page: Page) => Promise<void>): Promise<void> => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, reducedMotion: 'reduce', ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('console', (message) => {
      const isStatus = message.text().startsWith('Failed to load resource');
      if (['error', 'warning'].includes(message.type()) && !isStatus) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    try {
      await story(page);
    } finally {
      await context.close();
    }
  };

  /**
   * Signs in at the application. Where the product is too busy to answer, the application says so and offers it again,
   * and a person tries again.
   */
  const signInAt = async (page: Page): Promise<void> => {
    const said: string[] = [];
    page.on('dialog', (dialog) => {
      said.push(dialog.message());
      void dialog.dismiss();
    });
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await page.locator('#sign-in').click();
      const next = page.locator('input[type=password], #sign-out').filter({ visible: true });
      await next.first().waitFor();
      if ((await page.locator('#sign-out').count()) === 0) await enter(page, people.login, people.password);
      await page.locator('#sign-in, #sign-out').filter({ visible: true }).waitFor();
      if (await page.locator('#sign-out').isVisible()) return;
    }
    throw new Error(`nobody is signed in: ${said.join(', ')}`);
  };

  test.concurrent(
    'the single-page application of the documentation signs in, calls, refreshes in the background and signs out',
    () =>
      inBrowser({ locale: LOCALES.en }, async (page) => {
        const button = (name: string) => page.getByRole('button', { name });
        const token = (): Promise<string> =>
          page.evaluate(
            'JSON.parse(Object.values(sessionStorage).find((one) => one.includes("access_token"))).access_token',
          );
        await page.clock.install();
        await page.goto(application.url);
        await signInAt(page);
        await page.locator('#products li').first().waitFor();
        const first = await token();

        // The library refreshes a minute before the token expires, by a clock that is moved on here.
        const refreshed = page.waitForResponse(
          (response) => response.request().postData()?.includes('grant_type=refresh_token') === true,
        );
        await page.clock.fastForward('14:30');
        expect((await refreshed).status()).toBe(200);
        await waitUntil(async () => (await token()) !== first, { withinMs: PATIENCE_MS });
        const second = await token();
        await page.reload();
        await page.locator('#products li').first().waitFor();

        await button('Sign out').click();
        await button('Sign in').waitFor();
        expect(new URL(page.url()).origin).toBe(application.url);
        const call = () =>
          people.client('/svc/v3/catalog/products', { headers: { authorization: `Bearer ${second}` } });
        await waitUntil(async () => (await call()).status === 401, { withinMs: PATIENCE_MS });
        const returned = page.waitForRequest((request) => request.url().startsWith(`${people.redirectUri}?`));
        await page.goto(buildSignInUrl(people, { prompt: 'none' }));
        expect(new URL((await returned).url()).searchParams.get('error')).toBe('login_required');
      }),
    STORY_MS,
  );

  test.concurrent(
    '@boxoffice/client works in a page: with an API key, as a loop over a list, for webhooks, and with errors by code',
    () =>
      inBrowser({ locale: LOCALES.en }, async (page) => {
        const apiKey = product.demo.apiKeys.find(({ institution }) => institution === INSTITUTION)?.key;
        await page.goto(application.url);
        const found = await page.evaluate(`(async () => {
          const { createClient, isApiError, verifyWebhook } = await import('${CLIENT_MODULE}');
          const client = createClient({ baseUrl: '${product.demo.baseUrl}', apiKey: '${apiKey}' });
          const types = new Set();
          for await (const { type } of client.listProducts({ query: { limit: 200 } })) types.add(type);
          const { headers } = await client.getCatalog().withResponse();
          const etag = headers.get('etag');
          const unchanged = await client.getCatalog({ ifNoneMatch: etag }).catch(({ status }) => status);
          const unknown = await client.getProduct({ path: { productId: 'prd_none' } }).catch((error) => error);
          const event = await verifyWebhook({
            secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
            body: '{"test": 2432232314}',
            headers: {
              'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
              'webhook-timestamp': '1614265330',
              'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
            },
            now: 1614265330000,
          });
          return [types.has('show'), unchanged, isApiError(unknown, 'not_found'), unknown.requestId !== null, event];
        })()`);
        expect(found).toEqual([true, 'not_modified', true, true, { test: 2432232314 }]);
      }),
    STORY_MS,
  );

  test.concurrent.each(Object.entries(LOCALES) as [Language, string][])(
    'axe-core finds nothing on any page, narrow and dark, or wide and light, in %s',
    (language, locale) =>
      inBrowser({ locale }, async (page) => {
        const faults: string[] = [];
        const statuses: Record<string, number | undefined> = {};
        await walk(page, people, async (name, status) => {
          statuses[name] = status;
          await page.evaluate(axe);
          if ((await page.locator('html').getAttribute('lang')) !== language) faults.push(`${name}: another language`);
          for (const { width, colorScheme } of LOOKS[language]) {
            await page.setViewportSize({ width, height: 800 });
            await page.emulateMedia({ colorScheme });
            if ((await measureOverflow(page)) > 0) faults.push(`${name}: wider than ${width} px`);
            faults.push(
              ...(await listAxeFindings(page)).map((found) => `${name}, ${width} px, ${colorScheme}: ${found}`),
            );
          }
        });
        expect(faults).toEqual([]);
        expect(statuses).toEqual({
          'unknown client': 400,
          'no page': 404,
          'ended invitation': 404,
          invitation: 200,
          'invitation with different passwords': 422,
          'saved password': 200,
          'sign-in': 200,
          'wrong password': 403,
          throttled: 429,
          consent: 200,
          'sent form': 409,
          'wrong method': 405,
          'service away': 503,
          'too many requests': 429,
          'sign out': 200,
          'signed out': 200,
        });
      }),
    STORY_MS,
  );

  test.concurrent(
    'the keyboard alone is enough, without JavaScript',
    () =>
      inBrowser({ locale: LOCALES.en, javaScriptEnabled: false }, async (page) => {
        const { keyboard } = page;
        const focused = page.locator(':focus');
        const signIn = async (): Promise<number> => {
          await page.goto(buildSignInUrl(people, { prompt: 'consent' }));
          // Keys that are pressed before the field has the focus are lost.
          expect(await focused.getAttribute('name')).toBe('login');
          await keyboard.type(people.login);
          await keyboard.press('Tab');
          await keyboard.type(people.password);
          await keyboard.press('Tab');
          expect(await focused.textContent()).toBe('Sign in');
          const answered = page.waitForResponse((response) => response.request().method() === 'POST');
          await keyboard.press('Enter');
          return (await answered).status();
        };
        // Too busy to check a password, the product answers 429 or 503, and a person tries again.
        const statuses = [await signIn()];
        while ([429, 503].includes(statuses.at(-1) ?? 0) && statuses.length < 3) statuses.push(await signIn());
        expect([200, 303]).toContain(statuses.at(-1));

        await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
        await keyboard.press('Tab');
        expect(await focused.textContent()).toBe('Allow');
        await keyboard.press('Tab');
        expect(await focused.textContent()).toBe('Refuse');
        await keyboard.press('Enter');
        await page.waitForURL((url) => url.searchParams.get('error') === 'access_denied');

        await page.goto(buildSignInUrl(people, { prompt: 'consent' }));
        await keyboard.press('Tab');
        await keyboard.press('Enter');
        await page.waitForURL((url) => url.href.startsWith(people.redirectUri) && url.searchParams.has('code'));

        await page.goto(`${people.baseUrl}/auth/logout`);
        await keyboard.press('Tab');
        expect(await focused.textContent()).toBe('Sign out');
        await keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Signed out' }).waitFor();

        await page.goto(await people.invite());
        expect(await focused.getAttribute('name')).toBe('password');
        await keyboard.type('four swans on a cold lake');
        await keyboard.press('Tab');
        await keyboard.type('four swans on a cold lake');
        await keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Your password is saved' }).waitFor();
      }),
    STORY_MS,
  );

  test.concurrent(
    'an email beyond ASCII signs in as it is typed, its domain in letters or as DNS has it',
    () =>
      inBrowser({ locale: LOCALES.de }, async (page) => {
        const { login, password, repeat, submit } = locateControls(page);
        const name = `zoë-${randomUUID()}`;
        await page.goto(await people.invite(`${name}@bücher.example`));
        expect(await login.inputValue()).toBe(`${name}@bücher.example`);
        for (const field of [password, repeat]) await field.fill('four swans on a cold lake');
        await submit.click();
        await password.waitFor({ state: 'detached' });
        for (const domain of ['bücher.example', 'xn--bcher-kva.example']) {
          await page.goto(buildSignInUrl(people, { prompt: 'login' }));
          const returned = page.waitForRequest((request) => request.url().startsWith(`${people.redirectUri}?`));
          await enter(page, `${name}@${domain}`, 'four swans on a cold lake');
          expect(new URL((await returned).url()).searchParams.has('code')).toBe(true);
        }
      }),
    STORY_MS,
  );

  test.concurrent(
    'the password manager of Chromium fills in the sign-in, and recognises the new password of an invitation',
    () =>
      runWithSavedPassword(
        { origin: people.baseUrl, login: people.login, password: people.password },
        async (context) => {
          const page = await context.newPage();
          page.setDefaultTimeout(PATIENCE_MS);
          const { login, password, submit } = locateControls(page);
          await page.goto(buildSignInUrl(people));
          // The page gets the values after the first click of the user.
          const isFilled = async () => {
            await page.mouse.click(5, 5);
            return (await password.inputValue()) === people.password;
          };
          await waitUntil(isFilled, { what: 'the filled password', withinMs: PATIENCE_MS });
          expect(await login.inputValue()).toBe(people.login);
          const returned = page.waitForRequest((request) => request.url().startsWith(`${people.redirectUri}?`));
          await submit.click();
          expect(new URL((await returned).url()).searchParams.get('code')).not.toBeNull();

          await page.goto(await people.invite());
          const fields = page.locator('input:not([type=hidden])');
          const tokens = await fields.evaluateAll((inputs) =>
            inputs.map((input) => input.getAttribute('autocomplete')),
          );
          expect(tokens).toEqual(['username', 'new-password', 'new-password']);
          expect(await password.inputValue()).toBe('');
        },
      ),
    STORY_MS,
  );

  test('no page violates its own policy or logs an error', () => {
    expect(complaints).toEqual([]);
  });
});
