import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { CALLS } from '@boxoffice/authorizer';
import { generated } from './generate.ts';
import { PARTNER_FOLDER, partnerFiles } from './partner-files.ts';

const ROOT = new URL('../../../../', import.meta.url);

/** The services with generated clients. The gateway has none: it reads one member of one response. */
const callers = Object.keys(CALLS).filter((name) => name !== 'gateway');

/** The folder of a service's generated modules, one per service that it calls. */
const folderOf = (caller: string): string =>
  caller === 'authorizer' ? 'authorizer/src/references/generated/' : `services/${caller}/src/clients/generated/`;

const fileOf = (path: string): URL => new URL(path, ROOT);

const textOf = (path: string): string | undefined =>
  existsSync(fileOf(path)) ? readFileSync(fileOf(path), 'utf8') : undefined;

/** Sources of the modules of a caller, by path from the root of the repository. */
const modulesOf = async (caller: string): Promise<ReadonlyMap<string, string>> => {
  const modules = Object.entries(CALLS[caller] ?? {}).map(async ([service, ids]): Promise<[string, string]> => {
    const released = `services/${service}/released/internal.json`;
    const text = textOf(released);
    if (text === undefined) throw new Error(`${caller} calls ${service}, and there is no ${released}`);
    return [`${folderOf(caller)}${service}.ts`, await generated(JSON.parse(text), service, ids)];
  });
  return new Map(await Promise.all(modules));
};

/** The folders of generated modules, with the sources of their files by path. */
const foldersOfModules = async (): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> => {
  const all = new Map<string, ReadonlyMap<string, string>>();
  for (const caller of callers) all.set(folderOf(caller), await modulesOf(caller));
  return all.set(PARTNER_FOLDER, await partnerFiles());
};

/** Generated modules that are not needed any more. */
const leftoversOf = (folder: string, modules: ReadonlyMap<string, string>): string[] => {
  const found = existsSync(fileOf(folder)) ? readdirSync(fileOf(folder)).map((name) => `${folder}${name}`) : [];
  return found.filter((path) => !modules.has(path));
};

/** The outdated files: by path, the new source, or undefined for deletion. */
const differing = async (): Promise<ReadonlyMap<string, string | undefined>> => {
  const all = new Map<string, string | undefined>();
  for (const [folder, modules] of await foldersOfModules()) {
    for (const [path, source] of modules) if (textOf(path) !== source) all.set(path, source);
    for (const path of leftoversOf(folder, modules)) all.set(path, undefined);
  }
  return all;
};

/** Generates the clients of every service, and what the partners' package knows; returns the changed paths. */
export const writeClients = async (): Promise<string[]> => {
  const changes = await differing();
  for (const [path, source] of changes) {
    mkdirSync(new URL('.', fileOf(path)), { recursive: true });
    if (source === undefined) rmSync(fileOf(path));
    else writeFileSync(fileOf(path), source);
  }
  return [...changes.keys()];
};

/** The generated clients that differ from their released descriptions, in words. */
export const staleClients = async (): Promise<string[]> =>
  [...(await differing()).keys()].map(
    (path) => `${path} differs from the released description: npm run release -- clients`,
  );
