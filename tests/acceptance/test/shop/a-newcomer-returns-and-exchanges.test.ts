// rule commerce.5: he returns lines, with their fee | services/pos/browser/pages/change.js
import { waitUntil } from '@boxoffice/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findFaults } from '../../src/axe.ts';
import { must, usePartner, useProduct } from '../product.ts';
import { createHall, type Hall, locateHeading, tellWhoBuys } from './shop-fixture.ts';
import { executablePath, getTexts, measureOverflow, openBrowser, visit, waitForTakeover } from './visit.ts';

const STORY_MS = 600_000;
const DAY_MS = 86_400_000;
const PHONE = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } } as const;

/** The evening of a Wednesday, in more than a month. */
const findWednesday = (): number => {
  const first = Math.floor(Date.now() / DAY_MS) + 40;
  // The epoch began on a Thursday.
  const wednesday = first + ((6 - (first % 7) + 7) % 7);
  return wednesday * DAY_MS + 18.5 * 3_600_000;
};

const suite = executablePath ? describe : describe.skip;
if (suite === describe.skip) process.stdout.write('skipped: changes of orders in the shop need a browser\n');

suite('a newcomer changes what was bought', () => {
  const product = useProduct();
  const partner = usePartner(product);
  const start = findWednesday();
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  }, STORY_MS);
  afterAll(async () => {
    await browser?.close();
  });

  const openHall = (name: string): Promise<Hall> => {
    const returnPolicy = { returnMinutes: 60, returnFee: { amount: 500 }, exchangeMinutes: 60, exchangeFee: null };
    return createHall(product, name, start, { later: start + DAY_MS, returnPolicy });
  };
  const profile = (locale: string, more: object = {}): Promise<BrowserContext> =>
    browser.newContext({ locale, ignoreHTTPSErrors: true, reducedMotion: 'reduce', ...more });

  /** Opens the link of the newest mail to somebody. */
  const openMail = async (page: Page, email: string): Promise<void> => {
    const mail = page.getByRole('listitem').filter({ hasText: email }).getByRole('link');
    const hasCome = async () => {
      await page.goto(`${product.demo.baseUrl}/shop/outbox`);
      return (await mail.count()) > 0;
    };
    await waitUntil(hasCome, { what: `the mail to ${email}`, withinMs: 240_000 });
    await mail.click();
    await page.locator('a[href*="/ticket-link#"]').click();
    await waitForTakeover(page);
  };
  /** The status of each ticket, with the number of its evening. */
  const listTickets = async ({ performanceIds }: Hall): Promise<(readonly [number, string])[]> => {
    const lists = await Promise.all(performanceIds.map((id) => must(partner, `/svc/v3/tickets?performanceId=${id}`)));
    return lists.flatMap(({ items }, evening) =>
      items.map(({ status }: { status: string }) => [evening, status] as const),
    );
  };

  test.concurrent.each(['en-GB', 'de-CH', 'fr-CH'])(
    'a newcomer returns one of two seats on a phone from the mail and exchanges the other to Thursday, in %s',
    async (locale) => {
      const t = getTexts('pos', locale);
      const hall = await openHall(`Aida ${locale}`);
      const email = `ida.${locale.toLowerCase()}@guests.example`;
      const own = await profile('en-GB');
      const { page: bought } = await visit(browser, product.demo, { profile: own, at: hall.at });
      const seats = bought.locator('.seat.is-free');
      for (const _ of ['one', 'other']) await seats.first().press('Space');
      await bought.getByRole('button', { name: 'Add to cart' }).click();
      await bought.getByRole('link', { name: 'To checkout' }).click();
      await tellWhoBuys(bought);
      await bought.getByLabel('Email').fill(email);
      await bought.locator('.summary .button').click();
      await locateHeading(bought, /^Thank you/).waitFor();
      await own.close();

      const phone = await profile(locale, PHONE);
      const page = await phone.newPage();
      page.setDefaultTimeout(60_000);
      await openMail(page, email);
      const tickets = page.locator('.ticket[data-barcode]');
      await tickets.nth(1).waitFor();
      const codes = () => tickets.evaluateAll((all) => all.map((one) => one.getAttribute('data-barcode')));
      const before = await codes();
      const faults: string[] = [];
      const look = async (step: string): Promise<void> => {
        faults.push(...(await findFaults(page)).map((found) => `${step}: ${found}`));
        expect([step, await measureOverflow(page)]).toEqual([step, 0]);
      };

      await page.getByRole('button', { name: t('changeOrder') }).tap();
      await locateHeading(page, t('changeTitle')).waitFor();
      const wanted = page.locator('.change-item');
      await wanted
        .nth(0)
        .getByRole('radio', { name: new RegExp(`^${t('change_return')}`) })
        .check();
      await wanted
        .nth(1)
        .getByRole('radio', { name: new RegExp(`^${t('change_exchange')}`) })
        .check();
      await look('choice');
      await page.getByRole('button', { name: t('next') }).tap();
      await locateHeading(page, hall.name).waitFor();
      await page.locator('.date').nth(1).locator('input').check();
      await page.locator('.seat.is-free').first().press('Space');
      await look('seats');
      await page.locator('.sum .button').tap();
      await locateHeading(page, t('changeReview')).waitFor();
      // A seat and its booking fee go back, less the fee of the return.
      expect(await page.locator('.composition .total dd').textContent()).toMatch(/97[.,]00/);
      await look('difference');
      expect(await codes()).toEqual([]);
      await page.getByRole('button', { name: t('changeNow') }).tap();
      await page.getByText(t('changeDone')).waitFor();
      await tickets.first().waitFor();
      const after = await codes();
      expect([after.length, before.includes(after[0] ?? null)]).toEqual([1, false]);
      await page.getByText(t('formerItems', { count: 2 })).waitFor();
      await look('order');
      expect(faults).toEqual([]);
      expect((await listTickets(hall)).toSorted()).toEqual([
        [0, 'cancelled'],
        [0, 'invalidated'],
        [1, 'printed'],
      ]);
      await phone.close();
    },
    STORY_MS,
  );

  test.concurrent(
    'a dearer seat is paid on the payment page; until then the old one stays, and the change can be given up; the same seat is had at another fare',
    async () => {
      const hall = await openHall('Norma');
      const own = await profile('en-GB');
      const { page } = await visit(browser, product.demo, { profile: own, at: hall.at });
      const seats = page.locator('.seat.is-free');
      await seats.last().press('Space');
      await page.getByRole('button', { name: 'Add to cart' }).click();
      await page.getByRole('link', { name: 'To checkout' }).click();
      await tellWhoBuys(page);
      await page.locator('.summary .button').click();
      await locateHeading(page, /^Thank you/).waitFor();
      const ticket = page.locator('.ticket[data-barcode]');
      await ticket.waitFor();
      const code = await ticket.getAttribute('data-barcode');

      /** For the first seat of the parterre, which costs ten francs more. */
      const exchange = async (): Promise<void> => {
        await page.getByRole('button', { name: 'Return or exchange' }).click();
        await page.getByRole('radio', { name: /^Exchange it/ }).check();
        await page.getByRole('button', { name: 'Next' }).click();
        await seats.first().press('Space');
        await page.getByRole('button', { name: 'Next' }).click();
        await page.getByText(/^To pay: CHF\s10\.00$/).waitFor();
        await page.getByRole('button', { name: /on the payment page$/ }).click();
      };
      await exchange();
      await page.locator('button[value=cancel]').click();
      await waitForTakeover(page);
      await page.getByRole('heading', { name: 'A change waits for your payment' }).waitFor();
      expect(await ticket.getAttribute('data-barcode')).toBe(code);
      await page.getByRole('button', { name: 'Do not change it' }).click();
      await page.getByRole('button', { name: 'Return or exchange' }).waitFor();
      await exchange();
      await page.locator('button[value=pay]').click();
      await waitForTakeover(page);
      await page.getByText('No longer in this order: 1').waitFor();
      await ticket.waitFor();
      const paid = await ticket.getAttribute('data-barcode');
      expect(paid).not.toBe(code);

      // The same seat at another fare.
      await page.getByRole('button', { name: 'Return or exchange' }).click();
      await page.getByRole('radio', { name: /^Exchange it/ }).check();
      await page.getByRole('button', { name: 'Next' }).click();
      await seats.first().press('Space');
      await page.locator('.chosen-seats select').selectOption({ index: 1 });
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByText('New: Norma · Parterre, Row A, seat 1, Concession · ').waitFor();
      await page.getByText(/^You get CHF\s5\.00 back/).waitFor();
      await page.getByRole('button', { name: 'Change it now' }).click();
      await page.getByText('No longer in this order: 2').waitFor();
      await ticket.waitFor();
      expect(await ticket.textContent()).toContain('Row A, seat 1');
      expect([code, paid]).not.toContain(await ticket.getAttribute('data-barcode'));
      await own.close();
    },
    STORY_MS,
  );
});
