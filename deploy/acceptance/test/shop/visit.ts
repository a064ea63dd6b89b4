import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumPath } from '../../src/chromium.ts';
import type { Demo } from '../../src/product.ts';

/** Where the browser is; undefined where there is none. */
export const executablePath = chromiumPath(process.env);

/** How long anything may take to appear, on a machine that has much else to do. */
const PATIENCE_MS = 60_000;

/** Chromium's own sandbox does not work for root. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])] });

/** A visitor in the shop: a tab, and with it a session, of his own. */
export interface Visit {
  readonly page: Page;
  /** Addresses outside the installation that were asked for. */
  readonly foreign: readonly string[];
  /** What the console complained of, such as a broken content policy; not that the API refused something. */
  readonly complaints: readonly string[];
  /** The errorCodes that the API answered. */
  readonly refusals: readonly string[];
}

export interface VisitOptions {
  /** Of the browser; a story that changes the language has one to itself. */
  readonly locale?: string;
  readonly width?: number;
  /** After `/shop/`. */
  readonly at?: string;
}

const profiles = new Map<string, Promise<BrowserContext>>();

/** The browser's profile of a locale: its visitors share the cache, and the language that one of them chooses. */
const profileOf = (browser: Browser, locale: string): Promise<BrowserContext> => {
  const profile =
    profiles.get(locale) ?? browser.newContext({ locale, ignoreHTTPSErrors: true, reducedMotion: 'reduce' });
  profiles.set(locale, profile);
  return profile;
};

/** Loads the shop; once more where the machine's own network has changed meanwhile, which Chromium lets its requests fail for. */
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

/** As much of a page's element as is looked at here. */
interface Control {
  readonly textContent: string;
  readonly outerHTML: string;
  readonly labels?: ArrayLike<{ readonly textContent: string }> | null;
  getAttribute(name: string): string | null;
}

/** Controls of the page that a screen reader could not name. */
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

/** By how many pixels the page is wider than the window. */
export const overflow = (page: Page): Promise<number> =>
  page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth);
