import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What it is called by Debian, by Ubuntu, and by its maker. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The browser that tests drive: what TEST_CHROMIUM names, else the first one on the PATH; undefined without any. */
export const chromiumPath = (env: Readonly<Record<string, string | undefined>>): string | undefined => {
  if (env.TEST_CHROMIUM) return env.TEST_CHROMIUM;
  const directories = (env.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
  return directories
    .flatMap((directory) => NAMES.map((name) => join(directory, name)))
    .find((file) => existsSync(file));
};
