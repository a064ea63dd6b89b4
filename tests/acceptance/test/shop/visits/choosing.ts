import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { openClient, openVisitor } from '@boxoffice/testkit';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { authorised } from '../../../src/product.ts';
import { createHall } from '../hall.ts';
import { heading, OPERA, type ShopFixture } from '../shop-fixture.ts';
import { overflow } from '../visit.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const ITEMS = /\/tnwr\/vexp\/shopping-cart\/items\?/;

/** What axe-core finds on the page as it is shown. */
const findings = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe);
  return page.evaluate(
    'axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))',
  );
};

/** Stories of choosing places on a plan, in its list, and by quantity. */
export const choosing = ({ product, story }: ShopFixture): void => {
  let halls = 0;
  const openHall = () => {
    halls += 1;
    return createHall(product(), `Hall ${halls}`);
  };

  const chosen = (page: Page) => page.getByRole('list', { name: 'Chosen seats' }).getByRole('listitem');
  const toCart = async (page: Page) => {
    await page.getByRole('button', { name: 'Add to cart' }).click();
    await heading(page, 'Cart').waitFor();
  };
  /** The places in the cart, as their labels are read. */
  const inCart = async (page: Page) => (await page.locator('.item .item-name').allTextContents()).toSorted();

  story('two neighbouring seats in the first balcony are chosen by touch on a telephone', async (enter) => {
    const { at } = await openHall();
    const { page } = await enter({ at, width: 390 });
    const touch = await page.context().newCDPSession(page);
    const tap = async (x: number, y: number) => {
      await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
      await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    const plan = page.locator('.plan-screen');
    await page.getByText('Second category').first().waitFor();
    await plan.evaluate((node) => node.scrollIntoView({ block: 'center' }));
    const box = await plan.boundingBox();
    if (!box) throw new Error('the plan is not shown');
    const { x, y, width, height } = box;
    // Seats are too small for a finger at first: it shows them.
    await tap(x + width / 2, y + height * 0.78);
    await page.locator('.plan-here').getByText('First balcony').waitFor();
    expect(await chosen(page).count()).toBe(0);
    // Neighbours are 38 pixels apart then, two of them beside the middle; its first row is a little above that.
    for (const aside of [19, 57]) await tap(x + width / 2 + aside, y + height * 0.45);
    await chosen(page).nth(1).waitFor();
    const [first, second] = await chosen(page).locator('label').allTextContents();
    const [one, other] = [first, second].map((text) => /^Row ([A-D]), seat (\d+) First balcony$/.exec(`${text}`));
    expect(other?.[1]).toBe(one?.[1]);
    expect(Math.abs(Number(one?.[2]) - Number(other?.[2]))).toBe(1);
    expect(await overflow(page)).toBe(0);
    await toCart(page);
    expect(await page.locator('.item').count()).toBe(2);
  });

  story('and by the keyboard alone, from the stage to the balcony, with another fare for one', async (enter) => {
    const { at } = await openHall();
    const { page } = await enter({ at });
    const focused = () => page.locator(':focus');
    await page.locator('.seat-list [tabindex="0"]').focus();
    expect(await page.locator('.seat-list [tabindex="0"]').count()).toBe(1);
    expect(await focused().getAttribute('aria-label')).toBe('Row A, seat 1, free');
    for (
      let rows = 0;
      rows < 20 && !(await page.locator('.plan-inspector').textContent())?.startsWith('First');
      rows += 1
    )
      await page.keyboard.press('ArrowDown');
    expect(await page.locator('.plan-inspector').textContent()).toContain('Second category');
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Space');
    expect(await focused().getAttribute('aria-label')).toMatch(/^Row A, seat \d+, chosen$/);
    const sum = page.locator('.sum-text');
    expect(await sum.textContent()).toMatch(/^2 tickets, CHF\s180\.00$/);
    await page.keyboard.press('Tab');
    expect(await focused().evaluate((node) => node.tagName)).toBe('SELECT');
    await page.keyboard.press('ArrowDown');
    await page
      .getByRole('main')
      .getByText(/^2 tickets, CHF\s175\.00$/)
      .waitFor();
    const requests: string[] = [];
    page.on('request', (request) => ITEMS.test(request.url()) && requests.push(request.postData() ?? ''));
    await page.getByRole('button', { name: 'Add to cart' }).focus();
    await page.keyboard.press('Enter');
    await heading(page, 'Cart').waitFor();
    // Two fares are one request.
    expect(requests.map((body) => JSON.parse(body).items.length)).toEqual([2]);
    expect(await page.locator('.item').count()).toBe(2);
    // What is in the cart is shown as own, and cannot be chosen again.
    await page.goBack();
    await page
      .getByRole('button', { name: /^Row A, seat \d+, in your cart$/ })
      .nth(1)
      .waitFor({ state: 'attached' });
  });

  story('the list does the same as the plan, and axe-core finds nothing in either', async (enter) => {
    const { at } = await openHall();
    const { page } = await enter({ at, width: 320 });
    await page.getByRole('grid', { name: 'Seat map, First balcony' }).waitFor({ state: 'attached' });
    for (const view of ['Plan', 'List']) {
      await page.getByRole('radio', { name: view }).check();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect([view, colorScheme, await findings(page), await overflow(page)]).toEqual([view, colorScheme, [], 0]);
      }
    }
    const balcony = page.getByRole('grid', { name: 'Seat map, First balcony' });
    await page.getByRole('button', { name: /^First balcony/ }).click();
    expect(await balcony.count()).toBe(0);
    await page.getByRole('button', { name: /^First balcony/ }).click();
    await balcony.getByRole('button', { name: 'Row C, seat 7, free' }).click();
    await balcony.getByRole('button', { name: 'Row C, seat 8, free' }).click();
    await page.getByRole('button', { name: 'Give up Row C, seat 7' }).click();
    expect(await chosen(page).allTextContents()).toEqual([expect.stringContaining('Row C, seat 8')]);
    await toCart(page);
  });

  story('the best available are neighbours of the category that is asked for', async (enter) => {
    const { at } = await openHall();
    const { page } = await enter({ at });
    await page.getByLabel('Best available').selectOption('4');
    await page.getByRole('combobox', { name: 'Category' }).selectOption({ label: 'Second category' });
    await page.getByRole('button', { name: 'Find seats' }).click();
    const said = page.getByRole('main').getByText(/^Chosen for you: /);
    expect((await said.textContent())?.match(/First balcony, Row A, seat \d+/g)).toEqual(
      [6, 7, 8, 9].map((number) => `First balcony, Row A, seat ${number}`),
    );
    expect(await chosen(page).count()).toBe(4);
    await toCart(page);
    expect(await page.locator('.item').count()).toBe(4);
  });

  story('seats, standing room and fares go into the cart together, up to the limit of an order', async (enter) => {
    const { at } = await openHall();
    const { page } = await enter({ at });
    const full = await authorised(product(), 'opera', 'full');
    const { maxPlacesPerOrder: most } = (await full(`/svc/v3/catalog/points-of-sale/${OPERA}`)).body.data;
    await page.getByRole('button', { name: 'Row 1, seat 2, free' }).press('Space');
    const steppers = page.getByRole('spinbutton');
    await steppers.first().fill('1');
    await steppers.last().fill('99');
    await steppers.last().press('Tab');
    expect(await steppers.last().inputValue()).toBe(`${most - 2}`);
    await page.getByText(`An order has at most ${most} tickets.`).first().waitFor();
    const more = page.getByRole('button', { name: /^One more/ });
    expect(await more.evaluateAll((all) => all.map((one) => one.getAttribute('aria-disabled')))).toEqual([
      'true',
      'true',
    ]);
    await page.getByRole('button', { name: 'Row 1, seat 3, free' }).press('Space');
    expect(await chosen(page).count()).toBe(1);
    // A refusal of one item names it; the choice stays.
    const errorMessage = '$.items[2]: Not enough of the requested places are free.';
    await page.route(ITEMS, (route) =>
      route.fulfill({ status: 400, json: { success: false, errorCode: 'cart_places_unavailable', errorMessage } }),
    );
    await page.getByRole('button', { name: 'Add to cart' }).click();
    await page.getByText(/It concerns: Standing, /).waitFor();
    await page.unroute(ITEMS);
    await toCart(page);
    expect(await page.locator('.item').count()).toBe(most);
    // The places in the cart count.
    await page.goBack();
    await page.getByText(`and your cart has ${most} already.`).first().waitFor();
  });

  story('a seat that is taken meanwhile is named, and the rest of the choice stays', async (enter) => {
    const { at, productId, performanceId } = await openHall();
    const { page } = await enter({ at });
    const seat = (number: number) => page.getByRole('button', { name: new RegExp(`^Row B, seat ${number}, `) }).first();
    await seat(3).press('Space');
    await seat(4).press('Space');
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
    await page.getByRole('button', { name: 'Add to cart' }).click();
    await page.getByText('Somebody was faster: Parterre, Row B, seat 4 is no longer free.').first().waitFor();
    expect(await chosen(page).allTextContents()).toEqual([expect.stringContaining('Row B, seat 3')]);
    await toCart(page);
    expect(await inCart(page)).toEqual([expect.stringContaining('B')]);
  });

  story('an answer that is lost on its way adds once', async (enter) => {
    const { at } = await openHall();
    const { page } = await enter({ at });
    // A first item makes the session, within which repetitions are recognised.
    await page.getByRole('button', { name: 'Row W, seat 1, free' }).press('Space');
    await toCart(page);
    await page.goBack();
    const keys: (string | undefined)[] = [];
    await page.route(ITEMS, async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.abort('connectionreset');
    });
    await page.getByRole('button', { name: 'Row W, seat 2, free' }).press('Space');
    const add = page.getByRole('button', { name: 'Add to cart' });
    await add.click();
    await page.getByText('You can press again: nothing is added twice.').waitFor();
    expect(await chosen(page).count()).toBe(1);
    await add.click();
    await heading(page, 'Cart').waitFor();
    expect([keys.length, new Set(keys).size, await page.locator('.item').count()]).toEqual([2, 1, 2]);
  });
};
