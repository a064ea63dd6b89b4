import { globSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileClient } from '../../src/client-package.ts';

const DOCUMENT = new URL('../../../../docs/sign-in.md', import.meta.url);

/** The modules that the page of the document loads, by their paths below `/node_modules`. */
const MODULES = ['oidc-client-ts/dist/esm/oidc-client-ts.js', 'jwt-decode/build/esm/index.js'];

const LIBRARY = new URL('../../node_modules/oidc-client-ts', import.meta.url);

/** Where the page loads @boxoffice/client from. */
export const CLIENT_MODULE = '/node_modules/@boxoffice/client/dist/index.js';

/** A single-page application on an origin of its own. */
export interface SinglePageApplication {
  readonly url: string;
  close(): Promise<void>;
}

const MOST_LINES = 40;

/** Serves the single-page application of `docs/sign-in.md` as it says: at `/` and `/callback`, with its modules. */
export async function serveSinglePageApplication(baseUrl: string, clientId: string): Promise<SinglePageApplication> {
  const page = await pageOf(baseUrl, clientId);
  const modules = new Map([...(await readModules()), ...(await readClient())]);
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0] ?? '';
    const module = modules.get(path);
    if (module !== undefined) response.setHeader('Content-Type', 'text/javascript').end(module);
    else if (path === '/' || path === '/callback') response.setHeader('Content-Type', 'text/html').end(page);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The page of the document, with the address and the client of an installation. */
const pageOf = async (baseUrl: string, clientId: string): Promise<string> => {
  const [, page] = /```html\n(<!doctype html>[\s\S]*?)```/.exec(await readFile(DOCUMENT, 'utf8')) ?? [];
  const settings = ['https://tickets.example.org', 'cli_of-your-application'] as const;
  if (page === undefined || settings.some((setting) => page.split(setting).length !== 2))
    throw new Error('docs/sign-in.md has no single-page application with one address and one client');
  const { length } = page.trimEnd().split('\n');
  if (length > MOST_LINES) throw new Error(`the single-page application of docs/sign-in.md has ${length} lines`);
  return page.replace(settings[0], baseUrl).replace(settings[1], clientId);
};

/** Reads the modules: pnpm keeps the dependencies of a package beside it. */
const readModules = async (): Promise<ReadonlyMap<string, string>> => {
  const folder = await realpath(LIBRARY);
  const texts = await Promise.all(MODULES.map((module) => readFile(join(folder, '..', module), 'utf8')));
  return new Map(MODULES.map((module, index) => [`/node_modules/${module}`, texts[index] ?? '']));
};

/** The modules of @boxoffice/client as it is packed. */
const readClient = async (): Promise<ReadonlyMap<string, string>> => {
  const folder = await mkdtemp(join(tmpdir(), 'boxoffice-client-'));
  try {
    await compileClient(folder);
    const names = globSync('**/*.js', { cwd: folder });
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    return new Map(names.map((name, index) => [CLIENT_MODULE.replace('index.js', name), texts[index] ?? '']));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
