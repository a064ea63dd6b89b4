import { fileURLToPath } from 'node:url';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export const repository = here('../../../');
export const base = here('../base');
export const example = here('../overlays/example');
export const firstInstitution = here('../overlays/example-first-institution');
export const topology = here('../overlays/example-topology');
/** What the Helm chart is made of. */
export const chart = here('../chart');
/** The base with every component. */
export const everything = here('./everything');

/** Every folder that can be applied by itself, and the base with every component. */
export const applicable = [base, example, topology, firstInstitution, everything];
