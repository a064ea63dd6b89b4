import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const ROOT = new URL('../../../../', import.meta.url).pathname;
const SOURCES = '{gateway/src,authorizer/src,libs/{runtime,service}/src,services/*/src,deploy/local/src}/**/*.ts';

const page = readFileSync(`${ROOT}docs/settings.md`, 'utf8');
const source = globSync(SOURCES, { cwd: ROOT })
  .map((file) => readFileSync(`${ROOT}${file}`, 'utf8'))
  .join('\n');

/**
 * Names passed to the settings readers, such as `integer('MAX_HELD_PLACES', …)`; a certificate's two files are read by
 * their prefix.
 */
const read = [...source.matchAll(/\b[a-z]\w*\('([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g)]
  .map(([, name = '']) => name)
  .filter((name) => !name.startsWith('TEST_'));

/** The settings of the page: the first cells of its tables. */
const documented = [...page.matchAll(/^\| (`[A-Z][^|]*) \|/gm)]
  .flatMap(([, cell = '']) => [...cell.matchAll(/`([A-Z0-9_]+)`/g)])
  .map(([, name = '']) => name);

test('every setting that a process reads is in docs/settings.md', () => {
  expect(new Set(read).size).toBeGreaterThan(30);
  expect([...new Set(read)].filter((name) => !page.includes(name))).toEqual([]);
});

test('every setting of docs/settings.md is read by a process', () => {
  expect(documented.length).toBeGreaterThan(30);
  const isRead = (name: string): boolean => source.includes(`'${name.replace(/_(?:CERT|KEY)_FILE$/, '')}'`);
  expect(documented.filter((name) => !isRead(name))).toEqual([]);
});
