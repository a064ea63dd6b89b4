import { waitUntil } from '@boxoffice/testkit';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createHall, type Enter, locateHeading, type ShopFixture } from '../shop-fixture.ts';
import { getTexts, measureOverflow, visit, waitForTakeover } from '../visit.ts';

/** The languages of the buyers, and how their mails begin. */
const LANGUAGES = [
  ['en-GB', 'Your order'],
  ['de-CH', 'Ihre Bestellung'],
  ['fr-CH', 'Votre commande'],
] as const;

/** Stories of payments on the page of a provider, on a phone, in three languages. */
export function describePayments({ product, browser, story }: ShopFixture): void {
  /** Buys a seat of a new hall as a guest; resolves on the payment page. */
  const goToPaymentPage = async (enter: Enter, locale: string, what: string) => {
    const t = getTexts('pos', locale);
    const email = `${what}.${locale.toLowerCase()}@guests.example`;
    const { at } = await createHall(product(), `Paying ${what} ${locale}`);
    const { page } = await enter({ locale, at, width: 390 });
    await page.locator('.seat.is-free').first().press('Space');
    await page.getByRole('button', { name: t('addToCart') }).click();
    await page.getByRole('link', { name: t('toCheckout') }).click();
    await locateHeading(page, t('checkout')).waitFor();
    await page.getByLabel(t('firstName'), { exact: true }).fill('Ada');
    await page.getByLabel(t('lastName'), { exact: true }).fill('Lovelace');
    await page.getByLabel(/^E-?mail/i).fill(email);
    // The payment page comes first, and is chosen.
    await page.getByText(t('method_provider_text')).waitFor();
    expect(await measureOverflow(page)).toBe(0);
    await page.getByRole('button', { name: new RegExp(`^${t('payOnPage', { price: '.+' })}$`) }).click();
    await locateOutcome(page, 'pay').waitFor();
    return { page, t, email };
  };

  for (const [locale, subject] of LANGUAGES) {
    story(`who pays and closes the browser before he comes back has ticket and mail, in ${locale}`, async () => {
      const enterOnce: Enter = (options) => visit(browser(), product().demo, options);
      const { page, t, email } = await goToPaymentPage(enterOnce, locale, 'closed');
      // The browser never gets back.
      await page.route(/\/order\//, (route) => route.abort());
      const paid = page.waitForResponse((response) => response.status() === 303);
      await locateOutcome(page, 'pay').click();
      await paid;
      await page.context().close();

      const { page: laptop } = await visit(browser(), product().demo, { locale });
      await followMail(laptop, `${product().demo.baseUrl}/shop/outbox`, email, subject);
      await locateHeading(laptop, t('linkedTitle')).waitFor();
      await laptop.locator('.ticket[data-barcode]').waitFor();
      await laptop.context().close();
    });

    story(`a card that is declined can be followed by one that pays, in ${locale}`, async (enter) => {
      const { page, t } = await goToPaymentPage(enter, locale, 'declined');
      await locateOutcome(page, 'decline').click();
      await page.getByRole('alert').waitFor();
      await locateOutcome(page, 'pay').click();
      await locateHeading(page, t('thankYou')).waitFor();
      await page.locator('.ticket[data-barcode]').waitFor();
      expect(await measureOverflow(page)).toBe(0);
    });

    story(`who comes back before the bank has decided sees what it decides, in ${locale}`, async (enter) => {
      const { page, t } = await goToPaymentPage(enter, locale, 'waiting');
      const paymentPage = page.url();
      await locateOutcome(page, 'wait').click();
      await locateOutcome(page, 'settle').waitFor();
      await page.locator('a[href*="/order/"]').click();
      await waitForTakeover(page);
      await locateHeading(page, t('order_payment_pending')).waitFor();
      expect(await measureOverflow(page)).toBe(0);

      const bank = await page.context().newPage();
      await bank.goto(paymentPage);
      await locateOutcome(bank, 'settle').click();
      await locateHeading(page, t('thankYou')).waitFor();
    });

    story(`who leaves the payment page can pay until it is over, and then once more, in ${locale}`, async (enter) => {
      const { page, t } = await goToPaymentPage(enter, locale, 'left');
      const first = page.url();
      await locateOutcome(page, 'cancel').click();
      await waitForTakeover(page);
      await page
        .getByText(new RegExp(escapeText(t('order_payable_text', { time: 'TIME' })).replace('TIME', '.+')))
        .waitFor();
      await page.getByRole('link', { name: t('payOpen') }).click();
      await locateOutcome(page, 'close').waitFor();
      expect(page.url()).toBe(first);
      await locateOutcome(page, 'close').click();
      await page.locator('a[href*="/order/"]').click();
      await waitForTakeover(page);
      await locateHeading(page, t('order_open')).waitFor();
      await page.getByRole('button', { name: t('payTryAgain') }).click();
      await locateOutcome(page, 'pay').waitFor();
      expect(page.url()).not.toBe(first);
      await locateOutcome(page, 'pay').click();
      await locateHeading(page, t('thankYou')).waitFor();
    });

    story(`whose session ends while he pays sees his ticket all the same, in ${locale}`, async (enter) => {
      const { page, t } = await goToPaymentPage(enter, locale, 'away');
      await page.context().clearCookies({ name: /^boxoffice\.session\./ });
      await locateOutcome(page, 'pay').click();
      await locateHeading(page, t('linkedTitle')).waitFor();
      await page.locator('.ticket[data-barcode]').waitFor();
      // Another tab knows no link.
      const other = await page.context().newPage();
      await other.goto(page.url());
      await other.getByText(t('orderAwayText')).waitFor();
    });
  }
}

/** A button of the simulated payment page. */
const locateOutcome = (page: Page, outcome: string) => page.locator(`button[name=outcome][value=${outcome}]`);

const escapeText = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Opens the mail to somebody in the demo's outbox, and the order that its link leads to. */
const followMail = async (page: Page, outbox: string, email: string, subject: string): Promise<void> => {
  const mail = page.getByRole('listitem').filter({ hasText: email }).getByRole('link');
  const hasCome = async () => {
    await page.goto(outbox);
    return (await mail.count()) > 0;
  };
  // The first two attempts may fail on a busy machine; the third comes after two minutes.
  await waitUntil(hasCome, { what: `the mail to ${email}`, withinMs: 240_000 });
  expect(await mail.textContent()).toContain(subject);
  await mail.click();
  await page.locator('a[href*="/ticket-link#"]').click();
  await waitForTakeover(page);
};
