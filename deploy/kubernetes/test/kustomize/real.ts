import { spawnSync } from 'node:child_process';
import { documentsIn } from './read.ts';
import type { Resource } from './tree.ts';

const candidates: readonly (readonly [string, string])[] = [
  ['kustomize', 'build'],
  ['kubectl', 'kustomize'],
];

/** The first of them that is on this machine, undefined where there is none. */
export const kustomize = candidates.find(([program]) => spawnSync('which', [program]).status === 0);

/** The hashes at the end of the names of generated ConfigMaps, and of what refers to them. */
const hashes = /\b(boxoffice-settings|gateway-settings)-[a-z0-9]{10}\b/g;

/** What kustomize itself makes of a folder, without those hashes. @throws when it refuses */
export const reallyRendered = ([program, verb]: readonly [string, string], folder: string): Resource[] => {
  const { status, stdout, stderr } = spawnSync(program, [verb, folder], { encoding: 'utf8', maxBuffer: 10_000_000 });
  if (status !== 0) throw new Error(`${program} ${verb} ${folder}: ${stderr}`);
  return documentsIn(stdout.replaceAll(hashes, '$1')) as Resource[];
};
