import { waitUntil } from '@boxoffice/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { must, usePartner, useProduct } from '../product.ts';
import { executablePath } from '../shop/visit.ts';
import { beginAt, type Evening, faultsOf, openBrowser, openPhone, type Phone, sellEvening } from './doors.ts';

const STORY_MS = 600_000;

const suite = executablePath ? describe : describe.skip;
if (suite === describe.skip) process.stdout.write('skipped: the door needs a browser\n');

const WORDS = {
  'en-GB': { let: 'Let in', again: 'Already inside', not: 'Do not let in', door: 'door North' },
  'de-CH': { let: 'Einlassen', again: 'Schon eingelassen', not: 'Nicht einlassen', door: 'Eingang North' },
  'fr-CH': { let: 'Laisser entrer', again: 'Déjà entré', not: 'Ne pas laisser entrer', door: 'porte North' },
} as const;

suite('stewards control tickets', () => {
  const product = useProduct();
  const partner = usePartner(product);
  let browser: Browser;
  let tonight: Evening;
  let other: Evening;
  const phones: Phone[] = [];
  let next = 0;

  beforeAll(async () => {
    browser = await openBrowser();
    tonight = await sellEvening(partner, 'The Magic Flute', 40);
    other = await sellEvening(partner, 'Carmen', 1);
  }, STORY_MS);
  afterAll(async () => {
    await browser?.close();
  });

  /** A ticket of tonight that no other story uses. */
  const fresh = () => {
    next += 1;
    return tonight.tickets[next - 1] as Evening['tickets'][number];
  };
  const phoneAt = async (gate: string, options = {}): Promise<Phone> => {
    const phone = await openPhone(browser, product, options);
    phones.push(phone);
    await beginAt(phone, product, [tonight], gate);
    return phone;
  };
  const ticketOf = ({ id }: { id: string }) => must(partner, `/svc/v3/tickets/${id}`);
  const isPending = (phone: Phone) => phone.page.locator('.link', { hasText: /scans? wait/ });

  test.each(Object.entries(WORDS))(
    'in %s a ticket is admitted, refused the second time, taken back and admitted again',
    async (locale, words) => {
      const [phone, ticket] = [await phoneAt('North', { locale }), fresh()];
      await phone.read(ticket.barcode);
      // A server that takes longer than a second is not waited for; the page says so in a further sentence.
      expect(await phone.result()).toContain(`green: ${words.let} ${ticket.place}`);
      await phone.read(`]Q1${ticket.barcode}`);
      expect(await phone.result()).toMatch(new RegExp(`^amber: ${words.again} ${ticket.place} .*, ${words.door}\\.`));
      await phone.read('scribble');
      expect(await phone.result()).toContain(`red: ${words.not}`);
      await phone.page.locator('.tools button').nth(2).click();
      await phone.page.locator('dialog button').first().click();
      await waitUntil(async () => (await ticketOf(ticket)).status === 'printed', {
        what: 'reversal',
        withinMs: 180_000,
      });
      await phone.page.locator('.tools button').nth(1).click();
      await phone.page.locator('dialog input').fill(ticket.id.toUpperCase().slice(4));
      await phone.page.locator('dialog button').first().click();
      expect(await phone.result()).toContain(`green: ${words.let} ${ticket.place}`);
      await waitUntil(async () => (await ticketOf(ticket)).gate === 'North', { what: 'control', withinMs: 180_000 });
      expect((await ticketOf(ticket)).status).toBe('controlled');
      await phone.read(other.tickets[0]?.barcode ?? '');
      expect(await phone.result()).toContain(`amber: ${words.not}`);
      await phone.close();
    },
    STORY_MS,
  );

  test(
    'without a network the phone decides, also after a reload, and sends what it admitted',
    async () => {
      const [phone, ticket, second] = [await phoneAt('North'), fresh(), fresh()];
      await phone.setOffline(true);
      await phone.read(ticket.barcode);
      expect(await phone.result()).toBe(`green: Let in ${ticket.place} Decided without the network.`);
      await phone.read(ticket.barcode);
      expect(await phone.result()).toContain('amber: Already inside');
      await isPending(phone).waitFor();
      expect(await phone.page.locator('.link').textContent()).toContain('No network');
      await phone.read(second.barcode);
      expect(await phone.result()).toContain('green: Let in');
      // The browser ends the page before the network is back.
      await phone.page.close();
      await phone.setOffline(false);
      expect((await ticketOf(ticket)).status).toBe('printed');
      const again = await phone.reopen();
      await waitUntil(async () => (await ticketOf(second)).status === 'controlled', {
        what: 'sending',
        withinMs: 180_000,
      });
      await isPending(again).waitFor({ state: 'hidden' });
      const { items } = await must(
        partner,
        `/svc/v3/tickets/controls?performanceId=${tonight.performanceId}&limit=500`,
      );
      const own = items.filter(({ ticketId }: { ticketId: string }) => [ticket.id, second.id].includes(ticketId));
      expect(own).toMatchObject([
        { ticketId: ticket.id, result: 'admitted', offline: true, gate: 'North' },
        { ticketId: second.id, result: 'admitted', offline: true },
      ]);
      expect(again.complaints).toEqual([]);
      await again.close();
    },
    STORY_MS,
  );

  test(
    'of two doors that admitted one ticket without a network the later one is told so',
    async () => {
      const [north, south, ticket] = [await phoneAt('North'), await phoneAt('South'), fresh()];
      for (const phone of [north, south]) {
        await phone.setOffline(true);
        await phone.read(ticket.barcode);
        expect(await phone.result()).toContain('green: Let in');
      }
      await south.setOffline(false);
      await waitUntil(async () => (await ticketOf(ticket)).gate === 'South', { what: 'South', withinMs: 180_000 });
      await north.setOffline(false);
      await waitUntil(async () => (await ticketOf(ticket)).gate === 'North', { what: 'North', withinMs: 180_000 });
      await south.page.getByRole('button', { name: 'What turned out later' }).click();
      await south.page.getByText(`${ticket.place}, let in at`).waitFor();
      expect(await south.page.locator('section.warning').textContent()).toContain('door North');
      expect(await faultsOf(south.page)).toEqual([]);
      await south.page.getByRole('button', { name: 'Read' }).click();
      await south.page.locator('section.warning').waitFor({ state: 'detached' });
      expect(await north.page.getByRole('button', { name: 'What turned out later' }).isVisible()).toBe(false);
      for (const phone of [north, south]) await phone.close();
    },
    STORY_MS,
  );

  test.each([
    ['light', 360],
    ['dark', 360],
    // As at 200 % zoom.
    ['light', 180],
  ] as const)(
    'axe-core finds nothing in %s at %d pixels',
    async (colorScheme, width) => {
      const phone = await openPhone(browser, product, { colorScheme, width });
      const { page } = phone;
      expect(await faultsOf(page)).toEqual([]);
      await beginAt(phone, product, [tonight], 'East');
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Number' }).click();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Cancel' }).click();
      for (const barcode of [fresh().barcode, 'scribble', other.tickets[0]?.barcode ?? '']) {
        await phone.read(barcode);
        await page.locator('.band').waitFor();
        expect(await faultsOf(page)).toEqual([]);
      }
      await phone.result();
      await page.getByRole('button', { name: 'Evening' }).click();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Other door' }).click();
      await page.locator('input[name=gate]').waitFor();
      expect(await faultsOf(page)).toEqual([]);
      expect(phone.complaints).toEqual([]);
      await phone.close();
    },
    STORY_MS,
  );

  test(
    'signing out deletes what the phone has kept, after a question',
    async () => {
      const phone = await phoneAt('North');
      const { page } = phone;
      await phone.setOffline(true);
      await phone.read(fresh().barcode);
      await phone.result();
      await page.getByRole('button', { name: 'Evening' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('1 scan is not sent yet and would be lost.').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await phone.setOffline(false);
      await page.getByRole('button', { name: 'Back to scanning' }).click();
      await isPending(phone).waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Evening' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.locator('dialog').getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: /^Sign in: Opéra/ }).waitFor();
      const kept = 'indexedDB.databases().then((all) => [all.length, localStorage.length, sessionStorage.length])';
      expect(await page.evaluate(kept)).toEqual([0, 0, 0]);
      await phone.close();
    },
    STORY_MS,
  );
});
