import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

export const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules that apply, whether a version of axe-core has them on or not. */
const rules = { 'label-content-name-mismatch': { enabled: true } };

/** What axe-core, which the page has loaded, finds on it as it is shown: by all of its rules, or by `only` these. */
export function listAxeFindings(page: Page, only?: readonly string[]): Promise<string[]> {
  return page.evaluate(
    `axe.run(${JSON.stringify(only ? { runOnly: only } : { rules })})` +
      ".then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))",
  );
}

/** The same for a page that has yet to load it, and by how many pixels the page is too wide. */
export async function findFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await listAxeFindings(page);
  const excess = await page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth);
  return excess > 0 ? [...found, `${excess} pixels too wide`] : found;
}
