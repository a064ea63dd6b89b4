import { waitUntil } from '@boxoffice/testkit';
import { expect } from '@jest/globals';
import type { BrowserContext, FrameLocator, Page } from 'playwright-core';
import { authoriseDemoClient } from '../../../src/product.ts';
import { must } from '../../product.ts';
import { createHall, locateHeading, OPERA, type ShopFixture } from '../shop-fixture.ts';

/** Of another site than the shop, and of the same. */
const [HOUSE, NEIGHBOUR] = ['https://www.house.example', 'https://localhost:9'];
const IMAGES = 'https://images.house.example';

const PIXEL = Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64');

/** Stories of a house that embeds the shop, and of its images. */
export function describeFrames({ product, browser, story }: ShopFixture): void {
  /** A shop of its own, and a show in it; `image` is that of the show. */
  const openShop = async (name: string, image: string) => {
    const full = await authoriseDemoClient(product(), 'opera', 'full');
    const base = '/svc/v3/catalog';
    const { tariffIds, currency, languages } = await must(full, `${base}/points-of-sale/${OPERA}`, 'GET');
    const serviceHost = `${name.toLowerCase().replaceAll(' ', '-')}.example`;
    const more = { frameAncestors: [HOUSE, NEIGHBOUR], imageHosts: ['images.house.example'] };
    const sold = { paymentMethods: ['external'], maxPlacesPerOrder: 8, holdMinutes: 15 };
    const body = { serviceHost, name, languages, currency, tariffIds, ...sold, ...more };
    await must(full, `${base}/points-of-sale`, 'POST', body);
    const { productId } = await createHall(product(), name);
    await must(full, `${base}/products/${productId}`, 'PATCH', {
      image: { url: `${IMAGES}/${image}`, alt: 'Its stage' },
    });
    const address = `${product().demo.baseUrl}/shop/${serviceHost}/show/${productId}?lang=en`;
    // The shop may have read the show before it had its image, and keeps what it has read for a while.
    const reader = await browser().newContext({ ignoreHTTPSErrors: true });
    const hasImage = async () => (await (await reader.request.get(address)).text()).includes(image);
    await waitUntil(hasImage, { what: 'a page with the image' });
    await reader.close();
    return address;
  };

  /** A page of an origin, with the shop in a frame; `images` answers for the house. */
  const open = async (origin: string, address: string) => {
    const context: BrowserContext = await browser().newContext({ locale: 'en-GB', ignoreHTTPSErrors: true });
    context.setDefaultTimeout(60_000);
    const page: Page = await context.newPage();
    await context.route(`${IMAGES}/**`, (route) =>
      route.request().url().endsWith('.gif')
        ? route.fulfill({ contentType: 'image/gif', body: PIXEL })
        : route.fulfill({ status: 404 }),
    );
    await context.route(`${origin}/**`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<!doctype html><title>House</title><iframe src="${address}" width="1000" height="800"></iframe>`,
      }),
    );
    await page.goto(`${origin}/`);
    const frame: FrameLocator = page.frameLocator('iframe');
    return { page, frame, close: () => context.close() };
  };

  story(
    'a house of another site shows the shop; one chooses, and logs in, in the whole window, in its language',
    async () => {
      const address = (await openShop('Framed afar', 'stage.gif')).replace('lang=en', 'lang=de');
      const { page, frame, close } = await open(HOUSE, address);
      await frame.getByRole('heading', { level: 1, name: 'Framed afar' }).waitFor();
      expect(await frame.getByRole('img', { name: 'Its stage' }).getAttribute('src')).toBe(`${IMAGES}/stage.gif`);
      // The whole window speaks the language of the frame, and the browser's way back leads to the house.
      await frame.getByRole('link', { name: 'Karten wählen' }).click();
      await page.waitForURL(/\/show\/[^/]+\?lang=de$/);
      await page.locator('.seat.is-free').first().waitFor({ state: 'attached' });
      await page.getByRole('heading', { level: 2, name: 'Plätze wählen' }).waitFor();
      await page.goBack();
      await page.waitForURL(`${HOUSE}/`);
      await frame.locator('main[data-live]').waitFor();
      await frame.getByRole('link', { name: 'Anmelden' }).first().click();
      await page.waitForURL(/\/account\?lang=de$/);
      await locateHeading(page, 'Anmelden').waitFor();
      await close();
    },
  );

  story('a house of the same site has the cart in the frame, too, and no form in it that logs in', async () => {
    const address = await openShop('Framed near', 'lost.png');
    const { frame, close } = await open(NEIGHBOUR, address);
    // Its image is lost: the poster takes its place.
    await frame.locator('.show-picture svg.poster').waitFor();
    await frame.locator('.seat.is-free').first().press('Space');
    await frame.getByRole('button', { name: 'Add to cart' }).click();
    await frame.locator('.cart-link .cart-count').waitFor();
    await frame.locator('.cart-link').click();
    await frame.getByRole('heading', { level: 1, name: 'Cart' }).waitFor();
    await frame.getByRole('link', { name: 'To checkout' }).click();
    await frame.getByRole('heading', { level: 1, name: 'Checkout' }).waitFor();
    expect(await frame.locator('input[type=password]').count()).toBe(0);
    await close();
  });

  story('no other site shows it', async () => {
    const address = await openShop('Framed never', 'stage.gif');
    const { page, close } = await open('https://foreign.example', address);
    await page.locator('iframe').waitFor();
    await waitUntil(() => page.frames()[1]?.url().startsWith('chrome-error:') === true, { what: 'the refusal' });
    expect(
      page
        .frames()
        .map((one) => one.url())
        .filter((url) => url.includes('/shop/')),
    ).toEqual([]);
    await close();
  });
}
