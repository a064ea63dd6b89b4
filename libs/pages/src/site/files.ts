// Web applications of a service: files in memory, a folder per release that browsers keep for good, strict headers.

import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Media types by file extension; files with other extensions are not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** A body as it is sent. */
export interface Variant {
  readonly body: Buffer;
  /** A strong validator, with its quotes. */
  readonly etag: string;
}

/** A file of a site. */
export interface SiteFile {
  readonly type: string;
  readonly cacheControl: string;
  readonly plain: Variant;
  /** Undefined if compression saves less than a tenth. */
  readonly gzipped: Variant | undefined;
}

/** Of a file whose path changes with its content. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

/** Of a file whose path stays. */
const REVALIDATED = 'no-cache';

const variant = (body: Buffer): Variant => ({ body, etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"` });

/** A file with its variants; its name decides its media type. It is revalidated with its ETag unless `cacheControl` says more. */
export const siteFile = (name: string, content: Buffer | string, cacheControl = REVALIDATED): SiteFile => {
  const plain = Buffer.from(content);
  const gzipped = gzipSync(plain);
  return {
    type: TYPES[extname(name)] ?? '',
    cacheControl,
    plain: variant(plain),
    gzipped: gzipped.length < plain.length * 0.9 ? variant(gzipped) : undefined,
  };
};

/** The contents of the folder's files by their path in it, as far as their extension is served. */
export const readSiteFolder = (folder: string): ReadonlyMap<string, Buffer> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => extname(name) in TYPES)
      .map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name))] as const),
  );

/** The folder of a release, and the paths of its files from the site's root. */
export interface Release {
  readonly folder: string;
  readonly paths: readonly string[];
}

/** Makes a file whose path stays from its source. */
type Entry = (source: string, release: Release) => string;

/** The page, with its links leading into the folder of the release. */
export const linkRelease: Entry = (page, { folder }) =>
  page.replaceAll(/(href|src)="(?!#|\/|https?:)([^"]+)"/g, `$1="${folder}/$2"`);

/**
 * The files of a site by their path below its root. All but the entries are in a folder named after the content of all
 * of them, so browsers keep them for good: modules import each other by relative paths. Entries stay at the root.
 */
export const releaseFiles = (
  contents: ReadonlyMap<string, Buffer>,
  entries: Readonly<Record<string, Entry>>,
): ReadonlyMap<string, SiteFile> => {
  const folder = hash('sha256', Buffer.concat([...contents.values()]), 'hex').slice(0, 16);
  const released = [...contents].filter(([name]) => !Object.hasOwn(entries, name));
  const release = { folder, paths: released.map(([name]) => `${folder}/${name}`) };
  return new Map([
    ...released.map(([name, content]) => [`${folder}/${name}`, siteFile(name, content, FOR_GOOD)] as const),
    ...Object.entries(entries).map(
      ([name, make]) => [name, siteFile(name, make(`${contents.get(name) ?? ''}`, release))] as const,
    ),
  ]);
};
