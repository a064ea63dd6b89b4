import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  buildSiteFiles,
  buildSiteHeaders,
  createSiteFile,
  createSiteFront,
  linkRelease,
  type Release,
  readSiteFolder,
} from '@boxoffice/pages';

const { resolve } = createRequire(import.meta.url);

/** The page loads what is here, compiles WebAssembly, and starts workers by addresses of its own policy alone. */
const headers = buildSiteHeaders({
  policy: {
    'script-src': "'self' 'wasm-unsafe-eval'",
    'worker-src': "'self'",
    'manifest-src': "'self'",
    'trusted-types': 'door',
  },
  camera: true,
});

export function createDoorFront(
  next: RequestListener,
  { publicUrl, settings }: { readonly publicUrl: string; readonly settings: { readonly doorClientIds: string } },
): RequestListener {
  const ofPackages = Object.entries(listPackagedFiles()).map(([name, file]) => [name, readFileSync(file)] as const);
  const contents = new Map([
    ...readSiteFolder(fileURLToPath(new URL('../../browser/', import.meta.url))),
    ...ofPackages,
  ]);
  const files = buildSiteFiles(contents, {
    'index.html': linkRelease,
    'manifest.webmanifest': (source, { folder }) => source.replaceAll('RELEASE', folder),
    'service-worker.js': addRelease,
  });
  /** With demo data the clients exist only after the service has started. */
  const settingsFile = () => {
    const content = { address: `${publicUrl}/door/`, clients: parseClients(settings.doorClientIds) };
    return createSiteFile('settings.json', `${JSON.stringify(content)}\n`);
  };
  const find = (path: string) => (path === 'settings.json' ? settingsFile() : files.get(path || 'index.html'));
  return createSiteFront({ name: 'door', root: '/door/', headers, find }, next);
}

const listPackagedFiles = (): Readonly<Record<string, string>> => {
  // The exported entry is CommonJS; beside it are the modules for browsers.
  const modules = join(dirname(resolve('zxing-wasm/reader')), '../../es');
  return {
    'lib/ed25519.js': resolve('@noble/ed25519'),
    'lib/zxing/reader/index.js': join(modules, 'reader/index.js'),
    'lib/zxing/share.js': join(modules, 'share.js'),
    'lib/zxing/zxing_reader.wasm': resolve('zxing-wasm/reader/zxing_reader.wasm'),
  };
};

/** Another release is another worker. */
const addRelease = (source: string, release: Release): string =>
  `const release = ${JSON.stringify(release)};\n${source}`;

const parseClients = (setting: string) =>
  setting
    .split(',')
    .filter((entry) => entry.trim() !== '')
    .map((entry) => {
      const [name = '', clientId = ''] = entry.split('=').map((part) => part.trim());
      return { name, clientId };
    });
