import { afterAll, beforeAll, describe, test } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { type Product, startProduct } from '../../src/product.ts';
import { executablePath, openBrowser, type Visit, type VisitOptions, visit } from './visit.ts';

export const OPERA = 'tickets.opera.example';
export const MUSEUM = 'tickets.museum.example';

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
const STORY_MS = 180_000;

/** A suite in a shop of its own; skipped, with the reason, where there is no browser. */
export const withShop = (name: string, tests: (shop: ShopFixture) => void): void => {
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
        const found = product.demo.fixtures[institution]?.[fixture];
        if (!found) throw new Error(`the demo data has no ${fixture} of ${institution}`);
        return `${institution === 'museum' ? MUSEUM : OPERA}/show/${found.productId}`;
      },
      visits,
    });
  });
};

/** The token of the page's session. */
export const tokenOf = async (page: Page): Promise<string> => {
  const cookies = await page.context().cookies();
  return cookies.find(({ name }) => name.startsWith('boxoffice.session.'))?.value ?? '';
};

/** The page's own heading. */
export const heading = (page: Page, name: string | RegExp): Locator => page.getByRole('heading', { level: 1, name });

/** Chooses a seat of the map, named as `Row C, seat 4`, with the keyboard and puts it into the cart. */
export const takeSeat = async (page: Page, seat: string): Promise<void> => {
  await page.getByRole('button', { name: `${seat}, free` }).press('Space');
  await page.getByRole('button', { name: 'Add to cart' }).click();
};

/** Fills in the buyer on the checkout page. */
export const tellWhoBuys = async (page: Page): Promise<void> => {
  await heading(page, 'Checkout').waitFor();
  await page.getByLabel('First name').fill('Ada');
  await page.getByLabel('Last name').fill('Lovelace');
  await page.getByLabel('Email').fill(' ada@example.org ');
};
