import { waitUntil } from '@boxoffice/testkit';
import { expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { createHall, type ShopFixture } from '../shop-fixture.ts';

/** Stories of what is in sight, on a phone above all. */
export function describePhoneVisits({ product, story }: ShopFixture): void {
  for (const locale of ['en-GB', 'de-CH', 'fr-CH'])
    story(`the first screen of a phone shows a show, what is on, and when, in ${locale}`, async (enter) => {
      const { page } = await enter({ locale, width: 390 });
      await page.setViewportSize({ width: 390, height: 844 });
      // All of the first card: its picture, date, name and price.
      expect(await edgeOf(page, '.card', 'bottom')).toBeLessThan(844);
      await page.setViewportSize({ width: 360, height: 640 });
      expect(await edgeOf(page, '.hero', 'bottom')).toBeLessThan(320);
      expect(await edgeOf(page, '.finding', 'bottom')).toBeLessThan(640);
    });

  for (const [width, height] of [
    [320, 568],
    [390, 844],
    [1280, 900],
  ] as const)
    story(`the fare of a chosen seat is in sight beside the plan, at ${width} × ${height} pixels`, async (enter) => {
      const { at } = await createHall(product(), `Sight ${width}`);
      const { page } = await enter({ at, width });
      await page.setViewportSize({ width, height });
      const seats = page.locator('.seat.is-free');
      const fares = page.locator('.chosen-seats select');
      for (const count of [1, 2, 3]) {
        await seats.first().press('Space');
        await fares.nth(count - 1).waitFor();
        await page.locator('.plan').evaluate((plan) => plan.scrollIntoView({ block: 'start' }));
        await waitUntil(() => isInSight(fares.last()), { what: `the fare of seat ${count}` });
        expect(await isInSight(page.locator('.sum .button'))).toBe(true);
      }
      await fares.last().selectOption({ index: 1 });
      await page.locator('.sum-text').getByText(/^3 /).waitFor();
    });

  story('legend and list count the same free seats after each choice', async (enter) => {
    const { at } = await createHall(product(), 'Counts');
    const { page } = await enter({ at });
    const [legend, list] = [page.locator('.legend-category'), page.locator('.area-button')];
    const counts = async () => [await freeIn(legend, 'First category'), await freeIn(list, 'Parterre')];
    const seats = page.locator('.seat.is-free');
    await seats.first().waitFor({ state: 'attached' });
    expect(await counts()).toEqual([40, 40]);
    for (const left of [39, 38]) {
      await seats.first().press('Space');
      await page
        .locator('.chosen-seats li')
        .nth(39 - left)
        .waitFor();
      expect(await counts()).toEqual([left, left]);
    }
    await page.locator('.chosen-seats .remove').first().click();
    await page.locator('.chosen-seats li').nth(1).waitFor({ state: 'detached' });
    expect(await counts()).toEqual([39, 39]);
  });
}

/** Where the edge of an element is, in pixels from the top of the window. */
const edgeOf = (page: Page, selector: string, edge: 'top' | 'bottom'): Promise<number> =>
  page
    .locator(selector)
    .first()
    .evaluate((node, side) => node.getBoundingClientRect()[side], edge);

/** Whether the middle of an element is in the window with nothing above it. */
const isInSight = (element: Locator): Promise<boolean> =>
  element.evaluate((node) => {
    const { left, top, width, height } = node.getBoundingClientRect();
    return node.ownerDocument.elementFromPoint(left + width / 2, top + height / 2) === node;
  });

/** How many seats are free, by the texts that begin with these words. */
const freeIn = async (texts: Locator, name: string): Promise<number> => {
  const text = (await texts.allTextContents()).find((one) => one.startsWith(name));
  return Number(/(\d+) seats? free/.exec(text ?? '')?.[1]);
};
