import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The names of its program in Debian, in Ubuntu, and from its maker. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * The browser that tests drive: the program that TEST_CHROMIUM names, else the first one on the PATH; else undefined.
 */
export const chromiumPath = (env: Readonly<Record<string, string | undefined>>): string | undefined => {
  if (env.TEST_CHROMIUM) return env.TEST_CHROMIUM;
  const directories = (env.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
  return directories
    .flatMap((directory) => NAMES.map((name) => join(directory, name)))
    .find((file) => existsSync(file));
};
