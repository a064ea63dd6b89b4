import { openClient, waitUntil } from '@boxoffice/testkit';
import { expect } from '@jest/globals';
import { findFaults } from '../../src/axe.ts';
import { must } from '../product.ts';
import { type Scene, scanAs } from './barcode-readers.ts';
import type { Door } from './door-fixture.ts';
import { beginAt, type Phone } from './doors.ts';

/** Stories of tickets that are controlled, of networks that go and come, and of all pages. */
export function describeStewards(door: Door): void {
  const { product, partner, story, tonight, stranger, fresh, phoneAt, ticketOf, becomes } = door;

  story('a ticket is admitted, refused the second time, taken back and admitted again', async () => {
    const [phone, ticket] = [await phoneAt('North'), fresh()];
    const { page, t } = phone;
    const letIn = `green: ${t('results.admitted')} ${t('seat', ticket)}`;
    await phone.read(ticket.barcode);
    // A server that takes longer than a second is not waited for; the page says so in a further sentence.
    expect(await phone.result()).toContain(letIn);
    await phone.read(`]Q1${ticket.barcode}`);
    const reason = t('reasons.already_at_gate', { time: '\\d\\d:\\d\\d', gate: 'North' });
    expect(await phone.result()).toMatch(
      new RegExp(`^amber: ${t('results.repeated')} ${t('seat', ticket)} ${tonight().name} ${reason}`),
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
    const [named = ''] = t('reasons.ticket_other_performance_named', { performance: 'Carmen' }).split('Carmen');
    const refused = new RegExp(
      `^amber: ${t('results.refused')} .*${named}Carmen, \\w+,? \\d+ \\w+ \\d+, \\d\\d:\\d\\d, Grand Théâtre`,
    );
    expect(await phone.result()).toMatch(refused);
    await phone.close();
  });

  story('the list has what is on today: a second day, an exhibition and a pass, and nothing that is over', async () => {
    const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
    const put = async (name: string, start: number, length: object, more: object = {}): Promise<string> => {
      const product = { code: name.toUpperCase(), type: 'show', name: { en: name }, state: 'running', ...more };
      const { id } = await must(partner, '/svc/v3/catalog/products', 'POST', product);
      const category = { code: 'all', name: { en: 'All' }, numbered: false, capacity: 5 };
      const performance = { startDate: hours(start), venue: { name: 'Park' }, timeZone: 'Europe/Zurich', ...length };
      const body = { ...performance, seatCategories: [category], prices: [] };
      return (await must(partner, `/svc/v3/catalog/products/${id}/performances`, 'POST', body)).id;
    };
    const listed = await Promise.all([
      put('Festival', -30, { durationMinutes: 4_320 }),
      put('Exhibition', -1_000, {}, { endDate: hours(1_000) }),
      put('Year pass', -2_000, {}, { type: 'pass', endDate: hours(2_000) }),
    ]);
    const over = await put('Morning', -3, { durationMinutes: 90 });
    const { page, t, complaints } = await phoneAt('List', { locale: 'en-GB' });
    await page.getByRole('button', { name: t('report'), exact: true }).click();
    await page.getByRole('button', { name: t('otherDoor'), exact: true }).click();
    const group = (name: string) => page.getByRole('group', { name: t(name), exact: true });
    await group('today').locator(`input[value="${tonight().performanceId}"]`).waitFor();
    const names = ['today', 'today', 'passes'];
    for (const [at, id] of listed.entries())
      expect(await group(String(names[at])).locator(`input[value="${id}"]`).count()).toBe(1);
    expect(await page.locator(`input[value="${over}"]`).count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  story('a guest without a ticket is found by name, seat and order, and let in', async () => {
    const [phone, named, seated] = [await phoneAt('Found'), fresh(), fresh()];
    const { page, t } = phone;
    const body = { beneficiary: { firstName: 'Ana', lastName: 'Ægidius-Martín' } };
    const { id } = await must(partner, `/svc/v3/tickets/${named.id}`, 'PATCH', body);
    const { orderId } = await ticketOf(seated);
    const { number } = await must(partner, `/svc/v3/orders/${orderId}`);
    const hits = page.locator('dialog li button');
    const find = async (text: string) => {
      await page.locator('dialog input').fill(text);
      await page.locator('dialog button[type=submit]').click();
    };
    await press(phone, 'type');
    await find(number);
    // Two pages, of which those that are in force are shown.
    await page.getByText(new RegExp(t('findMore', { count: '\\d+' }))).waitFor();
    expect([19, 20]).toContain(await hits.count());
    await find('nobody');
    await page.getByText(t('findNothing')).waitFor();
    await find('aegidius m');
    await page.getByText(t('found', { count: 1 })).waitFor();
    expect(await hits.textContent()).toContain(`Ana Ægidius-Martín${t('seat', named)}`);
    expect(await findFaults(page)).toEqual([]);
    await hits.click();
    expect(await phone.result()).toContain(`green: ${t('results.admitted')} ${t('seat', named)}`);
    expect((await must(partner, `/svc/v3/tickets/${id}`)).gate).toBe('Found');
    await press(phone, 'type');
    await find(`${seated.row} ${seated.seat}`);
    await hits.getByText(new RegExp(`${t('seat', seated)}$`)).click();
    expect(await phone.result()).toContain(`green: ${t('results.admitted')} ${t('seat', seated)}`);
    await becomes(seated, 'gate', 'Found');
    await phone.setOffline(true);
    await press(phone, 'type');
    await find('Martin');
    await page.getByText(t('findOffline')).waitFor();
    expect(phone.complaints).toEqual([]);
    await phone.close();
  });

  story('a door of everything that is valid now lets passes in, and says name and validity', async () => {
    const create = (path: string, body: object) => must(partner, `/svc/v3/${path}`, 'POST', body);
    const name = { en: 'Friends of the opera', de: 'Freunde der Oper' };
    const endDate = new Date(Date.now() + 90 * 86_400_000).toISOString();
    const { id: tariffId } = await create('catalog/tariffs', { code: `F${Date.now()}`, name });
    const pass = { code: `F${Date.now()}`, type: 'pass', name, state: 'running', endDate };
    const { id: productId } = await create('catalog/products', pass);
    const { id: performanceId, seatCategories } = await create(`catalog/products/${productId}/performances`, {
      startDate: new Date(Date.now() - 86_400_000).toISOString(),
      venue: { name: 'Grand Théâtre' },
      timeZone: 'Europe/Zurich',
      seatCategories: [{ code: 'stock', name, numbered: false, capacity: 5 }],
      prices: [{ seatCategory: 'stock', tariffId, amount: 9_000 }],
    });
    const items = [{ performanceId, seatCategoryId: seatCategories[0].id, tariffId, quantity: 2 }];
    const { id } = await create('orders', { items, ticketDelivery: 'electronic' });
    await create(`orders/${id}/confirmation`, { onAccount: true });
    const { items: tickets } = await must(partner, `/svc/v3/tickets?orderId=${id}`);
    const phone = await phoneAt('Everything', { locale: 'de-CH' }, []);
    const { page, t } = phone;
    const [before = '', after = ''] = t('validUntil', { end: '|' }).split('|');
    const said = new RegExp(
      `^green: ${t('results.admitted')} Freunde der Oper, ${before}\\d+\\. \\w+ \\d{4}${after}, Grand Théâtre$`,
    );
    await phone.read(tickets[0].barcode);
    expect(await phone.result()).toMatch(said);
    expect(await page.locator('h1').textContent()).toContain(t('everything'));
    await phone.setOffline(true);
    await phone.read(tickets[1].barcode);
    expect(await phone.result()).toContain('Freunde der Oper');
    expect(phone.complaints).toEqual([]);
    await phone.close();
  });

  story('without a network the phone decides, also after a reload, and sends what it admitted', async () => {
    const [phone, ticket, second] = [await phoneAt('North', { locale: 'de-CH' }), fresh(), fresh()];
    const { t } = phone;
    await phone.setOffline(true);
    await phone.read(ticket.barcode);
    expect(await phone.result()).toBe(
      `green: ${t('results.admitted')} ${t('seat', ticket)} ${tonight().name} ${t('isAlone')}`,
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

  for (const [happens, how] of [
    ['is deleted', "indexedDB.deleteDatabase('boxoffice.door')"],
    [
      'and all that the browser keeps of the page is cleared',
      "localStorage.clear(), indexedDB.deleteDatabase('boxoffice.door')",
    ],
  ] as const)
    story(`a phone whose database ${happens} goes on, and has lost nothing`, async () => {
      const [phone, waiting, second] = [await phoneAt('Cleared'), fresh(), fresh()];
      const { t } = phone;
      await phone.setOffline(true);
      await phone.read(waiting.barcode);
      expect(await phone.result()).toContain(`green: ${t('results.admitted')}`);
      // Not awaited: it ends once the page has let go.
      await phone.page.evaluate(`void (${how})`);
      await phone.read(second.barcode);
      expect(await phone.result()).toContain(`green: ${t('results.admitted')}`);
      await phone.read(waiting.barcode);
      expect(await phone.result()).toContain(`amber: ${t('results.repeated')}`);
      const scans = `new Promise((resolve, reject) => {
        const opening = indexedDB.open('boxoffice.door');
        opening.onerror = reject;
        opening.onsuccess = () => {
          const counting = opening.result.transaction('scans').objectStore('scans').count();
          counting.onsuccess = () => { opening.result.close(); resolve(counting.result); };
        };
      })`;
      await phone.page.waitForFunction(`${scans}.then((count) => count === 3)`);
      await phone.setOffline(false);
      for (const ticket of [waiting, second]) await becomes(ticket, 'gate', 'Cleared');
      expect(phone.complaints).toEqual([]);
      await phone.close();
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
    await page.getByText(new RegExp(t('letIn', { place: t('seat', ticket), time }))).waitFor();
    const reason = new RegExp(t('reasons.already_at_gate', { time, gate: 'North' }));
    expect(await page.locator('section.warning').textContent()).toMatch(reason);
    expect(await findFaults(page)).toEqual([]);
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
      expect(await findFaults(page)).toEqual([]);
      await beginAt(phone, product, [tonight()], 'East');
      expect(await findFaults(page)).toEqual([]);
      await press(phone, 'type');
      expect(await findFaults(page)).toEqual([]);
      await press(phone, 'cancel');
      for (const barcode of [fresh().barcode, 'scribble', stranger().barcode]) {
        await phone.read(barcode);
        await phone.result({ stays: true });
        expect(await findFaults(page)).toEqual([]);
      }
      await phone.dismiss();
      await press(phone, 'report');
      expect(await findFaults(page)).toEqual([]);
      await press(phone, 'otherDoor');
      await page.locator('input[name=gate]').waitFor();
      expect(await findFaults(page)).toEqual([]);
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
}

const press = ({ page, t }: Phone, name: string) => page.getByRole('button', { name: t(name), exact: true }).click();

/** While scans wait, the line about the network has a third part. */
const isPending = ({ page }: Phone) => page.locator('.link', { hasText: / · .* · / });

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
export function describeScanners(door: Door): void {
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
    for (const layout of ['de', 'de-CH', 'fr', 'it']) {
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
}
