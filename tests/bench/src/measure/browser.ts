import { hash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chromiumPath } from '@boxoffice/testkit';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';

/** How much slower a phone of a few years ago is. */
export const SLOWDOWN = 4;

/** The browser trusts the product's certificate: it caches nothing of a server whose errors it ignores. */
const trusting = (caFile: string): string => {
  const key = new X509Certificate(readFileSync(caFile)).publicKey.export({ type: 'spki', format: 'der' });
  return `--ignore-certificate-errors-spki-list=${hash('sha256', key, 'base64')}`;
};

/** Starts Chromium. @throws {Error} without one */
export const launchBrowser = (caFile: string): Promise<Browser> => {
  const executablePath = chromiumPath(process.env);
  if (executablePath === undefined) throw new Error('no Chromium on the PATH: TEST_CHROMIUM names one');
  const args = ['--disable-gpu', trusting(caFile), ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  return chromium.launch({ executablePath, args });
};

/** A browser profile of a phone. */
export const openPhone = (browser: Browser): Promise<BrowserContext> =>
  browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, locale: 'en-GB' });

/** A new tab on a slow phone. */
export const openSlowTab = async (phone: BrowserContext): Promise<{ page: Page; session: CDPSession }> => {
  const page = await phone.newPage();
  const session = await phone.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  return { page, session };
};
