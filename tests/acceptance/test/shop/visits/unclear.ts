import { expect } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { authoriseDemoClient } from '../../../src/product.ts';
import {
  chooseSimulation,
  type Enter,
  locateHeading,
  type ShopFixture,
  takeSeat,
  tellWhoBuys,
} from '../shop-fixture.ts';

const ORDERS = /\/tnwr\/vexp\/orders\?/;

/** Stories of checkouts whose outcome is unclear at first. */
export function describeUnclearOutcomes({ product, story, showOf }: ShopFixture): void {
  const atCheckout = async (enter: Enter, seat: string): Promise<Page> => {
    const { page } = await enter({ at: showOf('opera', 'numbered') });
    await takeSeat(page, seat);
    await page.getByRole('link', { name: 'To checkout' }).click();
    await tellWhoBuys(page);
    return page;
  };

  story('an answer that is lost on its way buys once', async (enter) => {
    const page = await atCheckout(enter, 'Row E, seat 2');
    await page.reload();
    await locateHeading(page, 'Checkout').waitFor();
    expect(await page.getByLabel('Last name').inputValue()).toBe('Lovelace');
    const keys = await answerFirst(page, async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await pay(page);
    await locateHeading(page, 'We do not know yet what became of your order').waitFor();
    expect(await page.getByText('The box office cannot be reached.').count()).toBe(1);
    await page.getByRole('button', { name: 'Ask again' }).click();
    await locateHeading(page, /^Thank you/).waitFor();
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Orders of this visit' }).waitFor();
    expect(await page.locator('.orders li').allTextContents()).toEqual([
      expect.stringMatching(/The Magic Flute.*Order \w{6,}/),
    ]);
    expect(await page.evaluate('sessionStorage.getItem("boxoffice.details")')).toBeNull();
  });

  story(
    'an error that cancelled nothing is asked about again with the same key, wherever one has been meanwhile',
    async (enter) => {
      const page = await atCheckout(enter, 'Row E, seat 4');
      const keys = await answerFirst(page, (route) => route.fulfill(unforeseen(false)));
      await pay(page);
      await locateHeading(page, 'We do not know yet what became of your order').waitFor();
      await page.getByRole('link', { name: 'Programme', exact: true }).click();
      await locateHeading(page, 'The season').waitFor();
      await page.goBack();
      await page.getByRole('button', { name: 'Ask again' }).click();
      await locateHeading(page, /^Thank you/).waitFor();
      expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    },
  );

  story('a tab that is loaded anew finds what it has bought', async (enter) => {
    const page = await atCheckout(enter, 'Row E, seat 6');
    await answerFirst(page, async (route) => {
      await route.fetch();
      await route.fulfill(unforeseen(false));
    });
    await pay(page);
    await page.getByRole('button', { name: 'Ask again' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Ask again' }).click();
    await locateHeading(page, /^Thank you/).waitFor();
  });

  story('an error that cancelled the order says so, and leads back to the programme', async (enter) => {
    const page = await atCheckout(enter, 'Row E, seat 8');
    await answerFirst(page, (route) => route.fulfill(unforeseen(true)));
    await pay(page);
    await locateHeading(page, 'Your order was cancelled').waitFor();
    expect(await page.getByRole('button', { name: /^Pay|Ask again/ }).count()).toBe(0);
    expect(await locateHeading(page, /./).evaluate((h1) => h1 === h1.ownerDocument.activeElement)).toBe(true);
    await page.getByRole('link', { name: 'To the programme' }).click();
    await locateHeading(page, 'The season').waitFor();
  });

  story('a payment that fails later is shown, and the same order is paid again', async (enter) => {
    const page = await atCheckout(enter, 'Row E, seat 10');
    await page.getByRole('radio', { name: /Pending/ }).check();
    await pay(page);
    await locateHeading(page, 'Waiting for your payment').waitFor();
    const orderId = /order\/(\w+)/.exec(page.url())?.[1];
    const full = await authoriseDemoClient(product(), 'opera', 'full');
    const payments = `/svc/v3/orders/${orderId}/payments`;
    const [payment] = (await full(payments)).body.data.items;
    const failed = await full(`${payments}/${payment.id}`, { method: 'PATCH', body: { status: 'failed' } });
    expect(failed.status).toBe(200);

    await locateHeading(page, 'Your order is not paid').waitFor();
    expect(await page.title()).toMatch(/^Your order is not paid/);
    await page.getByText('Everything is still kept for you: you can pay again.').waitFor();
    await page.getByRole('link', { name: 'Back to the payment' }).click();
    await locateHeading(page, 'Checkout').waitFor();
    expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.org');
    await pay(page);
    await locateHeading(page, /^Thank you/).waitFor();
    expect(page.url()).toContain(`/order/${orderId}`);
  });
}

/** Answers the first purchase with `answer` and lets the others through; records their idempotency keys. */
const answerFirst = async (page: Page, answer: (route: Route) => Promise<void>): Promise<(string | undefined)[]> => {
  const keys: (string | undefined)[] = [];
  await page.route(ORDERS, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    keys.push(route.request().headers()['idempotency-key']);
    return keys.length === 1 ? answer(route) : route.continue();
  });
  return keys;
};

const pay = async (page: Page): Promise<void> => {
  await chooseSimulation(page);
  await page.getByRole('button', { name: /^Pay/ }).click();
};

/** An unforeseen error, as the API returns it. */
const unforeseen = (orderCancelled: boolean) => ({
  status: 500,
  json: { success: false, errorCode: 'internal_error', errorMessage: '-', userLoggedOut: false, orderCancelled },
});
