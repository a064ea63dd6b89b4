import { openClient, openVisitor } from '@boxoffice/testkit';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { findFaults } from '../../../src/axe.ts';
import { authoriseDemoClient } from '../../../src/product.ts';
import { BALCONY, createHall, type Enter, locateHeading, OPERA, type ShopFixture } from '../shop-fixture.ts';
import { getTexts, keepPlan } from '../visit.ts';

const ITEMS = /\/tnwr\/vexp\/shopping-cart\/items\?/;

/** Stories of choosing places on a plan, in its list, and by quantity. */
export function describeChoosing({ product, story }: ShopFixture): void {
  let halls = 0;
  /** Opens a hall of its own in a browser of this locale. */
  const enterHall = async (enter: Enter, locale: 'en-GB' | 'de-CH' | 'fr-CH', width?: number) => {
    halls += 1;
    const hall = await createHall(product(), `Hall ${halls}`);
    const t = getTexts('pos', locale);
    const { page } = await enter({ at: hall.at, locale, ...(width && { width }) });
    const nameOf = (row: string, seat: number | string) => t('seatName', { row, seat });
    const add = page.getByRole('button', { name: t('addToCart') });
    return {
      ...{ hall, page, t, add, nameOf },
      balcony: BALCONY[locale.slice(0, 2) as keyof typeof BALCONY],
      free: (row: string, seat: number) =>
        page.getByRole('button', { name: `${nameOf(row, seat)}, ${t('seat_free')}` }),
      chosen: page.getByRole('list', { name: t('chosenSeats') }).getByRole('listitem'),
      async toCart() {
        await add.click();
        await locateHeading(page, t('cart')).waitFor();
      },
    };
  };

  /** The places in the cart, as their labels are read. */
  const inCart = async (page: Page) => (await page.locator('.item .item-name').allTextContents()).toSorted();

  story(
    'seats are chosen by the keyboard alone, from the stage to the balcony, with another fare for one',
    async (enter) => {
      const { page, t, add, balcony, nameOf } = await enterHall(enter, 'de-CH');
      const focused = () => page.locator(':focus');
      await page.locator('.seat-list [tabindex="0"]').focus();
      expect(await page.locator('.seat-list [tabindex="0"]').count()).toBe(1);
      expect(await focused().getAttribute('aria-label')).toBe(`${nameOf('A', 1)}, ${t('seat_free')}`);
      for (
        let rows = 0;
        rows < 20 && !(await page.locator('.plan-inspector').textContent())?.startsWith(balcony);
        rows += 1
      )
        await page.keyboard.press('ArrowDown');
      expect(await page.locator('.plan-inspector').textContent()).toContain('Second category');
      await page.keyboard.press('Space');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Space');
      expect(await focused().getAttribute('aria-label')).toMatch(
        new RegExp(`^${nameOf('A', '\\d+')}, ${t('seat_chosen')}$`),
      );
      const sum = page.locator('.sum-text');
      expect(await sum.textContent()).toMatch(/^2 .*, CHF\s184\.00$/);
      await page.keyboard.press('Tab');
      expect(await focused().evaluate((node) => node.tagName)).toBe('SELECT');
      await page.keyboard.press('ArrowDown');
      await sum.filter({ hasText: '179.00' }).waitFor();
      const requests: string[] = [];
      page.on('request', (request) => ITEMS.test(request.url()) && requests.push(request.postData() ?? ''));
      await add.focus();
      await page.keyboard.press('Enter');
      await locateHeading(page, t('cart')).waitFor();
      // Two fares are one request.
      expect(requests.map((body) => JSON.parse(body).items.length)).toEqual([2]);
      expect(await page.locator('.item').count()).toBe(2);
      // What is in the cart is shown as own, and cannot be chosen again.
      await page.goBack();
      await page
        .getByRole('button', { name: new RegExp(`^${nameOf('A', '\\d+')}, ${t('seat_own')}$`) })
        .nth(1)
        .waitFor({ state: 'attached' });
    },
  );

  story('the list does the same as the plan, and axe-core finds nothing in either', async (enter) => {
    const { page, t, balcony, chosen, nameOf, toCart } = await enterHall(enter, 'fr-CH', 320);
    const grid = page.getByRole('grid', { name: `${t('seatMap')}, ${balcony}` });
    await grid.waitFor({ state: 'attached' });
    for (const [view, colorScheme] of [
      ['viewPlan', 'dark'],
      ['viewList', 'light'],
    ] as const) {
      await page.getByRole('radio', { name: t(view) }).check();
      await page.emulateMedia({ colorScheme });
      expect([view, await findFaults(page)]).toEqual([view, []]);
    }
    const area = page.getByRole('button', { name: new RegExp(`^${balcony}`) });
    await area.click();
    expect(await grid.count()).toBe(0);
    await area.click();
    await grid.getByRole('button', { name: `${nameOf('C', 7)}, ${t('seat_free')}` }).click();
    await grid.getByRole('button', { name: `${nameOf('C', 8)}, ${t('seat_free')}` }).click();
    await page.getByRole('button', { name: t('removeSeat', { seat: nameOf('C', 7) }) }).click();
    expect(await chosen.allTextContents()).toEqual([expect.stringContaining(nameOf('C', 8))]);
    await toCart();
  });

  story('the best available are neighbours of the category that is asked for', async (enter) => {
    const { page, t, balcony, chosen, nameOf, toCart } = await enterHall(enter, 'de-CH');
    await page.getByLabel(t('bestLabel')).selectOption('4');
    await page.getByRole('combobox', { name: t('category') }).selectOption({ label: 'Second category' });
    await page.getByRole('button', { name: t('bestButton') }).click();
    const seats = [6, 7, 8, 9].map((number) => `${balcony}, ${nameOf('A', number)}`).join('; ');
    await page.locator('.best-said', { hasText: t('bestFound', { seats }) }).waitFor();
    expect(await chosen.count()).toBe(4);
    await toCart();
    expect(await page.locator('.item').count()).toBe(4);
  });

  story('seats, standing room and fares go into the cart together, up to the limit of an order', async (enter) => {
    const { page, t, chosen, free, add, toCart } = await enterHall(enter, 'fr-CH');
    const full = await authoriseDemoClient(product(), 'opera', 'full');
    const { maxPlacesPerOrder: most } = (await full(`/svc/v3/catalog/points-of-sale/${OPERA}`)).body.data;
    await free('1', 2).press('Space');
    const steppers = page.getByRole('spinbutton');
    await steppers.first().fill('1');
    await steppers.last().fill('99');
    await steppers.last().press('Tab');
    expect(await steppers.last().inputValue()).toBe(`${most - 2}`);
    await page.locator('.sum-hint.is-reason', { hasText: `${most}` }).waitFor();
    const more = page.locator('.stepper button:last-child');
    expect(await more.evaluateAll((all) => all.map((one) => one.getAttribute('aria-disabled')))).toEqual([
      'true',
      'true',
    ]);
    await free('1', 3).press('Space');
    expect(await chosen.count()).toBe(1);
    // A refusal of one item names it; the choice stays.
    const errorMessage = '$.items[2]: Not enough of the requested places are free.';
    await page.route(ITEMS, (route) =>
      route.fulfill({ status: 400, json: { success: false, errorCode: 'cart_places_unavailable', errorMessage } }),
    );
    await add.click();
    await page.getByText(new RegExp(t('refusedItem', { item: 'Standing, .*' }))).waitFor();
    await page.unroute(ITEMS);
    await toCart();
    expect(await page.locator('.item').count()).toBe(most);
    // The places in the cart count.
    await page.goBack();
    await page.locator('.sum-hint.is-reason', { hasText: new RegExp(`${most}\\D+${most}`) }).waitFor();
  });

  story('a seat that is taken meanwhile is named, and the rest of the choice stays', async (enter) => {
    const { page, hall, t, chosen, add, nameOf, toCart } = await enterHall(enter, 'de-CH');
    const { productId, performanceId } = hall;
    const seat = (number: number) => page.getByRole('button', { name: `${nameOf('B', number)}, ` }).first();
    await seat(3).press('Space');
    await seat(4).press('Space');
    const showPlan = await keepPlan(page);
    const rival = openVisitor(openClient(product().address), OPERA);
    const data = async (path: string, options = {}) => (await rival(`/tnwr/vexp/${path}`, options)).body.data;
    const { performances } = await data(`products/${productId}`);
    const [{ id: seatCategoryId, prices }] = performances[0].seatCategories;
    const { seats } = await data(`products/${productId}/performances/${performanceId}/seat-map`);
    const [placeId] = Object.entries(seats as Record<string, { areaId: string; label: string }>).find(
      ([, { areaId, label }]) => areaId === 'parterre' && label === 'B-4',
    ) ?? [''];
    const body = { performanceId, seatCategoryId, tariffId: prices[0].tariffId, placeIds: [placeId] };
    expect(await data('shopping-cart/items', { method: 'POST', body })).toMatchObject({ expired: false });
    await add.click();
    showPlan();
    await page
      .getByText(t('seatsLost', { count: 1, seats: `Parterre, ${nameOf('B', 4)}` }))
      .first()
      .waitFor();
    expect(await chosen.allTextContents()).toEqual([expect.stringContaining(nameOf('B', 3))]);
    await toCart();
    expect(await inCart(page)).toEqual([expect.stringContaining('B')]);
  });

  story('an answer that is lost on its way adds once', async (enter) => {
    const { page, t, chosen, free, add, toCart } = await enterHall(enter, 'en-GB');
    // A first item makes the session, within which repetitions are recognised.
    await free('W', 1).press('Space');
    await toCart();
    await page.goBack();
    const keys: (string | undefined)[] = [];
    await page.route(ITEMS, async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.abort('connectionreset');
    });
    await free('W', 2).press('Space');
    await add.click();
    await page.getByText(t('perhapsAdded')).waitFor();
    expect(await chosen.count()).toBe(1);
    await add.click();
    await locateHeading(page, t('cart')).waitFor();
    expect([keys.length, new Set(keys).size, await page.locator('.item').count()]).toEqual([2, 1, 2]);
  });
}
