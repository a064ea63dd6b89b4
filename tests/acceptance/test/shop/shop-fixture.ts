import { afterAll, beforeAll, describe, test } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { authoriseDemoClient, type Product, startProduct } from '../../src/product.ts';
import { must as requireData } from '../product.ts';
import { executablePath, openBrowser, type Visit, type VisitOptions, visit } from './visit.ts';

export const OPERA = 'tickets.opera.example';
const MUSEUM = 'tickets.museum.example';

/** Opens a visit, which closes when its story ends. */
export type Enter = (options?: VisitOptions) => Promise<Visit>;

/** The fixture that a suite of visitors shares: one installation, one browser. */
export interface ShopFixture {
  product(): Product;
  browser(): Browser;
  /** A test with its own visitors, concurrent with the other stories. */
  story(name: string, tell: (enter: Enter) => Promise<void>): void;
  /** The address below `/shop/` of a show in the demo data. */
  showOf(institution: string, fixture: string): string;
  /** All visits so far. */
  readonly visits: readonly Visit[];
}

/** A timeout longer than any story takes. */
const STORY_MS = 600_000;

/** A suite in a shop of its own; skipped, with the reason, where there is no browser. */
export function describeInShop(name: string, tests: (shop: ShopFixture) => void): void {
  const suite = executablePath ? describe : describe.skip;
  if (suite === describe.skip) process.stdout.write('skipped: the shop needs a browser\n');

  suite(name, () => {
    let product: Product;
    let browser: Browser;
    const visits: Visit[] = [];

    beforeAll(async () => {
      [product, browser] = await Promise.all([startProduct(), openBrowser()]);
    }, 300_000);

    afterAll(async () => {
      await browser?.close();
      await product?.stop();
      await product?.discard();
    });

    tests({
      product: () => product,
      browser: () => browser,
      story(title, tell) {
        const play = async () => {
          const own: Visit[] = [];
          const enter: Enter = async (options) => {
            const entered = await visit(browser, product.demo, options);
            own.push(entered);
            visits.push(entered);
            return entered;
          };
          try {
            await tell(enter);
          } finally {
            // A request that is on its way just now ends with its page.
            await Promise.all(own.map(({ page }) => page.unrouteAll({ behavior: 'ignoreErrors' })));
            await Promise.all(own.map(({ page }) => page.context().close()));
          }
        };
        test.concurrent(title, play, STORY_MS);
      },
      showOf(institution, fixture) {
        const fixtures: Readonly<Record<string, { readonly productId: string }>> =
          product.demo.fixtures[institution] ?? {};
        const found = fixtures[fixture];
        if (!found) throw new Error(`the demo data has no ${fixture} of ${institution}`);
        return `${institution === 'museum' ? MUSEUM : OPERA}/show/${found.productId}`;
      },
      visits,
    });
  });
}

/** The token of the page's session. */
export async function readSessionToken(page: Page): Promise<string> {
  const cookies = await page.context().cookies();
  return cookies.find(({ name }) => name.startsWith('boxoffice.session.'))?.value ?? '';
}

/** The page's own heading. */
export function locateHeading(page: Page, name: string | RegExp): Locator {
  return page.getByRole('heading', { level: 1, name });
}

/** Chooses a seat of the map, named as `Row C, seat 4`, with the keyboard and puts it into the cart. */
export async function takeSeat(page: Page, seat: string): Promise<void> {
  await page.getByRole('button', { name: `${seat}, free` }).press('Space');
  await page.getByRole('button', { name: 'Add to cart' }).click();
}

/** Fills in the buyer on the checkout page. */
export async function tellWhoBuys(page: Page): Promise<void> {
  await locateHeading(page, 'Checkout').waitFor();
  await page.getByLabel('First name').fill('Ada');
  await page.getByLabel('Last name').fill('Lovelace');
  await page.getByLabel('Email').fill(' ada@example.org ');
  await chooseSimulation(page);
}

/** Chooses the payment that is answered here; the page of the provider comes first. */
export async function chooseSimulation(page: Page): Promise<void> {
  await page.locator('input[type=radio][value=simulated]').check();
}

const DAY_MS = 86_400_000;

const row = (name: string, y: number, half: number, curve = 0) => ({
  row: name,
  from: { x: 200 - half, y },
  to: { x: 200 + half, y },
  curve,
});

