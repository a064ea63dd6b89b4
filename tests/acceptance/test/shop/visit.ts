import { findChromium, findHeadlessChromium } from '@boxoffice/testkit';
import { type Browser, type BrowserContext, chromium, type Page, type Route } from 'playwright-core';
import type { Demo } from '../../src/product.ts';

/** The browser's path; undefined without one. */
export const executablePath = findChromium(process.env);

/** The timeout for anything to appear, on a busy machine. */
const PATIENCE_MS = 60_000;

/** Pages of other sites, which tests make up, reach the installation on this machine. */
const LOCAL = ['--disable-features=LocalNetworkAccessChecks'];

/** Chromium's own sandbox does not work for root. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findHeadlessChromium(process.env),
    args: ['--disable-gpu', ...LOCAL, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
}

/** A visitor of the shop: a tab of a browser profile of its own. */
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
  /** The browser's locale. */
  readonly locale?: string;
  readonly width?: number;
  /** The profile of another visit: a further tab of its browser. */
  readonly profile?: BrowserContext;
  /** After `/shop/`; default: the first page of the opera. */
  readonly at?: string;
}

/** Waits until the page's script has taken over from the server; the page of an error has none. */
export function waitForTakeover(page: Page): Promise<void> {
  return page.locator('main[data-live] h1, main:not(#main) h1').waitFor();
}

/** Opens the shop and waits until its first page is drawn. */
export async function visit(
  browser: Browser,
  { baseUrl }: Pick<Demo, 'baseUrl'>,
  { locale = 'en-GB', width = 1280, at = '', profile: own }: VisitOptions = {},
): Promise<Visit> {
  const page = await (own ?? (await profile(browser, locale))).newPage();
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
    if (response.status() < 400 || !response.url().includes('/tnwr/')) return;
    // Of a page that has been left there is no text any more.
    const text = await response.text().catch(() => undefined);
    if (text === undefined && response.status() < 500) return;
    refusals.push(errorCodeIn(text ?? '') ?? `${response.status()} ${response.url()}`);
  });
  await load(page, `${baseUrl}/shop/${at}`);
  await fontsAreThere(page);
  return { page, foreign, complaints, refusals };
}

/** A browser's profile of its own: tabs of one share the session and the chosen language. */
const profile = (browser: Browser, locale: string): Promise<BrowserContext> =>
  browser.newContext({ locale, ignoreHTTPSErrors: true, reducedMotion: 'reduce' });

const errorCodeIn = (text: string): string | undefined => {
  try {
    return JSON.parse(text).errorCode;
  } catch {
    return undefined;
  }
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
  await waitForTakeover(page);
};

/** Waits until the fonts of the page have come: before, lines are of another width. */
const fontsAreThere = (page: Page): Promise<void> => page.evaluate('document.fonts.ready.then(() => undefined)');

/** Holds the next request to such an address until it is released; `asked` resolves when it is made. */
export async function holdNext(page: Page, address: RegExp) {
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const play = async (route: Route) => {
    const response = await route.fetch();
    asked.resolve();
    await released.promise;
    await route.fulfill({ response });
  };
  await page.route(address, play, { times: 1 });
  return {
    asked: asked.promise,
    /** Lets the answer arrive, and the page do with it what it does. */
    release: async () => {
      const finished = page.waitForEvent('requestfinished', (request) => address.test(request.url()));
      released.resolve();
      await finished;
      await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
    },
  };
}

/** Keeps the plan of the page as it is, which asks anew every quarter of a minute, until the function is called. */
export async function keepPlan(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(/\/seat-map\?/, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** The members of a page element that are read here. */
interface Control {
  readonly textContent: string;
  readonly outerHTML: string;
  readonly labels?: ArrayLike<{ readonly textContent: string }> | null;
  getAttribute(name: string): string | null;
}

/** Controls of the page without an accessible name. */
export function listNamelessControls(page: Page): Promise<string[]> {
  return page.locator('a, button, input, select, summary').evaluateAll((controls: Control[]) => {
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
}

/** The number of pixels by which the page is wider than the window. */
export async function measureOverflow(page: Page): Promise<number> {
  await fontsAreThere(page);
  return page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth);
}

type Text = string | { readonly one: string; readonly other: string };

/** What a page says in a language: the text of a name (`group.name` within a group), with its values. */
export type Texts = (name: string, values?: Readonly<Record<string, string | number>>) => string;

// Read before the tests: the files that browsers load.
const tables = new Map<string, unknown>();
for (const service of ['pos', 'tickets'])
  for (const language of ['en', 'de', 'fr']) {
    const file = new URL(`../../../../services/${service}/browser/texts/${language}.js`, import.meta.url).href;
    tables.set(`${service} ${language}`, (await import(file))[language]);
  }

/** The texts of the shop or of the page at the door. */
export function getTexts(service: 'pos' | 'tickets', locale: string): Texts {
  const key = `${service} ${locale.slice(0, 2)}`;
  return (name, values = {}) => {
    // biome-ignore lint/suspicious/noExplicitAny: texts in groups
    const text: Text | undefined = name.split('.').reduce((group: any, part) => group?.[part], tables.get(key));
    if (text === undefined) throw new Error(`there is no text ${name} of ${key}`);
    const chosen = typeof text === 'string' ? text : values.count === 1 ? text.one : text.other;
    return chosen.replaceAll(/\{(\w+)\}/g, (_, value) => String(values[value] ?? ''));
  };
}
