import { readFileSync } from 'node:fs';

/**
 * The version of the package that a module directly in its `src` (or `dist`) belongs to: `versionOf(import.meta.url)`.
 * It is stated only in package.json.
 */
export function readVersion(moduleUrl: string): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', moduleUrl), 'utf8')) as { version: string };
  return version;
}
