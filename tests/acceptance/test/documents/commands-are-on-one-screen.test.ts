import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

const services = ['authorizer', ...readdirSync(join(root, 'services')).map((name) => `services/${name}`)];

/** By the file of the operations: the names that `commands.ts` gives it. */
const readCommands = (service: string) => {
  const file = join(root, service, 'src/commands.ts');
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

/** Of a file: every text as a pattern, and those that are the id of an operation; `create${noun}` has a hole. */
const readTexts = (file: string) => {
  const text = readFileSync(file, 'utf8');
  const toPattern = (id: string) => new RegExp(`^${id.replace(/\$\{\w+\}/, '[A-Z]\\w+')}$`);
  const operation = /^( +)id: (['`])([\w${}]+)\2,\n(?:\1.*\n)*?\1summary: /gm;
  return {
    texts: [...text.matchAll(/(['`])([\w${}]+)\1/g)].map(([, , one = '']) => toPattern(one)),
    ids: [...text.matchAll(operation)].map(([, , , id = '']) => toPattern(id)),
  };
};

test.each(services)('commands.ts of %s names every operation above the file that has it', (service) => {
  const { text, named } = readCommands(service);
  expect(text.split('\n').length).toBeLessThanOrEqual(60);
  expect(named.size).toBeGreaterThan(1);
  for (const [file, names] of named) {
    const { texts, ids } = readTexts(file);
    expect(ids.length).toBeGreaterThan(0);
    expect(names.filter((name) => !texts.some((one) => one.test(name)))).toEqual([]);
    expect(ids.filter((id) => !names.some((name) => id.test(name)))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  }
});
