import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endWithReader } from '@boxoffice/runtime';

const ROOT = new URL('../../../', import.meta.url).pathname;
const TESTS = '{gateway,authorizer,libs,services,deploy,tests}/**/*.ts';

export interface Rule {
  readonly section: string;
  readonly sentence: string;
  readonly implementedIn: string;
  readonly test: string;
}

/** The rules that a test holds: its lines `// rule SECTION: SENTENCE | FILE`. */
export function parseRules(test: string, text: string): Rule[] {
  return [...text.matchAll(/^\/\/ rule (\S+): (.+) \| (\S+)$/gm)].map(
    ([, section = '', sentence = '', implementedIn = '']) => ({ section, sentence, implementedIn, test }),
  );
}

export function findRules(): Rule[] {
  return globSync(TESTS, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] })
    .sort()
    .flatMap((test) => parseRules(test, readFileSync(join(ROOT, test), 'utf8')))
    .sort((a, b) => a.section.localeCompare(b.section, 'en', { numeric: true }));
}

/** The test files with the word in their path, which says the rule that they hold. */
const testsNamed = (word: string): string[] =>
  globSync(TESTS, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] })
    .filter((path) => path.endsWith('.test.ts') && path.toLowerCase().includes(word.replaceAll(' ', '-')))
    .sort();

/** What `npm run rules -- WORD` prints. */
export function formatRules(word: string): string {
  const wanted = word.toLowerCase();
  const rules = findRules()
    .filter((rule) => Object.values(rule).join(' ').toLowerCase().includes(wanted))
    .map(({ section, sentence, implementedIn, test }) => `${section}: ${sentence}\n    ${implementedIn}\n    ${test}`);
  if (rules.length > 0) return rules.join('\n');
  const tests = testsNamed(wanted);
  const none = `no sentence of the interface specification has "${word}"`;
  if (tests.length === 0) return `${none}, and no test is named after it; npm run rules lists all sentences`;
  return [`${none}; tests of other rules are named after it:`, ...tests.map((path) => `    ${path}`)].join('\n');
}

// npm run rules [-- WORD]: prints the rules that contain the word, each with its file and its test
if (import.meta.main) {
  endWithReader();
  process.stdout.write(`${formatRules(process.argv.slice(2).join(' '))}\n`);
}
