// The shop in the browser: its first pages as HTML, its files, and the look of its point of sale.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSiteFolder, releaseFiles, type SiteFile } from '@boxoffice/pages';

/** The root of the shops of all points of sale. */
export const ROOT = '/shop/';

const { resolve } = createRequire(import.meta.url);

/** The files of the shop. */
export interface ShopFiles {
  /** The address of a file, with its version. */
  addressOf(name: string): string;
  /** The file at a path below {@link ROOT}. */
  find(path: string): SiteFile | undefined;
  /** All stylesheets as one. */
  readonly styles: string;
  /** A module and those that it imports, directly and indirectly; without those that it loads when needed. */
  modulesOf(name: string): readonly string[];
}

/** The stylesheets in their order; tickets has that for print, which applies last. */
const STYLES = ['base', 'controls', 'frame', 'catalogue', 'choice', 'seats', 'purchase', 'tickets'];

const IMPORT = /^(?:import|export)\s[^;'"]*?from\s+'(\.[^']+)';/gm;

/** Reads the files of the shop, once. */
export function readShopFiles(): ShopFiles {
  const own = readSiteFolder(fileURLToPath(new URL('../../shop/', import.meta.url)));
  const ofPackages = Object.entries(packaged()).map(([name, file]) => [name, readFileSync(file)] as const);
  const contents = new Map([...own, ...ofPackages]);
  const files = releaseFiles(contents, {});
  const [folder = ''] = [...files.keys()].map((path) => path.split('/', 1)[0]);
  const addressOf = (name: string) => `${ROOT}${folder}/${name}`;
  const collect = (name: string, seen: Set<string>): readonly string[] => {
    if (seen.has(name)) return [];
    seen.add(name);
    for (const [, path = ''] of String(contents.get(name)).matchAll(IMPORT))
      collect(posix.join(posix.dirname(name), path), seen);
    return [...seen];
  };
  return {
    addressOf,
    find: (path) => files.get(path),
    styles: STYLES.map((name) => contents.get(`styles/${name}.css`))
      .join('')
      .replaceAll('url("../', `url("${addressOf('')}`),
    modulesOf: (name) => collect(name, new Set()),
  };
}

/** Files of npm packages that the shop loads: the QR encoder and the display typeface. */
const packaged = (): Readonly<Record<string, string>> => {
  const font = (name: string) => resolve(`@fontsource-variable/cormorant/files/${name}`);
  return {
    'lib/lean-qr.mjs': join(dirname(resolve('lean-qr')), 'index.mjs'),
    'fonts/cormorant.woff2': font('cormorant-latin-wght-normal.woff2'),
    'fonts/cormorant-ext.woff2': font('cormorant-latin-ext-wght-normal.woff2'),
  };
};
