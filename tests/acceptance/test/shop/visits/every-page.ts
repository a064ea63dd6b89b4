import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { findFaults } from '../../../src/axe.ts';
import { createHall, OPERA, type ShopFixture } from '../shop-fixture.ts';
import { waitForTakeover } from '../visit.ts';

const NARROW = { width: 320, colorScheme: 'dark' } as const;
const WIDE = { width: 1280, colorScheme: 'light' } as const;

/** The other languages change only texts, which take the most room on a narrow screen. */
const LOOKS = [
  ['en-GB', [NARROW, WIDE]],
  ['de-CH', [NARROW]],
  ['fr-CH', [NARROW]],
] as const;

/** Stories of all pages. */
export function describeEveryPage(shop: ShopFixture): void {
  for (const [locale, looks] of LOOKS)
    shop.story(`axe-core finds nothing on any page of the shop, in ${locale}`, async (enter) => {
      const { page } = await enter({ locale });
      const faults: string[] = [];
      await walk(page, locale, shop, async (name) => {
        for (const { width, colorScheme } of looks) {
          await page.setViewportSize({ width, height: 800 });
          await page.emulateMedia({ colorScheme });
          faults.push(...(await findFaults(page)).map((found) => `${name}, ${width} px, ${colorScheme}: ${found}`));
        }
      });
      expect(faults).toEqual([]);
    });

  shop.story('one shop of the demonstration leads to the others', async (enter) => {
    const { page } = await enter();
    const { pointsOfSale, baseUrl } = shop.product().demo;
    await page.getByRole('link', { name: 'All shops' }).click();
    await page.getByRole('heading', { level: 1, name: 'Shops' }).waitFor();
    const links = page.getByRole('listitem').getByRole('link');
    const hosts = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    expect(hosts).toEqual(expect.arrayContaining(pointsOfSale.map(({ serviceHost }) => `/shop/${serviceHost}/`)));
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await page.locator('html[lang=de]').waitFor();
    await page.getByText('Wo möchten Sie kaufen?').waitFor();
    const museum = pointsOfSale.find(({ institution }) => institution === 'museum')?.serviceHost;
    await page.locator(`a[href="/shop/${museum}/"]`).click();
    await page.locator('.card').first().waitFor();
    expect(page.url()).toBe(`${baseUrl}/shop/${museum}/`);
  });
}

/** Leads through every page, and calls `look` on each. */
const walk = async (
  page: Page,
  locale: string,
  { product, showOf }: ShopFixture,
  look: (name: string) => Promise<void>,
): Promise<void> => {
  const { baseUrl, users } = product().demo;
  const open = async (at: string) => {
    await page.goto(`${baseUrl}/shop/${at}`);
    await waitForTakeover(page);
  };
  const shows = async (selector: string) => page.locator(selector).first().waitFor();

  await look('programme');
  await page.locator('[data-key=calendar]').click();
  await page.locator('.calendar td a').first().click();
  await shows('.day-title');
  await look('a day of the calendar');
  await open(`${OPERA}/?q=nothing+of+this+name`);
  await shows('.nothing');
  await look('nothing found');
  await open(`${OPERA}/?q=boh%C3%A8me`);
  await page.locator('.card').first().click();
  await shows('.date:nth-child(2)');
  await look('several performances');
  await open(showOf('opera', 'soldOut'));
  await look('sold out');
  await open(showOf('opera', 'twoLeft'));
  await shows('.stepper');
  await look('quantities');
  await open(`${OPERA}/cart`);
  await look('empty cart');

  await open((await createHall(product(), `Walk ${locale}`)).at);
  await page.locator('.seat.is-free').first().press('Space');
  await shows('.chosen-seats select');
  await look('a chosen seat');
  await page.locator('.sum .button').click();
  await shows('.item');
  await look('cart');
  await page.locator('.summary a.button').click();
  await page.locator('[autocomplete=given-name]').fill('Ada');
  await page.locator('[autocomplete=email]').fill('ada@example.org');
  await look('checkout');
  await page.locator('.summary .button').click();
  await page.locator('button[value=cancel]').click();
  await waitForTakeover(page);
  await look('order that waits for its payment');
  await page.locator('.order .buttons a.button').click();
  await page.locator('button[value=pay]').click();
  await shows('.qr');
  await look('order');
  const link = await page.locator('.keep-link').inputValue();
  await page.goto(link);
  await shows('.qr');
  await look('link of the order');

  await open(`${OPERA}/account`);
  await look('log in');
  const user = users.find(({ serviceHost }) => serviceHost === OPERA);
  await page.locator('[autocomplete=username]').fill(user?.login ?? '');
  await page.locator('[autocomplete=current-password]').fill(user?.password ?? '');
  await page.keyboard.press('Enter');
  await page.locator('[autocomplete=current-password]').waitFor({ state: 'detached' });
  await page.locator('main:not([aria-busy])').waitFor();
  await look('account');
  await open(`${OPERA}/nothing`);
  await look('no such page');
  await page.locator('.frame-footer a[href="/shop/?all"]').click();
  await shows('.choices');
  await look('shops');
};
