import { expect } from '@jest/globals';
import { chooseSimulation, OPERA, type ShopFixture } from '../shop-fixture.ts';
import { listNamelessControls, measureOverflow } from '../visit.ts';

/** What is said of two of them in a language, and the words of shows in it, which are not. */
const SPOKEN = [
  {
    locale: 'en-GB',
    type: 'membership',
    show: /\b(?:tickets?|places?|seats?|evening|performance)\b/i,
    valid: /^Valid: .* – .* · /,
    ...{ things: '2 memberships', whom: 'Who is it for? (optional)', thanks: 'Thank you. Your order is confirmed.' },
    ...{ code: 'Show the code when you come', linked: 'Your order', calendar: 'Add to calendar' },
  },
  {
    locale: 'de-CH',
    type: 'goods',
    show: /Karten?\b|Pl[aä]tze?\b|Vorstellung|Abend/,
    valid: /^Erhältlich: .* – .* · /,
    ...{ things: '2 Stück', whom: undefined, thanks: 'Danke, Ihre Bestellung ist bestätigt.' },
    ...{ code: 'Zeigen Sie beim Abholen den Code', linked: 'Ihre Bestellung', calendar: 'In den Kalender' },
  },
  {
    locale: 'fr-CH',
    type: 'pass',
    show: /\bbillets?\b|\bplaces\b|spectacle|soirée/i,
    valid: /^Validité\u202f: .* – .* · /,
    ...{
      things: '2 pass',
      whom: 'Pour qui\u202f? (facultatif)',
      thanks: 'Merci, votre commande est confirmée.',
    },
    ...{ code: 'Présentez le code sur place', linked: 'Votre commande', calendar: 'Ajouter à l’agenda' },
  },
] as const;

/** Stories of goods, memberships and passes, of which every page speaks as such. */
export function describeOtherThanShows({ product, story }: ShopFixture): void {
  for (const { locale, type, show, valid, things, whom, thanks, code, linked, calendar } of SPOKEN)
    story(`in ${locale}, what is bought of the type ${type} is nowhere called a ticket for a show`, async (enter) => {
      const { page } = await enter({ locale, width: 390, at: `${OPERA}/?type=${type}` });
      const main = page.getByRole('main');
      const look = async (name: string) => {
        // Addresses are those of the opera's tickets.
        const said = (await main.ariaSnapshot()).replaceAll(/(?:\/url: |https:)\S+/g, '').match(show)?.[0];
        expect([name, said, await measureOverflow(page), await listNamelessControls(page)]).toEqual([
          name,
          undefined,
          0,
          [],
        ]);
      };
      await page.locator('.card').first().click();
      await page.locator('.stepper button').last().click();
      await page.locator('.stepper button').last().click();
      await main.getByText(new RegExp(`^${things}, `)).waitFor();
      await look('product');
      await page.locator('.sum .button').click();

      await page.locator('.item').nth(1).waitFor();
      expect(await page.locator('[data-cart]').textContent()).toContain(things);
      expect(await main.locator('.when').textContent()).toMatch(valid);
      expect(await main.locator('.beneficiary legend').allTextContents()).toEqual(whom ? [whom, whom] : []);
      await look('cart');
      await page.locator('.summary a.button').click();

      await page.locator('[autocomplete=given-name]').fill('Ada');
      await page.locator('[autocomplete=email]').fill('ada@example.org');
      await page.locator('.lines').getByText(things).waitFor();
      await look('checkout');
      await chooseSimulation(page);
      await page.locator('.summary .button').click();

      await page.getByRole('heading', { level: 1, name: thanks }).waitFor();
      await page.locator('.qr').nth(1).waitFor();
      await main.getByText(code).waitFor();
      expect(await main.locator('.ticket .when').first().textContent()).toMatch(valid);
      expect(await page.getByRole('button', { name: calendar }).count()).toBe(0);
      await look('order');
      const link = await page.locator('.keep-link').inputValue();

      await page.goto(`${product().demo.baseUrl}/shop/${OPERA}/account`);
      await main.locator('li').getByText(things).waitFor();
      await page.goto(link);
      await page.getByRole('heading', { level: 1, name: linked }).waitFor();
      await page.locator('.qr').nth(1).waitFor();
      expect(await page.getByRole('button', { name: calendar }).count()).toBe(0);
      await look('link');
    });
}
