import type { Browser } from 'playwright-core';
import { launchBrowser, openPhone, openSlowTab } from './clients.ts';
import { runWithProduct } from './measure/processes.ts';
import { type Benchmark, computeMedian, createMaximumTarget } from './measure/report.ts';

const ROUNDS = 5;
const SLOWER = 6;

/** Tasks longer than 50 ms, in which a page answers nothing. */
const OBSERVE = `
  window.blocked = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.blocked += duration - 50;
  }).observe({ type: 'longtask', buffered: true });
`;

/** For how long the page at the address answers nothing, until it shows what the selector names: the median. */
const measure = async (browser: Browser, address: string, shown: string): Promise<number> => {
  const blocked: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const phone = await openPhone(browser);
    const { page } = await openSlowTab(phone, SLOWER);
    await page.addInitScript(OBSERVE);
    await page.goto(address, { waitUntil: 'networkidle' });
    await page.locator(shown).first().waitFor();
    blocked.push(await page.evaluate<number>('window.blocked'));
    await phone.close();
  }
  return computeMedian(blocked);
};

/** How long the reference keeps a slow phone busy. */
export const referencePage: Benchmark = {
  about: `how long /docs blocks a phone: 390 px, ${SLOWER} × slower (a Chromium; TEST_CHROMIUM)`,
  async run(progress) {
    progress('starting the product with its demo data');
    return runWithProduct(async ({ baseUrl, caFile }) => {
      const browser = await launchBrowser(caFile);
      progress(`first sight and an operation, ${ROUNDS} rounds`);
      const first = await measure(browser, `${baseUrl}/docs`, '#contents summary');
      const pointOfSale = await measure(browser, `${baseUrl}/docs/pos`, '#contents summary');
      const operation = await measure(browser, `${baseUrl}/docs#?route=post-/svc/v3/orders`, '[part~="btn-try"]');
      await browser.close();
      return {
        columns: ['', 'blocked ms'],
        rows: [
          ['/docs, first sight', first],
          ['/docs/pos, first sight', pointOfSale],
          ['/docs, the first operation', operation],
        ],
        targets: [
          createMaximumTarget('first sight of /docs', first, 1_000, 'ms'),
          createMaximumTarget('first sight of /docs/pos', pointOfSale, 1_000, 'ms'),
        ],
      };
    });
  },
};
