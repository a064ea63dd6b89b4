// rule commerce.4: vexp adds the members above | services/pos/browser/pages/composition.js
import { expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { authoriseDemoClient } from '../../../src/product.ts';
import { must } from '../../product.ts';
import { chooseSimulation, locateHeading, OPERA, type ShopFixture, tellWhoBuys } from '../shop-fixture.ts';
import { getTexts, listNamelessControls, measureOverflow } from '../visit.ts';

const LANGUAGES = [
  { locale: 'en-GB', names: ['Family discount', 'Booking fee'], rates: ['2.6%', '8.1%'] },
  { locale: 'de-CH', names: ['Familienrabatt', 'Buchungsgebühr'], rates: ['2.6%', '8.1%'] },
  { locale: 'fr-CH', names: ['Rabais famille', 'Frais de réservation'], rates: ['2,6%', '8,1%'] },
] as const;

/** What a list of prices says, its amounts in minor units. */
const readPrices = async (list: Locator): Promise<[string, number][]> => {
  const [names = [], amounts = []] = await Promise.all(
    ['dt', 'dd'].map((cell) => list.locator(cell).allTextContents()),
  );
  return names.map((name, at) => [name, Number(amounts[at]?.replaceAll('−', '-').replaceAll(/[^\d-]/g, ''))]);
};

const amountsOf = async (list: Locator): Promise<number[]> => (await readPrices(list)).map(([, amount]) => amount);

/** Stories of prices that say what they are made of, and of codes. */
export function describePrices({ product, story }: ShopFixture): void {
  const startIn = async (page: Page, locale: string) => {
    const t = getTexts('pos', locale);
    const codes = page.locator('.codes');
    const given = codes.getByRole('listitem');
    return {
      t,
      given,
      error: codes.locator('.field-error'),
      summary: page.locator('.summary .composition'),
      total: page.locator('.summary .total dd'),
      /** Gives the cart a code. */
      async give(code: string) {
        await codes.getByLabel(t('code'), { exact: true }).fill(code);
        await page.keyboard.press('Enter');
      },
      async toCart(count: number) {
        const more = page.locator('.stepper button:last-child').first();
        for (let nth = 0; nth < count; nth += 1) await more.click();
        await page.getByRole('button', { name: t('addToCart') }).click();
        await locateHeading(page, t('cart')).waitFor();
      },
      isSaid: (code: string, text: string) =>
        page
          .locator('.notices')
          .getByText(t('labelled', { label: code, text }))
          .waitFor(),
    };
  };

  for (const { locale, names, rates } of LANGUAGES)
    story(
      `in ${locale}, cart, checkout and order say base, discount, fees and the tax of each rate; codes change them`,
      async (enter) => {
        const { page } = await enter({ locale, width: 390, at: `${OPERA}/?q=nabucco` });
        const { t, given, give, toCart, isSaid, error, summary } = await startIn(page, locale);
        await page.locator('.card').first().click();
        await toCart(4);
        // Four are a family: 10 % of 145 francs off each.
        const family = [58_000, -5_800, 800, 53_000, 1_324, 60];
        expect(await readPrices(page.locator('.item .composition').first())).toEqual([
          [t('price'), 14_500],
          [names[0], -1_450],
          [names[1], 200],
        ]);
        expect(await readPrices(summary)).toEqual([
          [t('things', { count: 4 }), 58_000],
          [names[0], -5_800],
          [names[1], 800],
          [t('total'), 53_000],
          ...rates.map((rate, at) => [t('includedTax', { rate }), family[4 + at]]),
        ]);

        await give('No-Such-Code');
        await error.getByText(t('errors.discount_unknown_code')).waitFor();
        expect(await page.locator(':focus').getAttribute('aria-invalid')).toBe('true');
        await give('newsletter');
        await isSaid('newsletter', t('code_superseded'));
        // 20 francs off two of them instead of 14.50.
        await give('JUBILEE');
        await page.locator('.codes [data-state=applied]').waitFor();
        expect(await page.locator('.notice-done').textContent()).toMatch(/JUBILEE.*11[.,]00/);
        expect(await amountsOf(summary)).toContain(51_900);
        expect([await measureOverflow(page), await listNamelessControls(page)]).toEqual([0, []]);
        await page.getByRole('button', { name: t('removeItem', { item: 'JUBILEE' }) }).click();
        await given.nth(1).waitFor({ state: 'detached' });
        expect(await amountsOf(summary)).toEqual(family);

        await page.getByRole('link', { name: t('toCheckout') }).click();
        await locateHeading(page, t('checkout')).waitFor();
        expect(await amountsOf(summary)).toEqual(family);
        await page.locator('[autocomplete=given-name]').fill('Ada');
        await page.locator('[autocomplete=email]').fill('ada@example.org');
        await chooseSimulation(page);
        await page.locator('.summary .button').click();
        await locateHeading(page, t('thankYou')).waitFor();
        await page.locator('.order-line summary').click();
        expect(await amountsOf(page.locator('.order-line .composition'))).toEqual(family);
        expect(await amountsOf(page.locator('.ticket .composition').first())).toEqual([14_500, -1_450, 200]);
        expect(await measureOverflow(page)).toBe(0);
      },
    );

  story('a code that is used up or over says so; one for members counts from the login on', async (enter) => {
    const full = await authoriseDemoClient(product(), 'opera', 'full');
    const make = async (code: string, terms: object) => {
      const body = { name: { en: code }, trigger: 'code', effect: { percent: '50' }, ...terms };
      const { id } = await must(full, '/svc/v3/catalog/discounts', 'POST', body);
      await must(full, `/svc/v3/catalog/discounts/${id}/codes`, 'POST', { codes: [{ code, maxUses: null }] });
    };
    await make('NONE-LEFT', { limits: { uses: 0 } });
    await make('LONG-OVER', { validTo: '2020-08-31T22:00:00.000Z' });
    const { page } = await enter({ at: `${OPERA}/?q=nabucco` });
    const { t, give, toCart, isSaid, error, given, total } = await startIn(page, 'en-GB');
    await page.locator('.card').first().click();
    await toCart(1);
    await give('NONE-LEFT');
    await error.getByText(t('errors.discount_limit_reached')).waitFor();
    await give('LONG-OVER');
    await error.getByText(t('errors.discount_not_applicable')).waitFor();
    await give('FRIENDS');
    await isSaid('FRIENDS', t('code_contact_required'));
    await given.getByRole('link', { name: t('logIn') }).click();
    const user = product().demo.users.find(({ serviceHost, member }) => serviceHost === OPERA && member);
    await page.getByLabel('Login').fill(user?.login ?? '');
    await page.getByLabel('Password').fill(user?.password ?? '');
    await page.keyboard.press('Enter');
    await locateHeading(page, /^Hello/).waitFor();
    await page.locator('.cart-link').click();
    await page.locator('.codes [data-state=applied]').waitFor();
    // A quarter of 145 francs off, and the fee of 2.
    expect(await total.textContent()).toContain('110.75');
  });

  story('a hidden price is shown to whom has its code, which stays as long as it is needed', async (enter) => {
    const { page } = await enter({ at: `${OPERA}/?q=nabucco` });
    const { t, give, isSaid, given } = await startIn(page, 'en-GB');
    const school = page.getByRole('button', { name: 'One more: School classes' }).first();
    const open = async () => {
      await page.goto(`${product().demo.baseUrl}/shop/${OPERA}/?q=nabucco`);
      await page.locator('.card').first().click();
      await page.getByRole('button', { name: 'One more: Full price' }).first().waitFor();
    };
    await open();
    expect(await school.count()).toBe(0);
    await page.locator('.cart-link').click();
    await give('SCHOOL-CLASS');
    await isSaid('SCHOOL-CLASS', t('code_not_matching'));
    await open();
    await school.click();
    await page.getByRole('button', { name: t('addToCart') }).click();
    await page.locator('.codes [data-state=applied]').waitFor();
    const remove = page.getByRole('button', { name: t('removeItem', { item: 'SCHOOL-CLASS' }) });
    await remove.click();
    await page.locator('.notice').getByText(t('errors.code_needed')).waitFor();
    await page
      .locator('.item')
      .getByRole('button', { name: /^Remove/ })
      .click();
    await page.locator('.codes [data-state=not_matching]').waitFor();
    await remove.click();
    await given.first().waitFor({ state: 'detached' });
    await open();
    expect(await school.count()).toBe(0);
  });

  story('a buyer for whom the cart is dearer buys nothing, and is led back to it', async (enter) => {
    const { page } = await enter({ at: `${OPERA}/?q=nabucco` });
    const { t, toCart } = await startIn(page, 'en-GB');
    await page.locator('.card').first().click();
    await toCart(1);
    await page.getByRole('link', { name: t('toCheckout') }).click();
    await tellWhoBuys(page);
    const refusal = { success: false, errorCode: 'tariff_not_accessible', errorMessage: 'dearer' };
    await page.route(/\/tnwr\/vexp\/orders\?/, (route) => route.fulfill({ status: 403, json: refusal }));
    await page.getByRole('button', { name: /^Pay/ }).click();
    await page.locator('.notice').getByText(t('cartDearer')).waitFor();
    await page
      .locator('.notice')
      .getByRole('link', { name: t('cart') })
      .click();
    await locateHeading(page, t('cart')).waitFor();
    expect(await page.locator('.item').count()).toBe(1);
  });
}
