import { spawnSync } from 'node:child_process';
import { parseAllDocuments } from 'yaml';
import type { Resource } from './tree.ts';

/** The commands that render, and those that print the version. */
const candidates = [
  { build: ['kustomize', 'build'], version: ['version'] },
  { build: ['kubectl', 'kustomize'], version: ['version', '--client'] },
] as const;

type Command = (typeof candidates)[number]['build'];

let found: { readonly command: Command | undefined } | undefined;

/** The first installed command with a kustomize of version 5; undefined without one. */
export const kustomizeCommand = (): Command | undefined => {
  found ??= {
    command: candidates.find(({ build: [program], version }) =>
      /\bv5\.\d/.test(spawnSync(program, version, { encoding: 'utf8', timeout: 60_000 }).stdout ?? ''),
    )?.build,
  };
  return found.command;
};

/** The hashes at the end of the names of generated ConfigMaps and of references to them. */
const hashes = /\b([a-z]+-settings)-[a-z0-9]{10}\b/g;

/** Whether Helm 3 or newer is installed. */
export const helmIsThere = (): boolean =>
  /^v[3-9]\./.test(spawnSync('helm', ['version', '--short'], { encoding: 'utf8', timeout: 60_000 }).stdout ?? '');

/** The documents of a text, parsed as Kubernetes does (YAML 1.1: a number may be octal). @throws {Error} on a fault */
export const documentsIn = (text: string): Resource[] =>
  parseAllDocuments(text, { version: '1.1', uniqueKeys: true, merge: false }).map((document) => {
    const [error] = [...document.errors, ...document.warnings];
    if (error) throw error;
    return document.toJS() as Resource;
  });

const results = new Map<string, Resource[]>();

/**
 * What `kustomize build` prints for a folder, without the hashes in the names of generated ConfigMaps.
 * @throws {Error} when it fails, or is not installed
 */
export const rendered = (folder: string): Resource[] => {
  const known = results.get(folder);
  if (known) return known;
  const command = kustomizeCommand();
  if (!command) throw new Error('install kustomize 5 or a kubectl that contains it: neither is on the PATH');
  const [program, verb] = command;
  const { status, stdout, stderr } = spawnSync(program, [verb, folder], { encoding: 'utf8', maxBuffer: 10_000_000 });
  if (status !== 0) throw new Error(`${program} ${verb} ${folder}: ${stderr}`);
  const resources = documentsIn(stdout.replaceAll(hashes, '$1'));
  results.set(folder, resources);
  return resources;
};
