import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@boxoffice/runtime';

/**
 * Warns of each database file that is missing although others exist: the engine then creates an empty one. It is no
 * fault, since a newer version may add a service.
 */
export const warnOfMissing = (directory: string, names: readonly string[], logger: Pick<Logger, 'warn'>): void => {
  const files = names.map((name) => join(directory, `${name}.sqlite`));
  // The engine itself reports an entry that is no file.
  if (!files.some((file) => statSync(file, { throwIfNoEntry: false })?.isFile())) return;
  for (const file of files.filter((one) => !existsSync(one))) {
    logger.warn('a database file is missing and is created empty; if it was lost, stop and restore a backup', {
      part: file,
    });
  }
};
