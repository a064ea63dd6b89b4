import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSiteFiles, readSiteFolder, type SiteFile } from '@boxoffice/pages';

export const ROOT = '/shop/';

const { resolve } = createRequire(import.meta.url);

export interface ShopFiles {
  /** The address has the version of the file. */
  addressOf(name: string): string;
  /** The path is below {@link ROOT}. */
  find(path: string): SiteFile | undefined;
  readonly styles: string;
  /** Includes what it imports, directly and indirectly, but not what it loads when needed. */
  modulesOf(name: string): readonly string[];
}

/** In their order; tickets has that for print, which applies last. */
const STYLES = ['base', 'controls', 'frame', 'catalogue', 'choice', 'seats', 'purchase', 'tickets'];

const IMPORT = /^(?:import|export)\s[^;'"]*?from\s+'(\.[^']+)';/gm;

export function readShopFiles(): ShopFiles {
  const own = readSiteFolder(fileURLToPath(new URL('../../browser/', import.meta.url)));
  const ofPackages = Object.entries(listPackagedFiles()).map(([name, file]) => [name, readFileSync(file)] as const);
  const contents = new Map([...own, ...ofPackages]);
  const files = buildSiteFiles(contents, {});
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

const listPackagedFiles = (): Readonly<Record<string, string>> => {
  const font = (name: string) => resolve(`@fontsource-variable/cormorant/files/${name}`);
  return {
    'lib/lean-qr.mjs': join(dirname(resolve('lean-qr')), 'index.mjs'),
    'fonts/cormorant.woff2': font('cormorant-latin-wght-normal.woff2'),
    'fonts/cormorant-ext.woff2': font('cormorant-latin-ext-wght-normal.woff2'),
  };
};
