import { expect } from '@jest/globals';
import { heading, OPERA, type ShopFixture } from '../shop-fixture.ts';

const DAY_MS = 86_400_000;
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

/** Stories of what a login owns. */
export const belongings = ({ product, story, showOf }: ShopFixture): void => {
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
      await heading(page, /^Hello/).waitFor();

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
};
