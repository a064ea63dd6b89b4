import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = new URL('../../../', import.meta.url).pathname;
const TESTS = '{gateway,authorizer,libs,services,deploy,tests}/**/*.ts';

/** A rule of the interface specification, in words, with the file that implements it and the test that holds it. */
export interface Rule {
  readonly section: string;
  readonly sentence: string;
  readonly implementedIn: string;
  readonly test: string;
}

/** The rules that a test holds: its lines `// rule SECTION: SENTENCE | FILE`. */
export const rulesOf = (test: string, text: string): Rule[] =>
  [...text.matchAll(/^\/\/ rule (\S+): (.+) \| (\S+)$/gm)].map(
    ([, section = '', sentence = '', implementedIn = '']) => ({ section, sentence, implementedIn, test }),
  );

/** The rules of the specification that tests of this repository hold, by section. */
export const findRules = (): Rule[] =>
  globSync(TESTS, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] })
    .sort()
    .flatMap((test) => rulesOf(test, readFileSync(join(ROOT, test), 'utf8')))
    .sort((a, b) => a.section.localeCompare(b.section, 'en', { numeric: true }));

// npm run rules [WORD]: prints the rules that contain the word, each with its file and its test
if (import.meta.main) {
  const word = process.argv[2]?.toLowerCase() ?? '';
  for (const { section, sentence, implementedIn, test } of findRules())
    if (`${section} ${sentence} ${implementedIn} ${test}`.toLowerCase().includes(word))
      process.stdout.write(`${section}: ${sentence}\n    ${implementedIn}\n    ${test}\n`);
}
