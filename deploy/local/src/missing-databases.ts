import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@boxoffice/runtime';

/**
 * Warns of each database file that is missing although the installation has others: the engine is about to make an empty one. It is no
 * fault, since a newer version may bring a further service.
 */
export const warnOfMissing = (directory: string, names: readonly string[], logger: Pick<Logger, 'warn'>): void => {
  const missing = names.map((name) => join(directory, `${name}.sqlite`)).filter((file) => !existsSync(file));
  if (missing.length === names.length) return;
  for (const file of missing) {
    logger.warn('a database file is missing and is made anew, empty; if it was lost, stop and restore it', {
      part: file,
    });
  }
};
