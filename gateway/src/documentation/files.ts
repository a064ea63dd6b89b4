import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Content, compress } from '../exchange/content.ts';
import { DOCS } from './guides.ts';

const above = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** An image has the guides in the gateway's folder, a checkout where they are written. */
const ROOT =
  [above('../../repository'), above('../../..')].find((folder) => existsSync(join(folder, 'docs/guides'))) ?? '';

const BROWSER = above('../../browser');

const { resolve } = createRequire(import.meta.url);

/** The path is from the root of the repository. Rejects if this installation has no such file. */
export function readGuide(file: string): Promise<string> {
  return readFile(join(ROOT, file), 'utf8');
}

/** Reads `/docs/client.tgz`: a checkout packs it, an image has it beside the guides. Rejects if there is none. */
export function readPackage(): Promise<Buffer> {
  const packed = join(ROOT, 'client.tgz');
  return existsSync(packed) ? readFile(packed) : pack();
}

const pack = async (): Promise<Buffer> => {
  const folder = await mkdtemp(join(tmpdir(), 'boxoffice-client-'));
  try {
    const words = ['--dir', join(ROOT, 'libs/client'), 'pack', '--pack-destination', folder];
    await promisify(execFile)('npm', ['run', '--silent', 'pnpm', '--', ...words], { cwd: ROOT });
    const [name] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
    if (name === undefined) throw new Error('pnpm pack wrote no tarball');
    return await readFile(join(folder, name));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const BUNDLE = 'dist/browser/openapi-explorer.min.js';

const sources = {
  'docs.css': () => join(BROWSER, 'docs.css'),
  'reference.css': () => join(BROWSER, 'reference.css'),
  'samples.js': () => join(BROWSER, 'samples.js'),
  'local-examples.js': () => join(BROWSER, 'local-examples.js'),
  'contents.js': () => join(BROWSER, 'contents.js'),
  'reference.js': () => join(BROWSER, 'reference.js'),
  'callback.js': () => join(BROWSER, 'callback.js'),
  'openapi-explorer.js': () => join(dirname(resolve('openapi-explorer/package.json')), BUNDLE),
};

export type AssetName = keyof typeof sources;

/** Browsers keep it for good: its address contains its hash. */
export interface Asset extends Content {
  readonly address: string;
  /** For `integrity`. */
  readonly integrity: string;
}

const loaded = new Map<AssetName, Promise<Asset>>();

export function readAsset(name: AssetName): Promise<Asset> {
  const known = loaded.get(name) ?? load(name);
  loaded.set(name, known);
  known.catch(() => loaded.delete(name));
  return known;
}

const load = async (name: AssetName): Promise<Asset> => {
  // Few clients take no gzip.
  const read = () => readFile(sources[name]());
  const body = await read();
  const digest = hash('sha256', body, 'hex').slice(0, 16);
  return {
    address: `${DOCS}/assets/${digest}/${name}`,
    integrity: `sha384-${hash('sha384', body, 'base64')}`,
    status: 200,
    headers: {
      'Content-Type': name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
    etag: `"${digest}"`,
    gzipped: await compress(body),
    read,
  };
};

/** Undefined if there is none, or it has changed since. */
export async function findAsset(path: string): Promise<Asset | undefined> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (!Object.hasOwn(sources, name)) return undefined;
  const found = await readAsset(name as AssetName);
  return found.address === path ? found : undefined;
}
