import { waitUntil } from '@boxoffice/testkit';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { authoriseDemoClient } from '../../../src/product.ts';
import { must } from '../../product.ts';
import { createHall, type Enter, locateHeading, type ShopFixture } from '../shop-fixture.ts';
import { getTexts, measureOverflow, visit, waitForTakeover } from '../visit.ts';

/** The languages of the buyers, and how their mails begin: the confirmation, and that of a refund. */
const LANGUAGES = [
  ['en-GB', 'Your order', 'Refund'],
  ['de-CH', 'Ihre Bestellung', 'Erstattung'],
  ['fr-CH', 'Votre commande', 'Remboursement'],
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

  /** The house gives all money of the buyer's only order back; resolves once the provider has done it. */
  const refundByProvider = async (email: string): Promise<void> => {
    const full = await authoriseDemoClient(product(), 'opera', 'full');
    const { items } = await must(full, `/svc/v3/orders?email=${encodeURIComponent(email)}`);
    expect(items).toMatchObject([{ state: 'confirmed', due: 0 }]);
    const [{ id, paid: amount }] = items;
    await must(full, `/svc/v3/orders/${id}/refunds`, 'POST', { amount, provider: 'stripe' });
    const isDone = async () => {
      const refunds = await must(full, `/svc/v3/orders/${id}/refunds`);
      return refunds.items.length > 0 && refunds.items.every(({ state }: { state: string }) => state === 'done');
    };
    await waitUntil(isDone, { what: `the refund of ${id}`, withinMs: 120_000 });
  };

  for (const [locale, confirmation, refund] of LANGUAGES) {
    story(`who pays and never comes back has ticket and mail, and what the house refunds, in ${locale}`, async () => {
      const enterOnce: Enter = (options) => visit(browser(), product().demo, options);
      const { page, t, email } = await goToPaymentPage(enterOnce, locale, 'closed');
      // The browser never gets back.
      await page.route(/\/order\//, (route) => route.abort());
      const paid = page.waitForResponse((response) => response.status() === 303);
      await locateOutcome(page, 'pay').click();
      await paid;
      await page.context().close();

      const { page: laptop } = await visit(browser(), product().demo, { locale });
      const outbox = `${product().demo.baseUrl}/shop/outbox`;
      await followMail(laptop, outbox, email, confirmation);
      await laptop.locator('a[href*="/ticket-link#"]').click();
      await waitForTakeover(laptop);
      await locateHeading(laptop, t('linkedTitle')).waitFor();
      await laptop.locator('.ticket[data-barcode]').waitFor();

      await refundByProvider(email);
      await laptop.reload();
      await waitForTakeover(laptop);
      await laptop.getByText(asPattern(t('moneyBack', { amount: 'ANY' }))).waitFor();
      await followMail(laptop, outbox, email, refund);
      await laptop.context().close();
    });

    story(
      `a declined card can be followed by one that pays, whose money goes back with a cancellation, in ${locale}`,
      async (enter) => {
        const { page, t } = await goToPaymentPage(enter, locale, 'declined');
        await locateOutcome(page, 'decline').click();
        await page.getByRole('alert').waitFor();
        await locateOutcome(page, 'pay').click();
        await locateHeading(page, t('thankYou')).waitFor();
        await page.locator('.ticket[data-barcode]').waitFor();
        expect(await measureOverflow(page)).toBe(0);

        // Money of an order that its buyer cancels goes back by itself.
        await page.getByRole('button', { name: t('cancelOrder') }).click();
        await page
          .getByRole('dialog')
          .getByRole('button', { name: t('cancelYes') })
          .click();
        await locateHeading(page, t('order_cancelled')).waitFor();
        await page.getByText(asPattern(t('moneyBack', { amount: 'ANY' }))).waitFor();
      },
    );

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
      await page.getByText(asPattern(t('order_payable_text', { time: 'ANY' }))).waitFor();
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

/** ANY stands for a value. */
const asPattern = (text: string): RegExp =>
  new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replace('ANY', '.+'));

/** Opens the mail to somebody in the demo's outbox whose subject begins so. */
const followMail = async (page: Page, outbox: string, email: string, subject: string): Promise<void> => {
  const mail = page.getByRole('listitem').filter({ hasText: email }).getByRole('link').filter({ hasText: subject });
  const hasCome = async () => {
    await page.goto(outbox);
    return (await mail.count()) > 0;
  };
  // The first two attempts may fail on a busy machine; the third comes after two minutes.
  await waitUntil(hasCome, { what: `the mail to ${email}`, withinMs: 240_000 });
  await mail.click();
};
