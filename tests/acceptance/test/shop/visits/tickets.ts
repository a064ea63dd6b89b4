import { readFileSync } from 'node:fs';
import { openClient, openVisitor, waitUntil } from '@boxoffice/testkit';
import { expect } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { locateHeading, OPERA, type ShopFixture } from '../shop-fixture.ts';
import { getTexts, holdNext, listNamelessControls, measureOverflow, waitForTakeover } from '../visit.ts';

/** Stories of tickets that outlive the browser in which they were bought. */
export function describeTicketLinks({ product, story }: ShopFixture): void {
  /** Buys two places as a guest, without a browser. */
  const buy = async () => {
    const { performanceId, productId } = product().demo.fixtures.opera?.numbered ?? {};
    const guest = openVisitor(openClient(product().address), OPERA);
    const call = async (path: string, body?: object) => {
      const reply = await guest(`/tnwr/vexp${path}`, { method: body ? 'POST' : 'GET', body });
      if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.text}`);
      return reply;
    };
    const { performances } = (await call(`/products/${productId}`)).body.data;
    const { seatCategories } = performances.find(({ id }: { id: string }) => id === performanceId);
    const [{ id: seatCategoryId, prices }] = seatCategories;
    const item = { performanceId, seatCategoryId, tariffId: prices[0].tariffId, quantity: 2 };
    const session = String((await call('/shopping-cart/items', item)).headers['x-auth-token']);
    const contact = { firstName: 'Ada', email: 'ada@guests.example' };
    const { data } = (await call('/orders', { contact, paymentMethod: 'simulated', paymentToken: 'ok' })).body;
    return { id: String(data.id), number: String(data.number), session, call };
  };

  const cookieOf = (session: string) => ({
    name: `boxoffice.session.${OPERA}`,
    value: session,
    url: `${product().demo.baseUrl}/shop/`,
  });

  story('a guest keeps the tickets by their link, which works in another browser and language', async (enter) => {
    const order = await buy();
    const { page } = await enter({ at: `${OPERA}/` });
    await page.context().addCookies([cookieOf(order.session)]);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${product().demo.baseUrl}/shop/${OPERA}/order/${order.id}?new`);
    await locateHeading(page, 'Thank you. See you at the show!').waitFor();
    await page.getByText(`Order ${order.number}`).waitFor();
    const url = await page.getByRole('textbox', { name: 'Link to your tickets' }).inputValue();
    expect(url).toMatch(new RegExp(`^https://[^#]+/shop/${OPERA}/ticket-link#[A-Za-z0-9_-]{43}$`));
    await page.getByRole('button', { name: 'Copy the link' }).click();
    await page.getByRole('status').getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(url);
    expect(await listNamelessControls(page)).toEqual([]);

    const [, fragment = ''] = url.split('#');
    const { page: laptop } = await enter({ at: `${OPERA}/ticket-link#${fragment}`, width: 390 });
    await locateHeading(laptop, 'Your tickets').waitFor();
    expect(laptop.url()).not.toContain(fragment.slice(0, 8));
    expect(await laptop.context().cookies()).toEqual([]);
    const codes = laptop.getByRole('img', { name: /^QR code of the ticket/ });
    await codes.nth(1).waitFor();
    expect(await codes.count()).toBe(2);
    await laptop.getByRole('button', { name: 'Cancel the order' }).waitFor();
    expect([await measureOverflow(laptop), await listNamelessControls(laptop)]).toEqual([0, []]);

    const pdf = await savedBy(laptop, 'Download all tickets (PDF)');
    expect([pdf.name, pdf.content.subarray(0, 5).toString()]).toEqual([`${order.number}.pdf`, '%PDF-']);
    const dates = await savedBy(laptop, 'Add to calendar');
    expect(dates.name).toBe(`${order.number}.ics`);
    const events = dates.content.toString().replaceAll('\r\n ', '').split('\r\n');
    expect(events.filter((line) => line === 'BEGIN:VEVENT')).toHaveLength(1);
    expect(events.find((line) => line.startsWith('UID:'))).toMatch(new RegExp(`^UID:${order.id}\\.prf_\\w+@${OPERA}$`));

    // The tab has the token, the address has not: the page can be loaded again, and in another language.
    await laptop.reload();
    await locateHeading(laptop, 'Your tickets').waitFor();
    await laptop.getByRole('link', { name: 'Deutsch' }).click();
    await locateHeading(laptop, 'Ihre Karten').waitFor();
    // The chosen language stays.
    await laptop.goBack();
    await locateHeading(laptop, 'Ihre Karten').waitFor();
    expect(laptop.url()).not.toContain('#');
  });

  story('a guest cancels by the link of an order, without a session and after a question', async (enter) => {
    const order = await buy();
    const { token } = (await order.call(`/orders/${order.id}/links`, {})).body.data;
    const { page } = await enter({ at: `${OPERA}/ticket-link#${token}`, width: 320 });
    await locateHeading(page, 'Your tickets').waitFor();
    await page.getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click();
    expect(await locateHeading(page, 'Your tickets').count()).toBe(1);
    await page.getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the order' }).click();
    await page.locator('.order[data-state="cancelled"]').waitFor();
    expect(await page.getByRole('button', { name: 'Cancel the order' }).count()).toBe(0);
    expect([await measureOverflow(page), await listNamelessControls(page)]).toEqual([0, []]);
    expect(await page.context().cookies()).toEqual([]);
  });

  // Three requests of this machine's address, of the five that it has an hour.
  for (const locale of ['en-GB', 'de-CH', 'fr-CH']) {
    story(`a guest gets a lost link again by mail, in ${locale}`, async (enter) => {
      const t = getTexts('pos', locale);
      const order = await buy();
      const { page } = await enter({ at: `${OPERA}/ticket-link`, locale, width: 320 });
      await locateHeading(page, t('linkOverTitle')).waitFor();
      const ways = page.getByRole('link', { name: t('lostLink') });
      expect(await ways.count()).toBe(2);
      await ways.first().click();
      await locateHeading(page, t('lostLink')).waitFor();
      expect([await measureOverflow(page), await listNamelessControls(page)]).toEqual([0, []]);
      await page.getByRole('button', { name: t('lostLinkSend') }).click();
      expect(await page.getByText(t('required')).count()).toBe(2);
      await page.getByLabel(t('email')).fill(' ADA@guests.example ');
      await page.getByLabel(t('lostLinkNumber')).fill(order.number.toUpperCase());
      await page.getByRole('button', { name: t('lostLinkSend') }).click();
      await locateHeading(page, t('lostLinkAskedTitle')).waitFor();
      expect([await measureOverflow(page), await listNamelessControls(page)]).toEqual([0, []]);
      expect(await page.context().cookies()).toEqual([]);

      const mails = page.getByRole('listitem').filter({ hasText: order.number }).getByRole('link');
      const newest = async (): Promise<string> => {
        await page.goto(`${product().demo.baseUrl}/shop/outbox`);
        return (await mails.allTextContents()).find((subject) => /Link zu|link to|lien vers/.test(subject)) ?? '';
      };
      await waitUntil(async () => (await newest()) !== '', { what: 'the mail with the link', withinMs: 150_000 });
      await mails.filter({ hasText: /Link zu|link to|lien vers/ }).click();
      await page.locator('a[href*="/ticket-link#"]').click();
      await waitForTakeover(page);
      await locateHeading(page, t('linkedTitle')).waitFor();
      await page.getByText(order.number).first().waitFor();
    });
  }

  story('the login page leads to a lost link', async (enter) => {
    const { page } = await enter({ at: `${OPERA}/account`, width: 320 });
    await page.getByRole('main').getByRole('link', { name: 'I lost the link to my order' }).click();
    await locateHeading(page, 'I lost the link to my order').waitFor();
  });

  story('the link of an order says that it is cancelled, also by its session', async (enter) => {
    const order = await buy();
    const { token } = (await order.call(`/orders/${order.id}/links`, {})).body.data;
    const { page } = await enter({ at: `${OPERA}/`, locale: 'fr-CH' });
    await page.context().addCookies([cookieOf(order.session)]);
    await page.goto(`${product().demo.baseUrl}/shop/${OPERA}/ticket-link#${token}`);
    await locateHeading(page, 'Vos billets').waitFor();
    // With the codes the page asks no more.
    await page.locator('.qr').nth(1).waitFor();
    // While a ticket lacks its code, the page asks again; what was answered before the cancellation says nothing then.
    const own = new RegExp(`/vexp/orders/${order.id}\\?`);
    const lackCodes = async (route: Route) => {
      const response = await route.fetch();
      const json = JSON.parse(await response.text(), (name, value) => (name === 'barcode' ? null : value));
      await route.fulfill({ response, json });
    };
    const polled = await holdNext(page, own);
    await page.route(own, lackCodes, { times: 1 });
    await page.goto(`${product().demo.baseUrl}/shop/${OPERA}/order/${order.id}`);
    await polled.asked;
    await page.getByRole('button', { name: 'Annuler la commande' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Annuler la commande' }).click();
    await locateHeading(page, 'Votre commande est annulée').waitFor();
    await polled.release();
    expect(await locateHeading(page, 'Votre commande est annulée').count()).toBe(1);
    await page.goBack();
    await locateHeading(page, 'Votre commande est annulée').waitFor();
    expect(await page.locator('.ticket.is-void').count()).toBe(2);
    expect(await page.locator('.qr').count()).toBe(0);
    for (const name of ['Télécharger tous les billets (PDF)', 'Ajouter à l’agenda', 'Copier le lien'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
  });

  story('a link that is incomplete or over shows no tickets, and says so', async (enter) => {
    const { page } = await enter({ at: `${OPERA}/ticket-link#${'x'.repeat(43)}`, locale: 'de-CH' });
    await locateHeading(page, 'Dieser Link zeigt keine Karten').waitFor();
    const { page: empty } = await enter({ at: `${OPERA}/ticket-link` });
    await locateHeading(empty, 'This link shows no tickets').waitFor();
    expect(await listNamelessControls(empty)).toEqual([]);
  });
}

/** The content of the file that a button saves. */
const savedBy = async (page: Page, button: string): Promise<{ readonly name: string; readonly content: Buffer }> => {
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).click();
  const download = await saved;
  return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
};

const DAY_MS = 86_400_000;

/** Stories of what a login owns. */
export function describeBelongings({ product, story, showOf }: ShopFixture): void {
  /** A ticket as the API returns it. */
  const ticket = (id: string, status: string, startDate: string) => ({
    id,
    status,
    orderId: 'ord_1',
    performanceId: 'prf_1',
    productId: showOf('opera', 'numbered').slice(`${OPERA}/show/`.length),
    startDate,
    seatCategoryId: 'cat_1',
    place: { id: 'plc_1', label: 'A1', row: 'A', seat: 1 },
    tariffId: 'trf_1',
    price: 14_500,
    currency: 'CHF',
    beneficiaryFirstName: null,
    beneficiaryLastName: null,
    barcode: `barcode.of.${id}`,
  });

  story(
    'valid tickets come first, all others are folded away, and each says its state in the language',
    async (enter) => {
      const user = product().demo.users.find(({ serviceHost }) => serviceHost === OPERA);
      if (!user) throw new Error('the demo data has no user');
      const { page } = await enter({ locale: 'en-US', at: `${OPERA}/account` });
      const tickets = [
        ticket('tic_past', 'not_printed', inDays(-30)),
        ticket('tic_used', 'controlled', inDays(-20)),
        ticket('tic_cancelled', 'cancelled', inDays(10)),
        ticket('tic_replaced', 'invalidated', inDays(20)),
        ticket('tic_printed', 'printed', inDays(20)),
        ticket('tic_valid', 'not_printed', inDays(30)),
      ];
      await page.route(/\/tnwr\/vexp\/tickets\?/, (route) =>
        route.fulfill({
          headers: { 'X-Total-Amount': `${tickets.length}` },
          json: { success: true, data: Object.fromEntries(tickets.map((one) => [one.id, one])) },
        }),
      );
      await page.getByLabel('Login').fill(user.login);
      await page.getByLabel('Password').fill(user.password);
      await page.keyboard.press('Enter');
      await locateHeading(page, /^Hello/).waitFor();

      const cards = page.locator('.ticket');
      const barcodes = await cards.evaluateAll((all) => all.map((card) => card.getAttribute('data-barcode')));
      expect(barcodes).toEqual(['barcode.of.tic_printed', null]);
      const words = async () => ({
        valid: (await cards.locator('.ticket-state').allTextContents()).map((text) => text.trim()),
        others: await page.locator('.other-tickets .badge').allTextContents(),
      });
      const unfold = async (name: string) => {
        await page.getByText(name).click();
        await page.locator('.other-tickets li').nth(3).waitFor();
      };
      await unfold('Past, replaced or cancelled: 4 tickets');
      expect(await words()).toEqual({
        valid: ['Valid', 'To be collected at the box office'],
        others: ['Replaced', 'Cancelled', 'Used', 'Not used'],
      });
      await page.getByRole('link', { name: 'Deutsch' }).click();
      await unfold('Vergangen, ersetzt oder storniert: 4 Karten');
      expect(await words()).toEqual({
        valid: ['Gültig', 'An der Kasse abzuholen'],
        others: ['Ersetzt', 'Storniert', 'Benutzt', 'Nicht benutzt'],
      });
      await page.getByRole('link', { name: 'Français' }).click();
      await unfold('Passés, remplacés ou annulés : 4 billets');
      expect(await words()).toEqual({
        valid: ['Valable', 'À retirer au guichet'],
        others: ['Remplacé', 'Annulé', 'Utilisé', 'Non utilisé'],
      });
    },
  );
}

const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
