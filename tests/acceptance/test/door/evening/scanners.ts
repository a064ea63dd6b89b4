import { openClient, waitUntil } from '@boxoffice/testkit';
import { expect } from '@jest/globals';
import { must } from '../../product.ts';
import type { Scene } from '../camera-film.ts';
import type { Door } from '../door-fixture.ts';
import { beginAt } from '../doors.ts';
import { scanAs } from '../hand-scanner.ts';

/** How a barcode is held before the camera, and whether it can be read like that. */
const SIGHTS: readonly (Omit<Scene, 'barcode' | 'seconds'> & { readonly isRead: boolean })[] = [
  { isRead: true },
  { turned: 37, isRead: true },
  { blurred: 2, isRead: true },
  { scale: 0.75, isRead: true },
  { scale: 0.75, turned: 190, blurred: 1, isRead: true },
  { inverted: true, isRead: true },
  // Out of focus.
  { blurred: 9, isRead: false },
];

/** What the camera sees, of the first tickets of tonight. */
export const FILM = SIGHTS.map(({ isRead: _, ...sight }) => ({ ...sight, seconds: 1 }));

const SESSION = "localStorage.getItem('boxoffice.door.session')";

/** Stories of cameras and hand scanners, and of who may use them. */
export const scanners = (door: Door): void => {
  const { product, partner, story, tonight, fresh, open, openFilmed, phoneAt, ticketOf, becomes } = door;

  story(
    'a camera reads codes sharp, turned, blurred, smaller and white on black, once while they are there',
    async () => {
      const phone = await openFilmed({ locale: 'de-CH', permissions: ['camera'] });
      await beginAt(phone, product, [tonight()], 'Camera');
      const { tickets, performanceId } = tonight();
      const [legible, others] = [true, false].map((wanted) => tickets.filter((_, at) => SIGHTS[at]?.isRead === wanted));
      for (const ticket of legible ?? []) await becomes(ticket, 'gate', 'Camera');
      // The film begins anew, with codes that were out of the picture for longer than three seconds.
      const scanned = async (wanted: string): Promise<string[]> => {
        const { items } = await must(partner, `/svc/v3/tickets/controls?performanceId=${performanceId}&limit=500`);
        const here = items.filter(({ gate, result }: Record<string, string>) => gate === 'Camera' && result === wanted);
        return [...new Set<string>(here.map(({ ticketId }: Record<string, string>) => ticketId))].sort();
      };
      await waitUntil(async () => (await scanned('repeated')).length > 0, {
        what: 'the second showing',
        withinMs: 120_000,
      });
      expect(await scanned('admitted')).toEqual(legible?.map(({ id }) => id).sort());
      // Nobody reads what nobody could: the other pictures are read because the decoder is good.
      for (const ticket of others ?? []) expect((await ticketOf(ticket)).status).toBe('printed');
      expect(phone.complaints).toEqual([]);
      await phone.close();
    },
  );

  story('without permission, or without a camera, the page says so, and the hand scanner goes on', async () => {
    const phones = [
      [await openFilmed({ locale: 'fr-CH' }), 'camera.denied'],
      [await open({ locale: 'de-CH', permissions: ['camera'] }), 'camera.missing'],
    ] as const;
    for (const [phone, message] of phones) {
      const ticket = fresh();
      await beginAt(phone, product, [tonight()], 'Hand');
      await phone.page.getByText(phone.t(message)).waitFor();
      await phone.read(ticket.barcode);
      await becomes(ticket, 'gate', 'Hand');
      await phone.close();
    }
  });

  story('a hand scanner that is set to another layout than the device; the signature says which', async () => {
    const phone = await phoneAt('Layout', { locale: 'de-CH' });
    for (const layout of ['de-CH', 'fr']) {
      const ticket = fresh();
      await scanAs(phone.page, layout, ticket.barcode);
      await becomes(ticket, 'gate', 'Layout');
    }
    await phone.close();
  });

  story(
    'a steward stays signed in after the page was closed, until the session is ended, and signs in again',
    async () => {
      const [phone, ticket] = [await phoneAt('Again', { locale: 'fr-CH' }), fresh()];
      expect(phone.page.url()).toBe(`${product.demo.baseUrl}/door/`);
      await phone.page.close();
      const again = await phone.reopen();
      // Keys count once the page for scanning is there.
      await again.page.locator('.link').waitFor();
      await again.read(ticket.barcode);
      await becomes(ticket, 'gate', 'Again');
      const { refreshToken, clientId } = JSON.parse(String(await again.page.evaluate(SESSION)));
      const body = new URLSearchParams({ token: refreshToken, client_id: clientId });
      expect((await openClient(product.address)('/auth/revoke', { method: 'POST', body })).status).toBe(200);
      await again.page.getByRole('button', { name: again.t('signInAgain'), exact: true }).click();
      // The password, although the browser has a session of the authorizer.
      await again.page.locator('input[name=password]').waitFor();
      await again.close();
    },
  );

  story('a user whose role may not control tickets is told so', async () => {
    const { page, t } = await open({ locale: 'de-CH' });
    const customer = product.demo.apiUsers.find(
      ({ institution, role }) => institution === 'opera' && role === 'customer',
    );
    await page.getByRole('button', { name: /Opéra/ }).click();
    await page.locator('input[name=login]').fill(String(customer?.login));
    await page.locator('input[name=password]').fill(String(customer?.password));
    await page.locator('button[type=submit]').first().click();
    await page.getByRole('alert').getByText(t('signInErrors.role')).waitFor();
    expect(await page.evaluate(SESSION)).toBeNull();
    await page.context().close();
  });
};
