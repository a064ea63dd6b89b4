import type { Browser, BrowserContext, CDPSession } from 'playwright-core';
import { launchBrowser, openPhone, openSlowTab, SLOWDOWN } from './clients.ts';
import { withProduct } from './measure/processes.ts';
import { atMost, type Benchmark, median } from './measure/report.ts';

const ROUNDS = 5;

/** A slow mobile network. */
const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};

/** What a browser measured of one visit. */
interface Visit {
  readonly largestPaintMs: number;
  readonly layoutShift: number;
  readonly requests: number;
  readonly kilobytes: number;
}

const OBSERVE = `
  window.measured = { paint: 0, shift: 0 };
  const observe = (type, record) =>
    new PerformanceObserver((list) => list.getEntries().forEach(record)).observe({ type, buffered: true });
  observe('largest-contentful-paint', ({ startTime }) => { window.measured.paint = startTime; });
  observe('layout-shift', ({ value }) => { window.measured.shift += value; });
`;

/** Counts what goes over the network: nothing that comes from a cache. */
const countRequests = async (session: CDPSession) => {
  const counted = { requests: 0, bytes: 0 };
  const cached = new Set<string>();
  session.on('Network.requestServedFromCache', ({ requestId }) => cached.add(requestId));
  session.on('Network.responseReceived', ({ requestId, response }) => {
    if (response.fromDiskCache || response.fromPrefetchCache) cached.add(requestId);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (cached.has(requestId)) return;
    counted.requests += 1;
    counted.bytes += encodedDataLength;
  });
  await session.send('Network.enable');
  return counted;
};

/** Opens the address in a new tab, on a slow phone, until nothing is loaded any more. */
const visitPage = async (context: BrowserContext, address: string): Promise<Visit> => {
  const { page, session } = await openSlowTab(context);
  await page.addInitScript(OBSERVE);
  const counted = await countRequests(session);
  await session.send('Network.emulateNetworkConditions', NETWORK);
  await page.goto(address, { waitUntil: 'networkidle' });
  const { paint, shift } = await page.evaluate<{ paint: number; shift: number }>('window.measured');
  await page.close();
  return {
    largestPaintMs: paint,
    layoutShift: shift,
    requests: counted.requests,
    kilobytes: counted.bytes / 1_000,
  };
};

const medianOf = (visits: readonly Visit[]): Visit => {
  const of = (name: keyof Visit) => median(visits.map((one) => one[name]));
  return {
    largestPaintMs: of('largestPaintMs'),
    layoutShift: of('layoutShift'),
    requests: of('requests'),
    kilobytes: of('kilobytes'),
  };
};

/** First and second visits of an address, each round with a new profile. */
const measure = async (browser: Browser, address: string) => {
  const visits: { first: Visit; second: Visit }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const phone = await openPhone(browser);
    visits.push({ first: await visitPage(phone, address), second: await visitPage(phone, address) });
    await phone.close();
  }
  return { first: medianOf(visits.map(({ first }) => first)), second: medianOf(visits.map(({ second }) => second)) };
};

const HOST = 'tickets.opera.example';

/** How a visitor with a slow phone first sees the shop. */
export const shopPage: Benchmark = {
  about: `the pages of the demo shop on a phone: 390 px, ${SLOWDOWN} × slower, 1.6 Mbit/s, 150 ms (a Chromium; TEST_CHROMIUM)`,
  async run(progress) {
    progress('starting the product with its demo data');
    return withProduct(async ({ baseUrl, caFile }) => {
      const browser = await launchBrowser(caFile);
      const first = `${baseUrl}/shop/${HOST}/`;
      const page = await (await openPhone(browser)).newPage();
      await page.goto(first);
      const show = new URL((await page.locator('.card').first().getAttribute('href')) ?? '', first).href;
      progress(`programme and show, ${ROUNDS} rounds`);
      const [programme, one] = [await measure(browser, first), await measure(browser, show)];
      await browser.close();
      const row = (name: string, { largestPaintMs, layoutShift, requests, kilobytes }: Visit) =>
        [name, largestPaintMs, layoutShift, requests, kilobytes] as const;
      return {
        columns: ['', 'largest paint ms', 'layout shift', 'requests', 'KB'],
        rows: [
          row('programme, first visit', programme.first),
          row('programme, second visit', programme.second),
          row('show, first visit', one.first),
          row('show, second visit', one.second),
        ],
        targets: [
          atMost('largest paint of the programme', programme.first.largestPaintMs, 1_800, 'ms'),
          atMost('its layout shift', programme.first.layoutShift, 0.05, ''),
          atMost('its requests', programme.first.requests, 15, ''),
          atMost('its bytes', programme.first.kilobytes, 150, 'KB'),
          atMost('requests of the show, which has a plan', one.first.requests, 25, ''),
          atMost('requests of a second visit', programme.second.requests, 3, ''),
        ],
      };
    });
  },
};
