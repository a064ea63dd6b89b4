import { expect, test } from '@jest/globals';
import { refusedLicences } from '../../src/checks.ts';
import { missingTargets } from '../../src/documents.ts';
import { findRules, rulesOf } from '../../src/rules.ts';

const ROOT = new URL('../../../../', import.meta.url).pathname;

test.each([
  ['a file', '[gone](../services/gone.ts)', ['services/gone.ts']],
  ['a heading', '[gone](settings.md#gone)', ['docs/settings.md#gone']],
  ['a path in backticks', 'as in `services/orders/src/gone.ts`', ['services/orders/src/gone.ts']],
])('a page that names a missing target is faulty: %s', (_, text, missing) => {
  expect(missingTargets(ROOT, 'docs/page.md', text)).toEqual(missing);
});

test('existing targets, external links and code are accepted', () => {
  const text = [
    '[package](../tests/acceptance/package.json)',
    '[settings](settings.md#engines), [elsewhere](https://example.org/none), `tests/acceptance/package.json`',
    '```',
    '[gone](gone.md)',
    '```',
  ].join('\n');
  expect(missingTargets(ROOT, 'docs/page.md', text)).toEqual([]);
});

test('a rule is a line of the test that holds it', () => {
  const tagged = ['// rule 2: a sentence | libs/http/src/operation.ts', '// rule of thumb: none | x'].join('\n');
  expect(rulesOf('a.test.ts', tagged)).toEqual([
    { section: '2', sentence: 'a sentence', implementedIn: 'libs/http/src/operation.ts', test: 'a.test.ts' },
  ]);
  expect(findRules().length).toBeGreaterThan(90);
});

test('packages of licences that are not allowed are named', () => {
  const list = { MIT: [{ name: 'a' }], 'SSPL-1.0': [{ name: 'b' }, { name: 'c' }], Unknown: [{ name: 'd' }] };
  expect(refusedLicences(JSON.stringify(list))).toEqual(['SSPL-1.0: b, c', 'Unknown: d']);
});
