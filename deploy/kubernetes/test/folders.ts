import { fileURLToPath } from 'node:url';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export const repository = here('../../../');
export const base = here('../base');
export const example = here('../overlays/example');
export const firstInstitution = here('../overlays/example-first-institution');

/** Everything that can be applied by itself. */
export const applicable = [base, example, firstInstitution];
