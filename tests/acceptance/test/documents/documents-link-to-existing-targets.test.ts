import { expect, test } from '@jest/globals';
import { checkDocuments, documentFaults, ruleFaults } from '../../src/documents.ts';

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

test.each([
  ['no file', '| a rule | – | – |', 1],
  ['a test as file', '| a rule | [a/test/b.ts](b) | – |', 1],
  ['a file as test', '| a rule | [a/src/b.ts](b) | [a/src/b.ts](b) |', 1],
  ['two files', '| a rule | [a/src/b.ts](b) [a/src/c.ts](c) | – |', 1],
  ['all three', '| a rule | [a/src/b.ts](b) | [a/test/b.ts](b) |', 0],
  ['no test', '| a rule | [a/src/b.ts](b) | – |', 0],
])('a rule with %s', (_, row, faults) => {
  expect(ruleFaults(`| rule | implemented in | held by |\n|---|---|---|\n${row}`)).toHaveLength(faults);
});

test('the documents of the project have no fault', async () => {
  expect((await checkDocuments()).faults).toEqual([]);
});
