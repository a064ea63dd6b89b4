import { expect, test } from '@jest/globals';
import { authorised, clientOf } from '../../src/client.ts';
import { heading, inAHouse, OPERA, takeASeat, tellWhoBuys } from './house.ts';

inAHouse('what goes wrong is told in words', ({ product, enter, showOf }) => {
  test('a sold-out show says so and offers nothing to buy', async () => {
    const { page } = await enter({ at: showOf('opera', 'soldOut') });
    await heading(page, 'Carmen').waitFor();
    await page.getByRole('heading', { name: 'Sold out' }).waitFor();
    expect(await page.getByRole('button', { name: 'Add to cart' }).count()).toBe(0);
    await page.goto(`${product().demo.baseUrl}/shop/#/?q=carmen`);
    await page.locator('.card', { hasText: 'Carmen' }).getByText('Sold out').waitFor();
  }, 60_000);

  test('the last places are offered as such, and more than there are cannot be wanted', async () => {
    const { page } = await enter({ at: showOf('opera', 'twoLeft') });
    await page.getByText('2 places left').waitFor();
    const more = page.getByRole('button', { name: 'One more: Full price' });
    await more.click();
    await more.click();
    expect(await more.isDisabled()).toBe(true);
    expect(await page.getByText('Last tickets').count()).toBe(1);
  }, 60_000);

  test('an expired cart says so, and the next choice begins a new one', async () => {
    const full = await authorised(product(), 'opera', 'full');
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
      holdMinutes: 0.1,
    };
    expect((await full('/svc/v3/catalog/points-of-sale', { method: 'POST', body: given })).status).toBe(201);

    const { page } = await enter({ at: `?host=${serviceHost}${showOf('opera', 'numbered')}` });
    await takeASeat(page);
    await heading(page, 'Cart').waitFor();
    await heading(page, 'Your time has run out').waitFor();
    expect(await page.getByRole('link', { name: 'To checkout' }).count()).toBe(0);
    await page.goto(`${product().demo.baseUrl}/shop/?host=${serviceHost}${showOf('opera', 'numbered')}`);
    await takeASeat(page);
    await heading(page, 'Cart').waitFor();
  }, 60_000);

  test('whoever comes second is told that somebody was faster, and sees the seat taken', async () => {
    const at = showOf('opera', 'numbered');
    const [slow, quick] = [(await enter({ at })).page, (await enter({ at })).page];
    const seat = (page: typeof slow) => page.getByRole('button', { name: /^Row H, seat 7,/ });
    await seat(slow).click();
    await seat(quick).click();
    await quick.getByRole('button', { name: 'Add to cart' }).click();
    await heading(quick, 'Cart').waitFor();
    await slow.getByRole('button', { name: 'Add to cart' }).click();
    await slow.getByText('Somebody was faster: these places are no longer free.').waitFor();
    await slow.getByRole('button', { name: 'Row H, seat 7, taken' }).waitFor();
    expect(await slow.getByRole('button', { name: 'Add to cart' }).isDisabled()).toBe(true);
  }, 60_000);

  test('an answer that is lost on its way buys once', async () => {
    const { page } = await enter({ at: showOf('opera', 'numbered') });
    await takeASeat(page);
    await page.getByRole('link', { name: 'To checkout' }).click();
    await tellWhoBuys(page);
    const keys: (string | undefined)[] = [];
    await page.route('**/tnwr/v1/orders?*', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      const reply = await route.fetch();
      if (keys.length === 1) await route.abort('connectionreset');
      else await route.fulfill({ response: reply });
    });
    const pay = page.getByRole('button', { name: /^Pay/ });
    await pay.click();
    await page.getByText('The box office cannot be reached.').waitFor();
    await pay.click();
    await heading(page, /^Thank you/).waitFor();
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    await page.unroute('**/tnwr/v1/orders?*');
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Orders of this visit' }).waitFor();
    expect(await page.locator('.orders li').count()).toBe(1);
  }, 60_000);

  test('a session that has ended is told to who loses something by it, and the shop goes on', async () => {
    const { page } = await enter({ at: showOf('opera', 'numbered') });
    await takeASeat(page);
    await heading(page, 'Cart').waitFor();
    const token = await page.evaluate((key) => sessionStorage.getItem(key), `boxoffice.token.${OPERA}`);
    const headers = { 'x-service-host': OPERA, 'x-auth-token': `${token}` };
    expect((await clientOf(product())('/tnwr/v1/sessions/current', { method: 'DELETE', headers })).status).toBe(200);
    await page.getByRole('link', { name: 'Programme' }).click();
    await page.getByText('Your session has ended. Please start again.').waitFor();
    await page.locator('.card').nth(23).waitFor();
    await page.goto(`${product().demo.baseUrl}/shop/${showOf('opera', 'numbered')}`);
    await takeASeat(page);
    await heading(page, 'Cart').waitFor();
  }, 60_000);

  test('what does not exist has a page that leads back', async () => {
    const { page } = await enter({ at: '#/show/prd_nothing' });
    await heading(page, 'This page is not on the bill').waitFor();
    await page.getByRole('link', { name: 'To the programme' }).click();
    await heading(page, 'The season').waitFor();
  }, 60_000);
});
