import { type Client, findHeadlessChromium, type Json } from '@boxoffice/testkit';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { Product } from '../../src/product.ts';
import { must } from '../product.ts';
import { executablePath, getTexts, type Texts } from '../shop/visit.ts';
import { scan } from './barcode-readers.ts';

/** Only a failure takes so long, also on a machine that does much else. */
const PATIENCE_MS = 60_000;

/** With what names its seat. */
export type Ticket = {
  readonly id: string;
  readonly barcode: string;
  readonly row: string;
  readonly seat: number;
};

/** Tickets of a performance of tonight. */
export interface Evening {
  /** The name of the show in English. */
  readonly name: string;
  readonly performanceId: string;
  readonly tickets: readonly Ticket[];
}

const HOUR_MS = 3_600_000;
const getHour = (at: number): string =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', timeZone: 'Europe/Zurich' }).format(at);

/**
 * Soon, so that it is no performance of yesterday if the day of the door, at six in the morning, begins meanwhile; within
 * the hour before six even sooner, so that it is none of tomorrow.
 */
const computeStart = (now: number): string => new Date(now + (getHour(now) === '05' ? 60_000 : HOUR_MS)).toISOString();

/** Puts a performance of tonight on sale and sells this many tickets. */
export async function sellEvening(partner: Client, name: string, count: number): Promise<Evening> {
  const create = (path: string, body: object): Promise<Json> => must(partner, `/svc/v3/${path}`, 'POST', body);
  const code = `DOOR${Date.now()}`;
  const texts = { en: name, de: name, fr: name };
  const { id: tariffId } = await create('catalog/tariffs', { code, name: texts });
  const show = { code, type: 'show', name: texts, state: 'running' };
  const { id: productId } = await create('catalog/products', show);
  const { id: performanceId, seatCategories } = await create(`catalog/products/${productId}/performances`, {
    startDate: computeStart(Date.now()),
    durationMinutes: 180,
    venue: { name: 'Grand Théâtre' },
    timeZone: 'Europe/Zurich',
    seatCategories: [
      { code: 'stalls', name: texts, numbered: true, capacity: count, rows: [{ row: 'A', seats: count }] },
    ],
    prices: [{ seatCategory: 'stalls', tariffId, amount: 5_000 }],
  });
  const items = [{ performanceId, seatCategoryId: seatCategories[0].id, tariffId, quantity: count }];
  const { id } = await create('orders', { items, ticketDelivery: 'electronic' });
  await create(`orders/${id}/confirmation`, { onAccount: true });
  const { items: tickets } = await must(partner, `/svc/v3/tickets?orderId=${id}&limit=500`);
  return {
    name,
    performanceId,
    tickets: tickets.map((ticket: Json) => ({
      id: ticket.id,
      barcode: ticket.barcode,
      row: ticket.place.row,
      seat: ticket.place.seat,
    })),
  };
}

/**
 * Chromium that trusts the installation's certificate, also for the service worker; with a `film`, the one that has a
 * camera, which sees this file.
 */
