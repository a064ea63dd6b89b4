import { openClient } from '@boxoffice/testkit';
import { expect } from '@jest/globals';
import { authoriseDemoClient } from '../../../src/product.ts';
import { locateHeading, OPERA, readSessionToken, type ShopFixture, takeSeat } from '../shop-fixture.ts';
import { holdNext, keepPlan } from '../visit.ts';

/** Stories of failures, and the shop's messages about them. */
export function describeMishaps({ product, story, showOf }: ShopFixture): void {
  story('a sold-out show says so and offers nothing to buy', async (enter) => {
    const { page } = await enter({ at: showOf('opera', 'soldOut') });
    await locateHeading(page, 'Carmen').waitFor();
    await page.getByRole('heading', { name: 'Sold out' }).waitFor();
    expect(await page.getByRole('button', { name: 'Add to cart' }).count()).toBe(0);
    await page.goto(`${product().demo.baseUrl}/shop/${OPERA}/?q=carmen`);
    await page.locator('.card', { hasText: 'Carmen' }).getByText('Sold out').waitFor();
  });

  story('the last places are offered as such, and more than there are cannot be wanted', async (enter) => {
    const { page } = await enter({ at: showOf('opera', 'twoLeft') });
    await page.getByText('2 places left').waitFor();
    const more = page.getByRole('button', { name: 'One more: Full price' });
    await more.click();
    await more.click();
    expect(await more.getAttribute('aria-disabled')).toBe('true');
    expect(await page.getByText('Last tickets').count()).toBe(1);
    // Neither can more of all tariffs together.
    const another = page.getByRole('button', { name: /^One more: (?!Full price)/ }).first();
    expect(await another.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('button', { name: 'One less: Full price' }).click();
    await another.click();
    expect(await more.getAttribute('aria-disabled')).toBe('true');
    await page.locator('.sum-text').getByText(/2/).waitFor();
  });

  story('an expired cart says so, and the next choice begins a new one', async (enter) => {
    const full = await authoriseDemoClient(product(), 'opera', 'full');
    const { body: opera } = await full(`/svc/v3/catalog/points-of-sale/${OPERA}`);
    const { name, languages, currency, tariffIds, paymentMethods, maxPlacesPerOrder } = opera.data;
    const serviceHost = 'brief.opera.example';
    const given = {
      serviceHost,
      name,
      languages,
      currency,
      tariffIds,
      paymentMethods,
      maxPlacesPerOrder,
      // Long enough for the page of the cart to be seen before, on a slow machine, too.
      holdMinutes: 0.25,
    };
    expect((await full('/svc/v3/catalog/points-of-sale', { method: 'POST', body: given })).status).toBe(201);

    const { page } = await enter({ at: showOf('opera', 'numbered').replace(OPERA, serviceHost) });
    await takeSeat(page, 'Row D, seat 2');
    await locateHeading(page, 'Cart').waitFor();
    // A first answer about it that is lost is asked for again.
    const lost = { status: 503, json: { success: false, errorCode: 'internal_error', errorMessage: '-' } };
    await page.route(/\/tnwr\/vexp\/shopping-cart\?/, (route) => route.fulfill(lost), {
      times: 1,
    });
    await locateHeading(page, 'Your time has run out').waitFor();
    expect(await page.getByRole('link', { name: 'To checkout' }).count()).toBe(0);
    await page.goto(`${product().demo.baseUrl}/shop/${showOf('opera', 'numbered').replace(OPERA, serviceHost)}`);
    await takeSeat(page, 'Row D, seat 4');
    await locateHeading(page, 'Cart').waitFor();
  });

  story('the second visitor reads that somebody was faster, and sees the seat taken', async (enter) => {
    const at = showOf('opera', 'numbered');
    const [slow, quick] = [(await enter({ at })).page, (await enter({ at })).page];
    const seat = (page: typeof slow) => page.getByRole('button', { name: /^Row H, seat 7,/ });
    await seat(slow).press('Space');
    await seat(quick).press('Space');
    const showPlan = await keepPlan(slow);
    await quick.getByRole('button', { name: 'Add to cart' }).click();
    await locateHeading(quick, 'Cart').waitFor();
    await slow.getByRole('button', { name: 'Add to cart' }).click();
    showPlan();
    await slow.getByText('Somebody was faster: what you chose is no longer free.').waitFor();
    await slow.getByRole('button', { name: 'Row H, seat 7, taken' }).waitFor();
    expect(await slow.getByRole('button', { name: 'Add to cart' }).getAttribute('aria-disabled')).toBe('true');
  });

  story('the end of a session is shown to a visitor who loses something by it, and the shop goes on', async (enter) => {
    const { page } = await enter({ at: showOf('opera', 'numbered') });
    await takeSeat(page, 'Row D, seat 6');
    await locateHeading(page, 'Cart').waitFor();
    const headers = { 'x-service-host': OPERA, 'x-auth-token': await readSessionToken(page) };
    expect(
      (await openClient(product().address)('/tnwr/v1/sessions/current', { method: 'DELETE', headers })).status,
    ).toBe(200);
    await page.getByRole('link', { name: 'Programme' }).click();
    await page.getByText('Your session has ended. Please start again.').waitFor();
    await page.locator('.card').nth(23).waitFor();
    await page.goto(`${product().demo.baseUrl}/shop/${showOf('opera', 'numbered')}`);
    await takeSeat(page, 'Row D, seat 8');
    await locateHeading(page, 'Cart').waitFor();
  });

  story('an address with a host that is no point of sale’s shows nothing of it', async (enter) => {
    for (const text of ['Buy at evil.example', 'evil.example']) {
      const { page } = await enter({ at: `?host=${encodeURIComponent(text)}` });
      await locateHeading(page, 'There is no such page').waitFor();
      expect(await page.title()).toBe('There is no such page');
      expect(await page.locator('body').textContent()).not.toContain('evil');
    }
  });

  story('a new point of sale has a shop at once, with its name', async (enter) => {
    const serviceHost = 'stage.example';
    const full = await authoriseDemoClient(product(), 'museum', 'full');
    const pointOfSale = {
      serviceHost,
      name: 'Stage',
      languages: ['en'],
      currency: 'EUR',
      tariffIds: [],
      paymentMethods: ['external'],
      maxPlacesPerOrder: 8,
      holdMinutes: 15,
    };
    const made = await full('/svc/v3/catalog/points-of-sale', { method: 'POST', body: pointOfSale });
    expect(made.status).toBe(201);
    const { page } = await enter({ at: `?host=${serviceHost.toUpperCase()}` });
    await locateHeading(page, 'The season').waitFor();
    expect(await page.title()).toBe('Programme · Stage');
    expect(await page.locator('.frame-footer').textContent()).toContain('Stage');
  });

  story('what does not exist has a page that leads back', async (enter) => {
    const { page } = await enter({ at: `${OPERA}/show/prd_nothing` });
    await locateHeading(page, 'This page is not on the bill').waitFor();
    await page.getByRole('link', { name: 'To the programme' }).click();
    await locateHeading(page, 'The season').waitFor();
  });

  story('an answer that takes its time is waited for, and pressing twice adds once', async (enter) => {
    const { page } = await enter({ at: showOf('opera', 'numbered') });
    let calls = 0;
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/tnwr/vexp/shopping-cart/items?*', async (route) => {
      calls += 1;
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Row D, seat 10, free' }).press('Space');
    const add = page.getByRole('button', { name: 'Add to cart' });
    await add.click();
    await add.click();
    expect(await add.getAttribute('aria-busy')).toBe('true');
    answer();
    await locateHeading(page, 'Cart').waitFor();
    expect([calls, await page.locator('.item').count()]).toEqual([1, 1]);

    // Who has gone elsewhere meanwhile is left there.
    await page.goBack();
    const added = await holdNext(page, /\/tnwr\/vexp\/shopping-cart\/items\?/);
    await page.getByRole('button', { name: 'Row D, seat 12, free' }).press('Space');
    await add.click();
    await added.asked;
    await page.getByRole('link', { name: 'Programme', exact: true }).first().click();
    await locateHeading(page, 'The season').waitFor();
    await added.release();
    await page.locator('.cart-count').getByText('2').waitFor();
    expect(await locateHeading(page, 'The season').count()).toBe(1);
  });

  story('a shop that may not answer now says when, and tries again when asked', async (enter) => {
    const { page } = await enter();
    const refusal = { success: false, errorCode: 'too_many_requests', errorMessage: '-' };
    await page.route(/\/tnwr\/vexp\/products\/prd/, (route) =>
      route.fulfill({ status: 429, headers: { 'Retry-After': '17' }, json: refusal }),
    );
    const found = await holdNext(page, /\/tnwr\/vexp\/programme\?.*tosca/);
    await page.getByRole('searchbox').fill('tosca');
    await found.asked;
    await page.locator('.card').first().click();
    await locateHeading(page, 'Something went wrong').waitFor();
    await page.getByText('Possible again in 17 seconds.').waitFor();
    // What was looked for on the page before leaves the address of this one.
    await found.release();
    expect(page.url()).toContain('/show/');
    await page.unroute(/\/tnwr\/vexp\/products\/prd/);
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await page.locator('.show').waitFor();
    expect(await page.locator('h1').evaluate((h1) => h1 === h1.ownerDocument.activeElement)).toBe(true);
  });
}
