import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumPath } from '../../src/chromium.ts';
import type { Demo } from '../../src/product.ts';

/** The browser's path; undefined without one. */
export const executablePath = chromiumPath(process.env);

/** The timeout for anything to appear, on a busy machine. */
const PATIENCE_MS = 60_000;

/** Chromium's own sandbox does not work for root. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])] });

/** A visitor of the shop: a tab with a session of its own. */
export interface Visit {
  readonly page: Page;
  /** Addresses outside the installation that the page requested. */
  readonly foreign: readonly string[];
  /** Console errors, such as a violated content policy; not refusals by the API. */
  readonly complaints: readonly string[];
  /** The errorCodes in API responses. */
  readonly refusals: readonly string[];
}

export interface VisitOptions {
  /** The browser's locale; a story that changes the language has a locale to itself. */
  readonly locale?: string;
  readonly width?: number;
  /** After `/shop/`. */
  readonly at?: string;
}

const profiles = new Map<string, Promise<BrowserContext>>();

/** The browser's profile of a locale: its visitors share the cache and the chosen language. */
const profileOf = (browser: Browser, locale: string): Promise<BrowserContext> => {
  const profile =
    profiles.get(locale) ?? browser.newContext({ locale, ignoreHTTPSErrors: true, reducedMotion: 'reduce' });
  profiles.set(locale, profile);
  return profile;
};

/** Loads the shop; repeats once when the machine's network changed meanwhile, for which Chromium fails requests. */
const load = async (page: Page, address: string): Promise<void> => {
  let hasChanged = false;
  page.on('requestfailed', (request) => {
    hasChanged ||= request.failure()?.errorText === 'net::ERR_NETWORK_CHANGED';
  });
  for (let tries = 0; tries < 3; tries += 1) {
    hasChanged = false;
    await page.goto(address).catch((error: unknown) => {
      if (!hasChanged) throw error;
    });
    if (!hasChanged) break;
  }
  await page.locator('main h1').waitFor();
};

/** Opens the shop and waits until its first page is drawn. */
export const visit = async (
  browser: Browser,
  { baseUrl }: Pick<Demo, 'baseUrl'>,
  { locale = 'en-GB', width = 1280, at = '' }: VisitOptions = {},
): Promise<Visit> => {
  const page = await (await profileOf(browser, locale)).newPage();
  await page.setViewportSize({ width, height: 900 });
  page.setDefaultTimeout(PATIENCE_MS);
  const foreign: string[] = [];
  const complaints: string[] = [];
  const refusals: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(`${baseUrl}/`)) foreign.push(request.url());
  });
  page.on('console', (message) => {
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isRefusal) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('response', async (response) => {
    if (response.status() < 400) return;
    const body = await response.json().catch(() => ({}));
    refusals.push(body.errorCode ?? `${response.status()} ${response.url()}`);
  });
  await load(page, `${baseUrl}/shop/${at}`);
  return { page, foreign, complaints, refusals };
};

/** The members of a page element that are read here. */
interface Control {
  readonly textContent: string;
  readonly outerHTML: string;
  readonly labels?: ArrayLike<{ readonly textContent: string }> | null;
  getAttribute(name: string): string | null;
}

/** Controls of the page without an accessible name. */
export const nameless = (page: Page): Promise<string[]> =>
  page.locator('a, button, input, select, summary').evaluateAll((controls: Control[]) => {
    const nameOf = (control: Control): string =>
      [
        control.getAttribute('aria-label'),
        ...Array.from(control.labels ?? []).map(({ textContent }) => textContent),
        control.textContent,
      ]
        .join('')
        .trim();
    return controls.filter((control) => nameOf(control) === '').map(({ outerHTML }) => outerHTML);
  });

/** The number of pixels by which the page is wider than the window. */
export const overflow = (page: Page): Promise<number> =>
  page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth);