export function openBrowser(film?: string): Promise<Browser> {
  return chromium.launch({
    executablePath: film ? executablePath : findHeadlessChromium(process.env),
    args: [
      ...['--disable-gpu', '--ignore-certificate-errors', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
      ...(film ? ['--use-fake-device-for-media-stream', `--use-file-for-fake-video-capture=${film}`] : []),
    ],
  });
}

/** A steward's phone. */
export interface Phone {
  readonly page: Page;
  /** What the page says in the phone's language. */
  readonly t: Texts;
  /** Console errors, such as a violated content policy; not refusals by the API. */
  readonly complaints: readonly string[];
  /** Reads a barcode with a hand scanner. */
  read(barcode: string): Promise<void>;
  /** The colour and the text of the next result that was not asked for before, which is dismissed unless it `stays`. */
  result(options?: { readonly stays: boolean }): Promise<string>;
  /** Dismisses the result that is shown, if one is. */
  dismiss(): Promise<void>;
  setOffline(isOffline: boolean): Promise<void>;
  /** Opens the page anew in the same browser. */
  reopen(): Promise<Phone>;
  close(): Promise<void>;
}

export interface PhoneOptions {
  readonly locale?: string;
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  /** Such as `camera`. */
  readonly permissions?: string[];
}

/** Notes the colour and the texts of each result, since a busy machine may look when it is shown no more. */
const NOTE = `{
  globalThis.notedResults = [];
  const note = (changes) => {
    const isResult = ({ target, addedNodes }) => addedNodes.length > 0 && target.matches?.('.band [role=alert]');
    if (!changes.some(isResult)) return;
    const band = document.querySelector('.band');
    if (band.hidden) return;
    const texts = [...band.querySelectorAll('[role=alert] p')].map(({ textContent }) => textContent);
    notedResults.push(band.dataset.colour + ': ' + texts.join(' '));
  };
  new MutationObserver(note).observe(document, { childList: true, subtree: true });
}`;

const DISMISS = "document.querySelector('.band:not([hidden]) button')?.click()";

/** A phone with the page of the door, on which nobody has signed in. */
export async function openPhone(
  browser: Browser,
  { demo }: Product,
  { locale = 'en-GB', colorScheme = 'light', width = 360, permissions = [] }: PhoneOptions = {},
): Promise<Phone> {
  const context = await browser.newContext({
    ...{ locale, colorScheme, permissions, ignoreHTTPSErrors: true, reducedMotion: 'reduce' },
    viewport: { width, height: 740 },
  });
  await context.addInitScript(NOTE);
  return openIn(context, `${demo.baseUrl}/door/`, getTexts('tickets', locale));
}

const openIn = async (context: BrowserContext, address: string, t: Texts): Promise<Phone> => {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on('console', (message) => {
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(address);
  await page.locator('main h1').waitFor();
  return {
    page,
    t,
    complaints,
    read: (barcode) => scan(page, barcode),
    result: ({ stays } = { stays: false }) => page.evaluate<string>(nextResult(stays)),
    dismiss: () => page.evaluate(DISMISS),
    setOffline: (isOffline) => context.setOffline(isOffline),
    reopen: () => openIn(context, address, t),
    close: () => context.close(),
  };
};

const nextResult = (stays: boolean): string => `new Promise((resolve, reject) => {
  const over = setTimeout(() => reject(new Error('no result')), ${PATIENCE_MS});
  const look = () => {
    if (notedResults.length === 0) return requestAnimationFrame(look);
    clearTimeout(over);
    ${stays ? '' : DISMISS};
    resolve(notedResults.shift());
  };
  look();
})`;

let turn: Promise<void> = Promise.resolve();

/**
 * Signs the opera's steward in and begins at a door of these evenings. One phone after the other: the hash of a
 * password and a page's first load take a processor each.
 */
export function beginAt(...call: Parameters<typeof signInAt>): Promise<void> {
  const begun = turn.then(() => signInAt(...call));
  turn = begun.catch(() => undefined);
  return begun;
}

const signInAt = async (
  { page }: Phone,
  { demo }: Product,
  evenings: readonly Evening[],
  gate: string,
): Promise<void> => {
  const user = demo.apiUsers.find(({ institution, role }) => institution === 'opera' && role === 'door');
  await page.locator('main button').first().click();
  await page.locator('input[name=login]').fill(user?.login ?? '');
  await page.locator('input[name=password]').fill(user?.password ?? '');
  await page.locator('button[type=submit]').first().click();
  for (const { performanceId } of evenings) await page.locator(`input[value="${performanceId}"]`).check();
  if (evenings.length === 0) await page.locator('input[name=everything]').check();
  await page.locator('input[name=gate]').fill(gate);
  await page.locator('main button[type=submit]').click();
  // Its list is there once it says as of when that is.
  await page.locator('.link', { hasText: /\d\d:\d\d/ }).waitFor();
};
