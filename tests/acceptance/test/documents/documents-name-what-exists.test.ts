import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { listRefusedLicences } from '../../src/checks.ts';
import { findLongRows, findMissingTargets, readDocuments } from '../../src/documents.ts';
import { findRules, formatRules, parseRules } from '../../src/rules.ts';

const ROOT = new URL('../../../../', import.meta.url).pathname;

test.each([
  ['a file', '[gone](../services/gone.ts)', ['services/gone.ts']],
  ['a heading', '[gone](settings.md#gone)', ['docs/settings.md#gone']],
  ['a path in backticks', 'as in `services/orders/src/gone.ts`', ['services/orders/src/gone.ts']],
])('a page that names a missing target is faulty: %s', (_, text, missing) => {
  expect(findMissingTargets(ROOT, 'docs/page.md', text)).toEqual(missing);
});

test('existing targets, external links and code are accepted', () => {
  const text = [
    '[package](../tests/acceptance/package.json)',
    '[settings](settings.md#engines), [elsewhere](https://example.org/none), `tests/acceptance/package.json`',
    '```',
    '[gone](gone.md)',
    '```',
  ].join('\n');
  expect(findMissingTargets(ROOT, 'docs/page.md', text)).toEqual([]);
});

test('a rule is a line of the test that holds it', () => {
  const tagged = ['// rule 2: a sentence | libs/http/src/operation.ts', '// rule of thumb: none | x'].join('\n');
  expect(parseRules('a.test.ts', tagged)).toEqual([
    { section: '2', sentence: 'a sentence', implementedIn: 'libs/http/src/operation.ts', test: 'a.test.ts' },
  ]);
  expect(findRules().length).toBeGreaterThan(90);
});

test('a word leads to sentences, else to tests that are named after it, and never to nothing', () => {
  expect(formatRules('envelope')).toMatch(/^\S+: .+\n {4}\S+\.ts\n {4}\S+\.test\.ts/);
  expect(formatRules('without a network')).toContain('a-scan-is-decided-without-a-network.test.ts');
  expect(formatRules('zebra')).toMatch(/^no sentence of the interface specification has "zebra", and no test/);
});

test('a decision is a paragraph of the page of its subject, and no row of a table', () => {
  const pages = globSync('docs/decisions/*.md', { cwd: ROOT });
  expect(pages.length).toBeGreaterThan(5);
  for (const page of pages) {
    const lines = readFileSync(`${ROOT}${page}`, 'utf8').split('\n');
    expect([page, lines.filter((line) => line.startsWith('|') || line.length > 200)]).toEqual([page, []]);
  }
});

test('no row of a table is a paragraph: none has over 400 characters, in any document', () => {
  expect(findLongRows(`${'x'.repeat(401)}\n|${'x'.repeat(399)}\n|${'x'.repeat(400)}`)).toEqual([3]);
  const documents = readDocuments();
  expect(documents.length).toBeGreaterThan(30);
  const long = documents.flatMap(({ file, text }) => findLongRows(text).map((line) => `${file}:${line}`));
  expect(long).toEqual([]);
});

test('packages of licences that are not allowed are named', () => {
  const list = { MIT: [{ name: 'a' }], 'SSPL-1.0': [{ name: 'b' }, { name: 'c' }], Unknown: [{ name: 'd' }] };
  expect(listRefusedLicences(JSON.stringify(list))).toEqual(['SSPL-1.0: b, c', 'Unknown: d']);
});

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
