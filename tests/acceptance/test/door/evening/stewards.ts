import { expect } from '@jest/globals';
import { must } from '../../product.ts';
import type { Door } from '../door-fixture.ts';
import { beginAt, faultsOf, type Phone } from '../doors.ts';

/** While scans wait, the line about the network has a third part. */
const isPending = ({ page }: Phone) => page.locator('.link', { hasText: / · .* · / });

const press = ({ page, t }: Phone, name: string) => page.getByRole('button', { name: t(name), exact: true }).click();

/** Stories of tickets that are controlled, of networks that go and come, and of all pages. */
export const stewards = (door: Door): void => {
  const { product, partner, story, tonight, stranger, fresh, phoneAt, ticketOf, becomes } = door;

  story('a ticket is admitted, refused the second time, taken back and admitted again', async () => {
    const [phone, ticket] = [await phoneAt('North'), fresh()];
    const { page, t } = phone;
    const letIn = `green: ${t('results.admitted')} ${ticket.place}`;
    await phone.read(ticket.barcode);
    // A server that takes longer than a second is not waited for; the page says so in a further sentence.
    expect(await phone.result()).toContain(letIn);
    await phone.read(`]Q1${ticket.barcode}`);
    const reason = t('reasons.already_at_gate', { time: '\\d\\d:\\d\\d', gate: 'North' });
    expect(await phone.result()).toMatch(
      new RegExp(`^amber: ${t('results.repeated')} ${ticket.place} ${tonight().name} ${reason}`),
    );
    await phone.read('scribble');
    expect(await phone.result()).toContain(`red: ${t('results.refused')}`);
    await press(phone, 'undo');
    await page.locator('dialog button').first().click();
    await becomes(ticket, 'status', 'printed');
    await press(phone, 'type');
    await page.locator('dialog input').fill(ticket.id.toUpperCase().slice(4));
    await page.locator('dialog button').first().click();
    expect(await phone.result()).toContain(letIn);
    await becomes(ticket, 'gate', 'North');
    expect((await ticketOf(ticket)).status).toBe('controlled');
    await phone.read(stranger().barcode);
    expect(await phone.result()).toContain(`amber: ${t('results.refused')}`);
    await phone.close();
  });

  story('without a network the phone decides, also after a reload, and sends what it admitted', async () => {
    const [phone, ticket, second] = [await phoneAt('North', { locale: 'de-CH' }), fresh(), fresh()];
    const { t } = phone;
    await phone.setOffline(true);
    await phone.read(ticket.barcode);
    expect(await phone.result()).toBe(
      `green: ${t('results.admitted')} ${ticket.place} ${tonight().name} ${t('isAlone')}`,
    );
    await phone.read(ticket.barcode);
    expect(await phone.result()).toContain(`amber: ${t('results.repeated')}`);
    await isPending(phone).waitFor();
    expect(await phone.page.locator('.link').textContent()).toContain(t('offline'));
    await phone.read(second.barcode);
    expect(await phone.result()).toContain(`green: ${t('results.admitted')}`);
    // The browser ends the page before the network is back.
    await phone.page.close();
    await phone.setOffline(false);
    expect((await ticketOf(ticket)).status).toBe('printed');
    const again = await phone.reopen();
    await becomes(second, 'status', 'controlled');
    await isPending(again).waitFor({ state: 'hidden' });
    const path = `/svc/v3/tickets/controls?performanceId=${tonight().performanceId}&limit=500`;
    const { items } = await must(partner, path);
    const own = items.filter(({ ticketId }: { ticketId: string }) => [ticket.id, second.id].includes(ticketId));
    expect(own).toMatchObject([
      { ticketId: ticket.id, result: 'admitted', offline: true, gate: 'North' },
      { ticketId: second.id, result: 'admitted', offline: true },
    ]);
    expect(again.complaints).toEqual([]);
    await again.close();
  });

  story('of two doors that admitted one ticket without a network the later one is told so', async () => {
    const [north, south] = await Promise.all([phoneAt('North'), phoneAt('South', { locale: 'fr-CH' })]);
    const ticket = fresh();
    for (const phone of [north, south]) {
      await phone.setOffline(true);
      await phone.read(ticket.barcode);
      expect(await phone.result()).toContain(`green: ${phone.t('results.admitted')}`);
    }
    await south.setOffline(false);
    await becomes(ticket, 'gate', 'South');
    await north.setOffline(false);
    await becomes(ticket, 'gate', 'North');
    const { page, t } = south;
    await press(south, 'later');
    const time = '\\d\\d:\\d\\d';
    await page.getByText(new RegExp(t('letIn', { place: ticket.place, time }))).waitFor();
    const reason = new RegExp(t('reasons.already_at_gate', { time, gate: 'North' }));
    expect(await page.locator('section.warning').textContent()).toMatch(reason);
    expect(await faultsOf(page)).toEqual([]);
    await press(south, 'acknowledge');
    await page.locator('section.warning').waitFor({ state: 'detached' });
    expect(await north.page.getByRole('button', { name: north.t('later') }).isVisible()).toBe(false);
    for (const phone of [north, south]) await phone.close();
  });

  for (const [colorScheme, width, locale] of [
    ['light', 360, 'en-GB'],
    ['dark', 360, 'de-CH'],
    // As at 200 % zoom.
    ['light', 180, 'fr-CH'],
  ] as const)
    story(`axe-core finds nothing in ${colorScheme} at ${width} pixels`, async () => {
      const phone = await door.open({ colorScheme, width, locale });
      const { page } = phone;
      expect(await faultsOf(page)).toEqual([]);
      await beginAt(phone, product, [tonight()], 'East');
      expect(await faultsOf(page)).toEqual([]);
      await press(phone, 'type');
      expect(await faultsOf(page)).toEqual([]);
      await press(phone, 'cancel');
      for (const barcode of [fresh().barcode, 'scribble', stranger().barcode]) {
        await phone.read(barcode);
        await phone.result({ stays: true });
        expect(await faultsOf(page)).toEqual([]);
      }
      await phone.dismiss();
      await press(phone, 'report');
      expect(await faultsOf(page)).toEqual([]);
      await press(phone, 'otherDoor');
      await page.locator('input[name=gate]').waitFor();
      expect(await faultsOf(page)).toEqual([]);
      expect(phone.complaints).toEqual([]);
      await phone.close();
    });

  story('signing out deletes what the phone has kept, after a question', async () => {
    const phone = await phoneAt('North', { locale: 'fr-CH' });
    const { page, t } = phone;
    await phone.setOffline(true);
    await phone.read(fresh().barcode);
    await phone.result();
    await press(phone, 'report');
    await press(phone, 'signOut');
    await page.getByText(t('signOutLoses', { count: 1 })).waitFor();
    await press(phone, 'cancel');
    await phone.setOffline(false);
    await press(phone, 'back');
    await isPending(phone).waitFor({ state: 'hidden' });
    await press(phone, 'report');
    await press(phone, 'signOut');
    await page
      .locator('dialog')
      .getByRole('button', { name: t('signOut') })
      .click();
    await page.getByRole('button', { name: /: Opéra/ }).waitFor();
    // A database that is still read is deleted after that.
    const kept = 'indexedDB.databases().then((all) => all.length + localStorage.length + sessionStorage.length)';
    await page.waitForFunction(`${kept}.then((count) => count === 0)`);
    await phone.close();
  });
};
