import { spawnSync } from 'node:child_process';
import { parseAllDocuments } from 'yaml';

/** Any JSON, untyped: its schema is checked once, and a reader takes the members that it needs. */
export type Json = ReturnType<typeof JSON.parse>;

export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [member: string]: Json;
}

/** Kind and name, which identify an object within a namespace. */
export function formatResourceName({ kind, metadata }: Resource): string {
  return `${kind}/${metadata.name}`;
}

const candidates = [
  { build: ['kustomize', 'build'], version: ['version'] },
  { build: ['kubectl', 'kustomize'], version: ['version', '--client'] },
] as const;

type Command = (typeof candidates)[number]['build'];

let found: { readonly command: Command | undefined } | undefined;

/** The first installed command with a kustomize of version 5; undefined without one. */
export function findKustomizeCommand(): Command | undefined {
  found ??= {
    command: candidates.find(({ build: [program], version }) =>
      /\bv5\.\d/.test(spawnSync(program, version, { encoding: 'utf8', timeout: 60_000 }).stdout ?? ''),
    )?.build,
  };
  return found.command;
}

/** The hashes at the end of the names of generated ConfigMaps and of references to them. */
const hashes = /\b([a-z]+-settings)-[a-z0-9]{10}\b/g;

/** What `kustomize build` prints for a folder. @throws {Error} when it fails, or is not installed */
export function build(folder: string): string {
  const command = findKustomizeCommand();
  if (!command) throw new Error('install kustomize 5 or a kubectl that contains it: neither is on the PATH');
  const [program, verb] = command;
  const { status, stdout, stderr } = spawnSync(program, [verb, folder], { encoding: 'utf8', maxBuffer: 10_000_000 });
  if (status !== 0) throw new Error(`${program} ${verb} ${folder}: ${stderr}`);
  return stdout;
}

const results = new Map<string, Resource[]>();

/** The resources of a folder, without the hashes in the names of generated ConfigMaps. @throws {Error} as `build` */
export function renderFolder(folder: string): Resource[] {
  const known = results.get(folder);
  if (known) return known;
  const resources = parseDocuments(build(folder).replaceAll(hashes, '$1'));
  results.set(folder, resources);
  return resources;
}

/** The documents of a text, parsed as Kubernetes does (YAML 1.1: a number may be octal). @throws {Error} on a fault */
const parseDocuments = (text: string): Resource[] =>
  parseAllDocuments(text, { version: '1.1', uniqueKeys: true, merge: false }).map((document) => {
    const [error] = [...document.errors, ...document.warnings];
    if (error) throw error;
    return document.toJS() as Resource;
  });
