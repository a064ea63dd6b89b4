import { expect, test } from '@jest/globals';
import { checkDocuments, documentFaults } from '../../src/documents.ts';
import { findRules, rulesOf } from '../../src/rules.ts';

const ROOT = new URL('../../../../', import.meta.url).pathname;

test.each([
  ['a file', '[gone](../services/gone.ts)'],
  ['a heading', '[gone](settings.md#gone)'],
  ['a path in backticks', 'as in `services/orders/src/gone.ts`'],
  ['a title', '[tests/acceptance/package.json](../tests/acceptance/package.json): "a test that is gone"'],
  ['a file of another name', '[deploy/local/package.json](../tests/acceptance/package.json)'],
  ['a line of prose that is too long', 'word '.repeat(40)],
])('a page that names a missing target is faulty: %s', (_, text) => {
  expect(documentFaults(ROOT, 'docs/page.md', text)).toHaveLength(1);
});

test('existing targets, external links, code and long table rows are accepted', () => {
  const text = [
    '[tests/acceptance/package.json](../tests/acceptance/package.json): "@boxoffice/acceptance"',
    '[settings](settings.md#engines), [elsewhere](https://example.org/none), `tests/acceptance/package.json`',
    '```',
    '[gone](gone.md)',
    '```',
    `| ${'cell '.repeat(40)} |`,
  ].join('\n');
  expect(documentFaults(ROOT, 'docs/page.md', text)).toEqual([]);
});

test('a rule is a line of the test that holds it', () => {
  const tagged = ['// rule 2: a sentence | libs/http/src/operation.ts', '// rule of thumb: none | x'].join('\n');
  expect(rulesOf('a.test.ts', tagged)).toEqual([
    { section: '2', sentence: 'a sentence', implementedIn: 'libs/http/src/operation.ts', test: 'a.test.ts' },
  ]);
  expect(findRules().length).toBeGreaterThan(90);
});

test('the documents of the project have no fault', async () => {
  expect((await checkDocuments()).faults).toEqual([]);
});
