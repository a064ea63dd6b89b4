import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The names of its program in Debian, in Ubuntu, and from its maker. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const programNamed = (names: readonly string[], { PATH = '' }: Readonly<Record<string, string | undefined>>) =>
  PATH.split(delimiter)
    .filter((directory) => directory !== '')
    .flatMap((directory) => names.map((name) => join(directory, name)))
    .find((file) => existsSync(file));

/**
 * The browser that tests drive: the program that TEST_CHROMIUM names, else the first one on the PATH; else undefined.
 */
export const chromiumPath = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  env.TEST_CHROMIUM || programNamed(NAMES, env);

/** The same without camera and password manager where that is there, which takes half the processor time. */
export const headlessPath = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  env.TEST_CHROMIUM || programNamed(['chromium-headless-shell', ...NAMES], env);
