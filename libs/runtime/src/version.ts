import { readFileSync } from 'node:fs';

/** The version in the package.json of a module directly in `src` or `dist`. */
export function readVersion(moduleUrl: string): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', moduleUrl), 'utf8')) as { version: string };
  return version;
}
