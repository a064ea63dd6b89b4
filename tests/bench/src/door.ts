import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import {
  type Buyer,
  confirm,
  createBuyer,
  launchBrowser,
  must,
  type Order,
  openPhone,
  openSlowTab,
  putOnSale,
  requestOperaAuthorization,
} from './clients.ts';
import { type Product, runWithProduct } from './measure/processes.ts';
import { type Benchmark, computeQuantile, createMaximumTarget } from './measure/report.ts';

const TICKETS = 5_000;
const SCANS = 500;
const PER_ORDER = 50;
/** How much slower a phone of a few years ago is. */
const SLOWDOWN = 4;

/** Sells the evening; the barcodes that are scanned. */
const sell = async (buyer: Buyer) => {
  const { productId: _, ...item } = await putOnSale(buyer, TICKETS, new Date().toISOString());
  const barcodes: string[] = [];
  for (let sold = 0; sold < TICKETS; sold += PER_ORDER) {
    const items = [{ ...item, quantity: PER_ORDER }];
    const { data } = must(await buyer.send<Order>('POST', '/svc/v3/orders', { items, ticketDelivery: 'electronic' }));
    must(await confirm(buyer, data.id));
    if (barcodes.length >= SCANS) continue;
    const path = `/svc/v3/tickets?orderId=${data.id}&limit=${PER_ORDER}`;
    const { data: tickets } = must(await buyer.send<{ items: { barcode: string }[] }>('GET', path));
    barcodes.push(...tickets.items.map(({ barcode }) => barcode));
  }
  return { performanceId: item.performanceId, barcodes };
};

/** Signs the opera's steward in and chooses the performance. */
const signIn = async (page: Page, { baseUrl, caFile }: Product, performanceId: string): Promise<void> => {
  const { apiUsers } = JSON.parse(readFileSync(join(dirname(caFile), 'demo.json'), 'utf8'));
  const isSteward = (user: Record<string, string>) => user.institution === 'opera' && user.role === 'door';
  const { login, password } = apiUsers.find(isSteward);
  await page.goto(`${baseUrl}/door/`);
  await page.locator('main button').first().click();
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill(password);
  await page.locator('button[type=submit]').first().click();
  await page.locator(`input[value="${performanceId}"]`).check();
};

/** In the page: milliseconds from the event to the state of the line about the network. */
const timed = (event: string, state: string): string => `new Promise((resolve) => addEventListener('${event}', () => {
  const start = performance.now();
  const look = () => ${state}.test(document.querySelector('.link')?.textContent ?? '')
    ? resolve(performance.now() - start) : setTimeout(look, 2);
  look();
}, true))`;

/** In the page: milliseconds from the last key of each scan to its result. */
const scanning = (barcodes: readonly string[]): string => `(async () => {
  const band = document.querySelector('.band');
  const times = [];
  for (const barcode of ${JSON.stringify(barcodes)}) {
    band.querySelector('button').click();
    const timeStamp = { value: performance.now() };
    const press = (key) => document.body.dispatchEvent(
      Object.defineProperties(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }), { timeStamp }));
    [...barcode].forEach(press);
    const shown = new Promise((resolve) => new MutationObserver(resolve).observe(band, { attributeFilter: ['hidden'] }));
    const start = performance.now();
    press('Enter');
    await shown;
    times.push(performance.now() - start);
    if (band.hidden || band.dataset.colour !== 'green') throw new Error(band.textContent);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return times;
})()`;

/** How much slower the phone is while it downloads, and its network: a cheap one in a hall. */
const SLOW = { rate: 6 };
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000 };

/** An evening of a steward with a slow phone. */
export const door: Benchmark = {
  about: `${TICKETS} tickets at the door on a slow phone: their download, ${SCANS} scans without a network, their sending`,
  async run(progress) {
    progress('starting the product with its demo data');
    return runWithProduct(async (product) => {
      const buyer = createBuyer(product, await requestOperaAuthorization(product));
      progress(`selling ${TICKETS} tickets`);
      const { performanceId, barcodes } = await sell(buyer);
      buyer.close();
      const browser = await launchBrowser(product.caFile);
      const { page, session } = await openSlowTab(await openPhone(browser), SLOWDOWN);
      page.setDefaultTimeout(120_000);
      await signIn(page, product, performanceId);
      await session.send('Emulation.setCPUThrottlingRate', SLOW);
      await session.send('Network.enable');
      await session.send('Network.emulateNetworkConditions', NETWORK);
      let [requests, bytes] = [0, 0];
      const sizes = new Map<string, boolean>();
      session.on('Network.responseReceived', ({ requestId, response }) => {
        sizes.set(requestId, response.url.includes('/tickets/statuses'));
      });
      session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        if (!sizes.get(requestId)) return;
        requests += 1;
        bytes += encodedDataLength;
      });
      const downloaded = page.evaluate<number>(timed('submit', '/\\d\\d:\\d\\d/'));
      await page.locator('main button[type=submit]').click();
      const downloadMs = await downloaded;
      const download = `${TICKETS} tickets downloaded: ${requests} requests, ${Math.round(bytes / 1024)} KB`;
      await session.send('Network.emulateNetworkConditions', {
        ...NETWORK,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: -1,
      });
      await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
      progress(`${SCANS} scans without a network`);
      await page.context().setOffline(true);
      const times = await page.evaluate<number[]>(scanning(barcodes.slice(0, SCANS)));
      const sent = page.evaluate<number>(timed('online', '/^[^·]*·[^·]*$/'));
      await page.context().setOffline(false);
      const sentMs = await sent;
      await browser.close();
      return {
        columns: ['', 'ms'],
        rows: [
          [download, downloadMs],
          ['a scan without a network, p50', computeQuantile(times, 0.5)],
          ['p95', computeQuantile(times, 0.95)],
          ['p99', computeQuantile(times, 0.99)],
          [`${SCANS} scans sent and answered`, sentMs],
        ],
        targets: [
          createMaximumTarget('download', downloadMs, 5_000, 'ms'),
          createMaximumTarget('a scan without a network, p99', computeQuantile(times, 0.99), 100, 'ms'),
          createMaximumTarget('sending', sentMs, 2_000, 'ms'),
        ],
      };
    });
  },
};
