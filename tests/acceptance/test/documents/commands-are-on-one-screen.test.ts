import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const services = fileURLToPath(new URL('../../../../services/', import.meta.url));

/** By the file of the operations: the names that `commands.ts` gives it. */
const readCommands = (service: string) => {
  const file = join(services, service, 'src/commands.ts');
  const text = readFileSync(file, 'utf8');
  const files = new Map<string, string>();
  for (const [, names = '', path = ''] of text.matchAll(/^import (?:type )?\{([^}]*)\} from '(\..*)';$/gm))
    for (const name of names.split(',')) files.set(name.trim(), join(dirname(file), path));
  const named = new Map<string, string[]>();
  for (const [, comment = '', maker = ''] of text.matchAll(/((?: *\/\/ .*\n)*) *\.\.\.(create\w+Routes)\(/g)) {
    const path = files.get(maker) ?? '';
    named.set(path, [...(named.get(path) ?? []), ...(comment.match(/\w+/g) ?? [])]);
  }
  return { text, named };
};

/** The ids of the operations of a file; those of both kinds of contact are one with a hole. */
const readOperations = (file: string): RegExp[] =>
  [...readFileSync(file, 'utf8').matchAll(/\bid: (['`])([a-z]+(?:[A-Z]|\$\{)[\w${}]*)\1/g)].map(
    ([, , id = '']) => new RegExp(`^${id.replace(/\$\{\w+\}/, '[A-Z]\\w+')}$`),
  );

test.each(readdirSync(services))('commands.ts of %s names every operation above the file that has it', (service) => {
  const { text, named } = readCommands(service);
  expect(text.split('\n').length).toBeLessThanOrEqual(60);
  expect(named.size).toBeGreaterThan(1);
  for (const [file, names] of named) {
    const operations = readOperations(file);
    expect(names.filter((name) => !operations.some((id) => id.test(name)))).toEqual([]);
    expect(operations.filter((id) => !names.some((name) => id.test(name)))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  }
});
