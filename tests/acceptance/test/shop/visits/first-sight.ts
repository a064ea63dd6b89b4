import { waitUntil } from '@boxoffice/testkit';
import { expect } from '@jest/globals';
import { locateHeading, OPERA, type ShopFixture, takeSeat } from '../shop-fixture.ts';
import { listNamelessControls, waitForTakeover } from '../visit.ts';

/** Stories of pages before, and while, their script takes over. */
export function describeFirstSight({ product, browser, story, showOf }: ShopFixture): void {
  story('the programme takes at most 14 requests and 150 KB, a show 20, one with a plan 25', async (enter) => {
    const { page } = await enter({ width: 390 });
    const sizes = new Map<string, Promise<number>>();
    page.on('requestfinished', (request) => {
      const of = page.url();
      const size = request
        .sizes()
        .then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize)
        // Of a page that has been left; otherwise it is no number, and the sum below neither.
        .catch(() => (page.url() === of ? Number.NaN : 0));
      sizes.set(request.url(), size);
    });
    for (const [at, most] of [
      [`${OPERA}/`, 14],
      [showOf('opera', 'twoLeft'), 20],
      [showOf('opera', 'numbered'), 25],
    ] as const) {
      // While the catalogue is slow, a page comes without what it says, and asks for it once more.
      const isWhole = async () => {
        sizes.clear();
        const answer = await page.goto(`${product().demo.baseUrl}/shop/${at}`, { waitUntil: 'networkidle' });
        return answer !== null && !(await answer.text()).includes('class="wrap lead late"');
      };
      await waitUntil(isWhole, { what: `${at} as the server draws it` });
      const bytes = (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0);
      expect([at, sizes.size, [...sizes.keys()]]).toEqual([at, Math.min(sizes.size, most), expect.anything()]);
      expect(bytes).toBeLessThan(150_000);
      expect(sizes.size).toBeGreaterThan(5);
    }
  });

  story('without its script, the shop shows programme and shows, in the language that is chosen', async () => {
    const context = await browser().newContext({ javaScriptEnabled: false, ignoreHTTPSErrors: true, locale: 'de-CH' });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const card = page.locator('.card').first();
    // While the catalogue is slow, pages come without the list.
    const hasList = async () => {
      await page.goto(`${product().demo.baseUrl}/shop/${OPERA}/`);
      return (await card.count()) > 0;
    };
    await waitUntil(hasList, { what: 'the list of shows' });
    expect(await page.getAttribute('html', 'lang')).toBe('de');
    await page.getByRole('navigation', { name: 'Hauptnavigation' }).getByRole('link', { name: 'Spielplan' }).waitFor();
    const name = `${await card.locator('.card-name').textContent()}`;
    await card.click();
    await page.waitForURL(/\/show\//);
    const isShown = async () => {
      if ((await locateHeading(page, name).count()) > 0) return true;
      await page.reload();
      return false;
    };
    await waitUntil(isShown, { what: 'the show' });
    expect(await page.title()).toContain(name);
    await page.getByRole('link', { name: 'English' }).click();
    await page.locator('html[lang=en]').waitFor();
    await page.getByRole('link', { name: 'Programme', exact: true }).first().click();
    await page.waitForURL(/\/$/);
    expect(await page.getAttribute('html', 'lang')).toBe('en');
    await context.close();
  });

  story('addresses of earlier shops lead to the same pages', async (enter) => {
    const at = showOf('opera', 'numbered');
    const { page } = await enter({ at: `#${at.slice(OPERA.length)}` });
    await locateHeading(page, 'The Magic Flute').waitFor();
    expect(page.url()).toBe(`${product().demo.baseUrl}/shop/${at}`);
    await page.goto(`${product().demo.baseUrl}/shop/?host=${OPERA}#/account`);
    await locateHeading(page, 'Log in').waitFor();
    expect(page.url()).toBe(`${product().demo.baseUrl}/shop/${OPERA}/account`);
  });

  story('a day, a venue and words find shows, stay in the address, and are undone by the way back', async (enter) => {
    const { page } = await enter();
    const count = page.locator('.count');
    await count.getByText('254 titles').waitFor();
    await page.getByRole('link', { name: 'Calendar' }).press('Enter');
    const day = page.locator('.calendar td a').first();
    const name = `${await day.getAttribute('aria-label')}`.split(', ').slice(0, 2).join(', ');
    await day.press('Enter');
    await page.getByRole('heading', { level: 2, name }).waitFor();
    expect(page.url()).toMatch(/\?date=\d{4}-\d{2}-\d{2}&month=\d{4}-\d{2}$/);
    // The chosen day keeps the focus, and says that it is chosen.
    expect(await page.locator(':focus').getAttribute('aria-current')).toBe('true');
    const found = await count.textContent();
    await page.reload();
    await waitForTakeover(page);
    expect([await count.textContent(), await page.getByRole('heading', { level: 2, name }).count()]).toEqual([
      found,
      1,
    ]);
    await page.getByRole('link', { name: 'All dates' }).click();
    await count.getByText('254 titles').waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 2, name }).waitFor();

    await page.goto(`${product().demo.baseUrl}/shop/${OPERA}/`);
    await waitForTakeover(page);
    const venue = page.getByRole('combobox', { name: 'Venue' });
    await venue.selectOption({ index: 1 });
    await page.waitForURL(/[?&]venue=/);
    await page.getByRole('searchbox').fill('no such title');
    await page.getByText('Nothing is called “no such title”.').waitFor();
    expect(await listNamelessControls(page)).toEqual([]);
  });

  story('the way back leads to the same place of the programme', async (enter) => {
    const { page } = await enter({ at: `${OPERA}/?page=2` });
    const card = page.locator('.card').nth(20);
    const name = `${await card.locator('.card-name').textContent()}`;
    await card.scrollIntoViewIfNeeded();
    const scrolled = () => page.evaluate<number>('window.scrollY');
    const before = await scrolled();
    expect(before).toBeGreaterThan(200);
    await card.click();
    await locateHeading(page, name).waitFor();
    expect(await scrolled()).toBe(0);
    await page.goBack();
    await card.getByText(name).waitFor();
    expect(Math.abs((await scrolled()) - before)).toBeLessThan(50);
    await page.reload();
    await waitForTakeover(page);
    expect(page.url()).toContain('?page=2');
    expect(Math.abs((await scrolled()) - before)).toBeLessThan(50);
  });

  story('cart and login are those of all tabs of a browser, and of no other', async (enter) => {
    const user = product().demo.users.find(({ serviceHost }) => serviceHost === OPERA);
    if (!user) throw new Error('the demo data has no user');
    const { page } = await enter();
    const other = (await enter({ profile: page.context() })).page;
    const stranger = (await enter()).page;
    await page.goto(`${product().demo.baseUrl}/shop/${showOf('opera', 'numbered')}`);
    await takeSeat(page, 'Row G, seat 2');
    await locateHeading(page, 'Cart').waitFor();
    const sessionCookies = async () =>
      (await page.context().cookies()).filter(({ name }) => name.startsWith('boxoffice.session.'));
    // It ends with the browser.
    expect(await sessionCookies()).toMatchObject([{ path: '/shop', secure: true, sameSite: 'Strict', expires: -1 }]);
    // The other tab follows without being loaded anew.
    await other.locator('.cart-count').getByText('1').waitFor();
    await other.getByRole('link', { name: 'Cart' }).click();
    await other.locator('.item').waitFor();

    await other.getByRole('link', { name: 'Log in' }).click();
    await other.getByLabel('Login').fill(user.login);
    await other.getByLabel('Password').fill(user.password);
    // The item is removed while the page is drawn anew for the login.
    const redrawn = Promise.withResolvers<void>();
    const removed = Promise.withResolvers<void>();
    await page.route(/\/tnwr\/vexp\/products\/prd/, async (route) => {
      redrawn.resolve();
      await removed.promise;
      await route.continue();
    });
    await other.keyboard.press('Enter');
    await locateHeading(other, /^Hello/).waitFor();
    await page.getByRole('link', { name: 'My tickets' }).waitFor();
    await redrawn.promise;
    await page.getByRole('button', { name: 'Remove' }).first().click();
    await locateHeading(page, 'Your cart is empty').waitFor();
    removed.resolve();
    await page.locator('main:not([aria-busy])').waitFor();
    await locateHeading(page, 'Your cart is empty').waitFor();
    await other.locator('.cart-count').waitFor({ state: 'detached' });

    await other.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('link', { name: 'Log in' }).waitFor();
    await stranger.reload();
    await waitForTakeover(stranger);
    expect(await stranger.locator('.cart-count').count()).toBe(0);
    expect(await sessionCookies()).toEqual([]);
  });
}
