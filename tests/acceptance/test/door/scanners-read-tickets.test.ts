import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openClient, waitUntil } from '@boxoffice/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Browser, chromium } from 'playwright-core';
import { must, usePartner, useProduct } from '../product.ts';
import { executablePath } from '../shop/visit.ts';
import { filmOf, type Scene } from './camera-film.ts';
import { beginAt, type Evening, openPhone, type Phone, sellEvening } from './doors.ts';
import { scanAs } from './hand-scanner.ts';

const STORY_MS = 600_000;

const suite = executablePath ? describe : describe.skip;
if (suite === describe.skip) process.stdout.write('skipped: the door needs a browser\n');

/** How a barcode is held before the camera, and whether it can be read like that. */
const SIGHTS: Readonly<Record<string, Omit<Scene, 'barcode' | 'seconds'> & { readonly isRead: boolean }>> = {
  sharp: { isRead: true },
  turned: { turned: 37, isRead: true },
  blurred: { blurred: 2, isRead: true },
  'at 75 %': { scale: 0.75, isRead: true },
  'turned, blurred and at 75 %': { scale: 0.75, turned: 190, blurred: 1, isRead: true },
  'white on black': { inverted: true, isRead: true },
  'out of focus': { blurred: 9, isRead: false },
};

suite('scanners read tickets', () => {
  const product = useProduct();
  const partner = usePartner(product);
  let directory: string;
  let browser: Browser;
  let tonight: Evening;
  const tickets = () => [...tonight.tickets];

  /** A browser with flags of its own; Chromium's own sandbox does not work for root. */
  const launch = (...args: string[]): Promise<Browser> =>
    chromium.launch({
      executablePath,
      args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), ...args],
    });

  beforeAll(async () => {
    tonight = await sellEvening(partner, 'Tosca', 20);
    directory = await mkdtemp(join(tmpdir(), 'boxoffice-film-'));
    const film = join(directory, 'door.y4m');
    const scenes = Object.values(SIGHTS).flatMap(({ isRead: _, ...sight }, index): Scene[] => [
      { ...sight, barcode: String(tonight.tickets[index]?.barcode), seconds: 1 },
      { seconds: 0.6 },
    ]);
    await writeFile(film, filmOf(scenes));
    browser = await launch(
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-video-capture=${film}`,
      // Service workers load with the development certificate as well.
      '--ignore-certificate-errors',
    );
  }, STORY_MS);
  afterAll(async () => {
    await browser?.close();
    await rm(directory, { recursive: true, force: true });
  });

  const ticketOf = (index: number) => must(partner, `/svc/v3/tickets/${tickets()[index]?.id}`);
  const becomes = (index: number, gate: string) =>
    waitUntil(async () => (await ticketOf(index)).gate === gate, { what: `ticket ${index}`, withinMs: 120_000 });
  const open = async (from = browser, permissions: string[] = []): Promise<Phone> => {
    const phone = await openPhone(from, product);
    await phone.page.context().grantPermissions(permissions);
    return phone;
  };

  test(
    'a camera reads them sharp, turned, blurred, smaller and white on black, each once while it is there',
    async () => {
      const phone = await open(browser, ['camera']);
      await beginAt(phone, product, [tonight], 'Camera');
      const sights = Object.values(SIGHTS);
      for (const [index, { isRead }] of sights.entries()) if (isRead) await becomes(index, 'Camera');
      // The film begins anew, with codes that were out of the picture for longer than three seconds.
      const scans = async () => {
        const path = `/svc/v3/tickets/controls?performanceId=${tonight.performanceId}&limit=500`;
        const { items } = await must(partner, path);
        return items.filter(({ gate }: { gate: string }) => gate === 'Camera');
      };
      await waitUntil(async () => (await scans()).some(({ result }: { result: string }) => result === 'repeated'), {
        what: 'the second showing',
        withinMs: 120_000,
      });
      const admitted = (await scans()).filter(({ result }: { result: string }) => result === 'admitted');
      const legible = tickets().filter((_, index) => sights[index]?.isRead);
      expect(admitted.map(({ ticketId }: { ticketId: string }) => ticketId).sort()).toEqual(
        legible.map(({ id }) => id).sort(),
      );
      // Nobody reads what nobody could: the other pictures are read because the decoder is good.
      expect((await ticketOf(sights.findIndex(({ isRead }) => !isRead))).status).toBe('printed');
      expect(phone.complaints).toEqual([]);
      await phone.close();
    },
    STORY_MS,
  );

  test(
    'without permission, or without a camera, the page says so, and the hand scanner goes on',
    async () => {
      const without = await launch();
      const phones: [Phone, string][] = [
        [await open(), 'The camera is not allowed.'],
        [await open(without, ['camera']), 'There is no camera.'],
      ];
      for (const [index, [phone, message]] of phones.entries()) {
        await beginAt(phone, product, [tonight], 'Hand');
        await phone.page.getByText(message).waitFor();
        await phone.read(String(tickets()[10 + index]?.barcode));
        await becomes(10 + index, 'Hand');
        await phone.close();
      }
      await without.close();
    },
    STORY_MS,
  );

  test(
    'a hand scanner that is set to another layout than the device; the signature says which',
    async () => {
      const phone = await open();
      await beginAt(phone, product, [tonight], 'Layout');
      await scanAs(phone.page, 'de-CH', String(tickets()[12]?.barcode));
      await becomes(12, 'Layout');
      await scanAs(phone.page, 'fr', String(tickets()[13]?.barcode));
      await becomes(13, 'Layout');
      await phone.close();
    },
    STORY_MS,
  );

  test(
    'a steward stays signed in after the page was closed, until the session is ended, and signs in again',
    async () => {
      const phone = await open();
      await beginAt(phone, product, [tonight], 'Again');
      const address = phone.page.url();
      expect(address).toBe(`${product.demo.baseUrl}/door/`);
      await phone.page.close();
      const again = await phone.reopen();
      // Keys count once the page for scanning is there.
      await again.page.locator('.link').waitFor();
      await again.read(String(tickets()[14]?.barcode));
      await becomes(14, 'Again');
      const { refreshToken, clientId } = JSON.parse(
        String(await again.page.evaluate("localStorage.getItem('boxoffice.door.session')")),
      );
      const body = new URLSearchParams({ token: refreshToken, client_id: clientId });
      expect((await openClient(product.address)('/auth/revoke', { method: 'POST', body })).status).toBe(200);
      await again.page.getByRole('button', { name: 'Sign in', exact: true }).click();
      // The password, although the browser has a session of the authorizer.
      await again.page.locator('input[name=password]').waitFor();
      await again.close();
    },
    STORY_MS,
  );

  test(
    'a user whose role may not control tickets is told so',
    async () => {
      const { page } = await open();
      const customer = product.demo.apiUsers.find((one) => one.institution === 'opera' && one.role === 'customer');
      await page.getByRole('button', { name: /Opéra/ }).click();
      await page.locator('input[name=login]').fill(String(customer?.login));
      await page.locator('input[name=password]').fill(String(customer?.password));
      await page.locator('button[type=submit]').first().click();
      await page.getByRole('alert').waitFor();
      expect(await page.evaluate("localStorage.getItem('boxoffice.door.session')")).toBeNull();
      await page.context().close();
    },
    STORY_MS,
  );

  // The last one: it stops the product.
  test(
    'the page opens while the installation cannot be reached, and decides',
    async () => {
      const phone = await open();
      await beginAt(phone, product, [tonight], 'Alone');
      await phone.page.evaluate('navigator.serviceWorker.ready.then(() => true)');
      await phone.page.waitForFunction('navigator.serviceWorker.controller !== null');
      await product.stop();
      await phone.page.close();
      const again = await phone.reopen();
      // Keys count once the page for scanning is there.
      await again.page.locator('.link').waitFor();
      await again.read(String(tickets()[15]?.barcode));
      expect(await again.result()).toContain('green: Let in');
      await again.close();
    },
    STORY_MS,
  );
});
