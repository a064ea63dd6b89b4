import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXPONENTS } from '@boxoffice/http';
import { createSiteFront, linkRelease, readSiteFolder, releaseFiles, siteHeaders } from '@boxoffice/pages';

const { resolve } = createRequire(import.meta.url);

/** Files of npm packages that the shop loads: the QR encoder and the display typeface. */
const packaged = (): Readonly<Record<string, string>> => {
  const font = (name: string) => resolve(`@fontsource-variable/cormorant/files/${name}`);
  return {
    'lib/lean-qr.mjs': join(dirname(resolve('lean-qr')), 'index.mjs'),
    'fonts/cormorant.woff2': font('cormorant-latin-wght-normal.woff2'),
    'fonts/cormorant-ext.woff2': font('cormorant-latin-ext-wght-normal.woff2'),
    'fonts/cormorant-italic.woff2': font('cormorant-latin-wght-italic.woff2'),
  };
};

/** The files of the shop by their path below /shop/: those of the folder `shop`, of {@link packaged}, and a table. */
const readShop = () => {
  const own = readSiteFolder(fileURLToPath(new URL('../shop/', import.meta.url)));
  const ofPackages = Object.entries(packaged()).map(([name, file]) => [name, readFileSync(file)] as const);
  const exponents = Buffer.from(`export const exponents = ${JSON.stringify(EXPONENTS)};\n`);
  const contents = new Map([...own, ...ofPackages, ['lib/minor-units.js', exponents] as const]);
  return releaseFiles(contents, { 'index.html': linkRelease });
};

/** Serves the demo shop at /shop/. */
export const createShopFront = (next: RequestListener): RequestListener => {
  const files = readShop();
  const find = (path: string) => files.get(path || 'index.html');
  return createSiteFront({ name: 'shop', root: '/shop/', headers: siteHeaders(), find }, next);
};
