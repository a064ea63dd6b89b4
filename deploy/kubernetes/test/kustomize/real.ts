import { spawnSync } from 'node:child_process';
import { documentsIn } from './read.ts';
import type { Resource } from './tree.ts';

/** The commands that render, and those that print the version. */
const candidates = [
  { build: ['kustomize', 'build'], version: ['version'] },
  { build: ['kubectl', 'kustomize'], version: ['version', '--client'] },
] as const;

/** The first installed one with a kustomize of version 5; undefined without one. */
export const kustomize: readonly [string, string] | undefined = candidates.find(({ build: [program], version }) =>
  /\bv5\.\d/.test(spawnSync(program, version, { encoding: 'utf8', timeout: 10_000 }).stdout ?? ''),
)?.build;

/** The hashes at the end of the names of generated ConfigMaps and of references to them. */
const hashes = /\b(boxoffice-settings|gateway-settings)-[a-z0-9]{10}\b/g;

/** The output of kustomize for a folder, without those hashes. @throws {Error} when it fails */
export const reallyRendered = ([program, verb]: readonly [string, string], folder: string): Resource[] => {
  const { status, stdout, stderr } = spawnSync(program, [verb, folder], { encoding: 'utf8', maxBuffer: 10_000_000 });
  if (status !== 0) throw new Error(`${program} ${verb} ${folder}: ${stderr}`);
  return documentsIn(stdout.replaceAll(hashes, '$1')) as Resource[];
};
