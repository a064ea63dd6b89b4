import { expect } from '@jest/globals';
import { chooseSimulation, locateHeading, OPERA, type ShopFixture, tellWhoBuys } from '../shop-fixture.ts';
import { listNamelessControls, measureOverflow, waitForTakeover } from '../visit.ts';

/** German has names like this one, and longer ones. */
const LONG_WORD = 'Weihnachtsoratoriumsaufführungsgesellschaft';
/** Members of answers that are shown and that institutions name. */
const NAMES = ['name', 'description', 'productName', 'seatCategory', 'tariff', 'city', 'row', 'label'];

/** Stories of successful purchases. */
export function describePurchases({ product, story, showOf }: ShopFixture): void {
  story('a guest finds a show, picks seats with the keyboard, pays, shows his tickets and cancels', async (enter) => {
    const { page } = await enter();
    await page.getByText('254 titles').waitFor();
    expect(await page.locator('.card').count()).toBe(24);
    await page.getByRole('searchbox', { name: 'Search by title' }).fill('magic FLUTE');
    await page.getByRole('main').getByText('2 titles').waitFor();
    await page.getByRole('link', { name: /The Magic Flute(?! for children)/ }).click();
    await locateHeading(page, 'The Magic Flute').waitFor();

    // One stop of the Tab key, arrow keys inside; taken seats are announced and cannot be chosen.
    const grid = page.getByRole('grid', { name: 'Seat map' });
    await grid.locator('[tabindex="0"]').focus();
    expect(await grid.locator('[tabindex="0"]').count()).toBe(1);
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    const chosen = grid.getByRole('button', { pressed: true });
    expect(await chosen.count()).toBe(2);
    expect(await chosen.first().getAttribute('aria-label')).toMatch(/^Row [A-Z], seat \d+, chosen$/);
    await page.getByRole('list', { name: 'Chosen seats' }).getByRole('combobox').last().selectOption({ index: 1 });
    await page.getByRole('button', { name: 'Add to cart' }).click();

    await locateHeading(page, 'Cart').waitFor();
    expect(await page.locator('.item').count()).toBe(2);
    expect(await page.getByRole('timer').textContent()).toMatch(/^1\d:\d\d$/);
    await page.getByLabel('First name').first().fill('  Grace ');
    await page.getByLabel('Last name').first().fill('Hopper');
    const saved = page.waitForResponse(
      (response) => response.request().method() === 'PATCH' && (response.request().postData() ?? '').includes('Hopper'),
    );
    await page.keyboard.press('Tab');
    await saved;
    await page.getByRole('status').getByText('Saved.').waitFor();
    expect(await page.getByLabel('First name').first().inputValue()).toBe('Grace');
    await page.reload();
    await page.locator('.item').nth(1).waitFor();
    expect(await page.getByLabel('Last name').first().inputValue()).toBe('Hopper');

    await page.getByRole('link', { name: 'To checkout' }).click();
    await locateHeading(page, 'Checkout').waitFor();
    // The cart's announcement is not repeated here, and the remaining time is announced once.
    expect(await page.getByRole('status').textContent()).toBe('');
    const said = await page.locator('body').ariaSnapshot();
    const [, left = ''] = /timer\b.*?(1\d:\d\d)\b/.exec(said) ?? [];
    expect(said.split(left)).toHaveLength(2);
    const pay = page.getByRole('button', { name: /^Pay/ });
    await page.getByLabel('First name').press('Enter');
    expect(await page.getByText('Please fill this in.').count()).toBe(3);
    expect(await page.getByLabel('First name').evaluate((field) => field === field.ownerDocument.activeElement)).toBe(
      true,
    );
    await tellWhoBuys(page);
    // One name is enough.
    await page.getByLabel('First name').fill('');
    await page.getByRole('radio', { name: /Declined/ }).check();
    await pay.click();
    await page.getByText('The payment was declined.').waitFor();
    await page.getByRole('radio', { name: /Accepted/ }).check();
    await pay.dblclick();

    await locateHeading(page, 'Thank you. See you at the show!').waitFor();
    const tickets = page.locator('.ticket');
    await tickets.getByRole('img', { name: 'QR code of the ticket for The Magic Flute' }).nth(1).waitFor();
    expect(await tickets.count()).toBe(2);
    expect(await tickets.getByText('Grace Hopper').count()).toBe(1);
    for (const ticket of await tickets.all()) {
      expect(await ticket.getAttribute('data-barcode')).toMatch(/^[0-9A-Z $%*+\-./:]{150}$/);
    }

    await page.getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the order' }).click();
    await locateHeading(page, 'Your order is cancelled').waitFor();
    expect(await page.locator('.qr').count()).toBe(0);
  });

  story(
    'places without numbers are bought by quantity and tariff, and what one pays is what one sees',
    async (enter) => {
      const { page } = await enter({ at: `${OPERA}/?q=tosca` });
      await page.getByRole('link', { name: /Tosca/ }).click();
      await locateHeading(page, 'Tosca').waitFor();
      await page.getByRole('button', { name: 'One more: Full price, Balcony' }).click();
      await page.getByRole('button', { name: 'One more: Full price, Balcony' }).click();
      await page.getByRole('button', { name: 'One more: Youth and students, Balcony' }).click();
      const sum = await page
        .getByRole('main')
        .getByText(/^3 tickets, /)
        .textContent();
      await page.getByRole('button', { name: 'Add to cart' }).click();
      await page.getByRole('button', { name: 'Remove Balcony' }).nth(2).waitFor();
      expect(`3 tickets, ${await page.locator('.summary .total dd').textContent()}`).toBe(sum);
      await page.getByRole('button', { name: 'Remove Balcony' }).first().click();
      await page.locator('.item').nth(2).waitFor({ state: 'detached' });
      // The checkout shows what has just been changed, however long that takes.
      const asked: string[] = [];
      const released = Promise.withResolvers<void>();
      page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
      await page.route(/\/shopping-cart\/items\//, async (route) => {
        await released.promise;
        await route.continue();
      });
      const before = await page.locator('.summary .total dd').textContent();
      await page.locator('.item select').first().selectOption({ label: 'Youth and students' });
      await page.getByRole('link', { name: 'To checkout' }).click();
      await page.locator('main[aria-busy]').waitFor();
      expect(asked.filter((one) => one.startsWith('GET /tnwr/vexp/shopping-cart'))).toEqual([]);
      released.resolve();
      await tellWhoBuys(page);
      const price = `${await page.locator('.summary .total dd').textContent()}`;
      expect(price).not.toBe(before);
      expect(await page.getByRole('button', { name: /^Pay/ }).textContent()).toContain(price);
      await page.getByRole('radio', { name: /Pending/ }).check();
      await page.getByRole('button', { name: /^Pay/ }).click();
      await locateHeading(page, 'Waiting for your payment').waitFor();
    },
  );

  story('names of one long word widen no page, and nothing moves while it is drawn', async (enter) => {
    const { page } = await enter({ locale: 'de-CH' });
    await page.setViewportSize({ width: 320, height: 640 });
    await page.addInitScript(
      'window.shift = 0; new PerformanceObserver((list) => { for (const one of list.getEntries()) window.shift += one.value; }).observe({ type: "layout-shift", buffered: true })',
    );
    const lengthen = (name: string, value: unknown) =>
      NAMES.includes(name) && typeof value === 'string' ? LONG_WORD : value;
    await page.route(/\/tnwr\//, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: JSON.parse(await response.text(), lengthen) });
    });
    // The first page has the names twice: as text, and as the data of its script.
    await page.route(/\/shop\/[^/]+\/(?:\?|$)/, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(/(data-shop>)(.*?)(<\/script>)/, (_all, start, data, end) =>
        [start, JSON.stringify(JSON.parse(data, lengthen)), end].join(''),
      );
      const named = /(class="(?:card-name|foot-name)">)[^<]+|(<span>)[^<]+(<\/span><\/a>\n<nav)/g;
      const late = body.replace(/(class="logo" src="[^"]+)/, '$1&late');
      await route.fulfill({ response, body: late.replaceAll(named, `$1$2${LONG_WORD}$3`) });
    });
    // The logo comes after all else is seen, and the typeface not at all.
    const fonts = /\.woff2$/;
    await page.route(fonts, (route) => route.abort());
    await page.route(/\/logo\.svg.*&late$/, async (route) => {
      await page.getByText(LONG_WORD).first().waitFor();
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
      await route.continue();
    });
    await page.reload();
    await page.getByText(LONG_WORD).first().waitFor();
    expect(await measureOverflow(page)).toBe(0);
    expect(await page.evaluate('window.shift')).toBeLessThan(0.05);
    await page.unroute(fonts);
    await page.reload();
    await waitForTakeover(page);
    expect(await measureOverflow(page)).toBe(0);
    await page.locator('.card').first().click();
    // A seat that no other story buys.
    await page
      .getByRole('button', { name: /, frei$/ })
      .last()
      .press('Space');
    await page.getByRole('list', { name: 'Gewählte Plätze' }).getByRole('combobox').waitFor();
    expect(await measureOverflow(page)).toBe(0);
    await page.getByRole('button', { name: 'In den Warenkorb' }).click();
    await page.getByRole('link', { name: 'Zur Kasse' }).waitFor();
    expect(await measureOverflow(page)).toBe(0);
    await page.getByRole('link', { name: 'Zur Kasse' }).click();
    await locateHeading(page, 'Kasse').waitFor();
    expect(await measureOverflow(page)).toBe(0);
  });

  story('in another language everything is in that language, what the API says too, and it stays', async (enter) => {
    const { page } = await enter({ locale: 'fr-CH', at: showOf('opera', 'numbered') });
    await locateHeading(page, 'La Flûte enchantée').waitFor();
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await locateHeading(page, 'Die Zauberflöte').waitFor();
    expect(await page.getAttribute('html', 'lang')).toBe('de');
    await page.getByRole('button', { name: 'Reihe C, Platz 4, frei' }).press('Space');
    await page.getByRole('button', { name: 'In den Warenkorb' }).click();
    await locateHeading(page, 'Warenkorb').waitFor();
    await page.getByText('Normalpreis').first().waitFor({ state: 'attached' });
    await page.reload();
    await locateHeading(page, 'Warenkorb').waitFor();
    expect(await page.locator('main').textContent()).not.toMatch(/\b(?:Cart|Checkout|Panier|Paiement|Total des)\b/);
  });

  story('a member sees the member’s price once logged in, and finds the tickets again', async (enter) => {
    const user = product().demo.users.find(
      (one) => one.serviceHost === OPERA && 'member' in one && one.member === true,
    );
    if (!user) throw new Error('the demo data has no member');
    const { page } = await enter({ at: `${OPERA}/?q=tosca` });
    await page.getByRole('link', { name: /Tosca/ }).click();
    await page.getByRole('button', { name: 'One more: Full price' }).first().waitFor();
    expect(await page.getByText('Friends of the opera').count()).toBe(0);

    await page.getByRole('link', { name: 'Log in' }).click();
    await page.getByLabel('Login').fill(user.login);
    await page.getByLabel('Password').fill('not this');
    await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Login and password do not belong together.').waitFor();
    await page.getByLabel('Password').fill(user.password);
    await page.keyboard.press('Enter');
    await locateHeading(page, /^Hello/).waitFor();

    await page.goto(`${product().demo.baseUrl}/shop/${OPERA}/?q=tosca`);
    await page.getByRole('link', { name: /Tosca/ }).click();
    await page.getByRole('button', { name: 'One more: Friends of the opera' }).first().click();
    await page.getByRole('button', { name: 'Add to cart' }).click();
    await page.getByRole('link', { name: 'To checkout' }).click();
    await chooseSimulation(page);
    await page.getByRole('button', { name: /^Pay/ }).click();
    await locateHeading(page, /^Thank you/).waitFor();

    await page.getByRole('link', { name: 'My tickets' }).click();
    await locateHeading(page, /^Hello/).waitFor();
    const ticket = page.locator('.ticket').first();
    await ticket.getByRole('img', { name: /QR code/ }).waitFor();
    await ticket.getByText('Change the name').click();
    await ticket.getByLabel('First name').fill('Clara');
    await ticket.getByLabel('Last name').fill('Schumann');
    await ticket.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Clara Schumann').first().waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await locateHeading(page, 'Log in').waitFor();
  });

  story('another shop sells at its own prices in its own currency', async (enter) => {
    const { page } = await enter({ at: showOf('museum', 'numbered') });
    await locateHeading(page, 'What the river remembers').waitFor();
    expect(await page.locator('.facts').textContent()).toContain('€');
    expect(await page.getByRole('link', { name: 'Deutsch' }).count()).toBe(0);
  });

  story('on the narrowest telephone nothing is cut off, and every control has a name', async (enter) => {
    const { page } = await enter({ width: 360 });
    const seen: Record<string, unknown> = {};
    const look = async (name: string) => {
      seen[name] = [await measureOverflow(page), await listNamelessControls(page), await page.locator('h1').count()];
      const head = await page.locator('.frame-header').boundingBox();
      expect([name, head?.height]).toEqual([name, headHeight]);
    };
    // Two lines for any cart.
    const headHeight = (await page.locator('.frame-header').boundingBox())?.height;
    expect(headHeight).toBeLessThan(110);
    await look('programme');
    await page.goto(`${product().demo.baseUrl}/shop/${showOf('opera', 'numbered')}`);
    await page.getByRole('button', { name: 'Row C, seat 6, free' }).press('Space');
    await look('seat map');
    await page.getByRole('button', { name: 'Add to cart' }).click();
    await locateHeading(page, 'Cart').waitFor();
    await look('cart');
    await page.getByRole('link', { name: 'To checkout' }).click();
    await locateHeading(page, 'Checkout').waitFor();
    await look('checkout');
    await tellWhoBuys(page);
    await page.getByRole('button', { name: /^Pay/ }).click();
    await page.locator('.qr').waitFor();
    await look('tickets');
    for (const [name, found] of Object.entries(seen)) expect([name, found]).toEqual([name, [0, [], 1]]);
  });
}
