import { posRegistry, registry } from '@boxoffice/envelope';
import { expect, test } from '@jest/globals';
import { readGuide } from '../../src/documentation/files.ts';

/** The rows of a chapter: code, HTTP status, meaning, and what to do. */
const rowsOf = async (chapter: string): Promise<readonly string[][]> => {
  const text = (await readGuide('docs/guides/errors.md')).split(`\n## ${chapter}\n`)[1]?.split('\n## ')[0] ?? '';
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').replaceAll('`', '')));
};

test.each([
  ['Institution API', registry],
  ['Point-of-sale API', posRegistry],
])(
  '%s: the guide has every code of the registry, with its status and meaning, and no other one',
  async (chapter, codes) => {
    const rows = await rowsOf(chapter);
    expect(rows.map(([code, http, when]) => [code, http, when])).toEqual(
      Object.values(codes).map(({ status, http, when }) => [status, `${http}`, when.replaceAll('`', '')]),
    );
    expect(rows.filter(([, , , todo = '']) => todo.length < 6)).toEqual([]);
  },
);