/** The name of the balcony. */
export const BALCONY = { en: 'First balcony', fr: 'Premier balcon', de: 'Erster Rang' };

/** A hall with parterre, balcony, boxes, wheelchair places and standing room, 400 wide and about 330 high. */
const SEAT_MAP = {
  stage: { x: 130, y: 20, width: 140 },
  areas: [
    {
      id: 'parterre',
      name: { en: 'Parterre' },
      seatCategory: 'first',
      outline: 'M95 45H305V125Q200 145 95 125Z',
      rows: ['A', 'B', 'C', 'D'].map((name, index) => row(name, 60 + index * 18, 90, 10)),
    },
    {
      id: 'boxes',
      name: { en: 'Boxes' },
      seatCategory: 'boxes',
      outline: 'M20 45H50V125H20Z',
      rows: [{ row: '1', from: { x: 35, y: 55 }, to: { x: 35, y: 115 } }],
    },
    {
      id: 'wheelchair',
      name: { en: 'Wheelchair places' },
      seatCategory: 'wheelchair',
      outline: 'M170 150H230V170H170Z',
      rows: [row('W', 160, 20)],
    },
    {
      id: 'balcony',
      name: BALCONY,
      seatCategory: 'second',
      outline: 'M50 190H350V290Q200 320 50 290Z',
      rows: ['A', 'B', 'C', 'D'].map((name, index) => row(name, 210 + index * 24, 130, 16)),
    },
    {
      id: 'standing',
      name: { en: 'Standing' },
      seatCategory: 'standing',
      outline: 'M320 45H380V125H320Z',
      rows: [],
    },
  ],
};

export type Hall = Awaited<ReturnType<typeof createHall>>;

/**
 * Puts a new show in the hall on sale, in 40 days unless told when, and once more if told `later`: the address of its
 * page below `/shop/`, its name, and its ids.
 */
export async function createHall(
  product: Product,
  name: string,
  start = Date.now() + 40 * DAY_MS,
  { later, returnPolicy }: { readonly later?: number; readonly returnPolicy?: object } = {},
) {
  const full = await authoriseDemoClient(product, 'opera', 'full');
  const must = (path: string, body?: object, method = body ? 'POST' : 'GET') =>
    requireData(full, `/svc/v3/catalog/${path}`, method, body);
  const { tariffIds } = await must(`points-of-sale/${OPERA}`);
  const tariffs = (await must('tariffs?limit=100')).items as { id: string; criterion: string | null }[];
  const open = tariffs.filter(({ id, criterion }) => tariffIds.includes(id) && !criterion).slice(0, 2);
  const show = await must('products', {
    code: name.toLowerCase().replaceAll(' ', '-'),
    type: 'show',
    name: { en: name, fr: name, de: name },
  });
  const seatCategories = [
    numbered('first', 'First category', ['A', 'B', 'C', 'D'], 10),
    numbered('second', 'Second category', ['A', 'B', 'C', 'D'], 14),
    numbered('boxes', 'Boxes', ['1'], 4),
    numbered('wheelchair', 'Wheelchair places', ['W'], 3),
    { code: 'standing', name: { en: 'Standing' }, numbered: false, capacity: 40 },
  ];
  const perform = (at: number) => ({
    startDate: new Date(at).toISOString(),
    ...{ durationMinutes: 120, timeZone: 'Europe/Zurich', venue: { name: 'Grand Théâtre', city: 'Genève' } },
    seatCategories,
    prices: seatCategories.flatMap(({ code }, at) =>
      open.map(({ id }, fare) => ({ seatCategory: code, tariffId: id, amount: 10_000 - at * 1_000 - fare * 500 })),
    ),
    seatMap: SEAT_MAP,
    ...(returnPolicy && { returnPolicy }),
  });
  const performanceIds: string[] = [];
  for (const at of [start, later ?? []].flat())
    performanceIds.push((await must(`products/${show.id}/performances`, perform(at))).id);
  const [performanceId = ''] = performanceIds;
  for (const state of ['validated', 'running']) await must(`products/${show.id}`, { state }, 'PATCH');
  return { at: `${OPERA}/show/${show.id}`, name, productId: show.id, performanceId, performanceIds };
}

const numbered = (code: string, name: string, rows: readonly string[], seats: number) => ({
  ...{ code, name: { en: name, fr: name, de: name }, numbered: true, capacity: rows.length * seats },
  rows: rows.map((one) => ({ row: one, seats })),
});
