import { readFileSync } from 'node:fs';
import { readTexts, type Texts } from './institution.ts';

/** A title and its genre. */
export interface Title {
  readonly genre: 'opera' | 'ballet' | 'symphony' | 'recital' | 'family';
  readonly name: Texts;
}

const wordsOf = (list: string): string[] => list.split(/, */).filter((word) => word !== '');

/** One entry for each item of the list after the colon. */
const expanded = (line: string, entry: (head: string, item: string) => string): string[] => {
  const [head = '', items = ''] = line.split(': ');
  return wordsOf(items).map((item) => entry(head, item));
};

/** The titles of a line: one in French, English and German, or several that are the same in every language. */
const titlesOf = (line: string): string[] => (line.includes(' | ') ? [line] : wordsOf(line));

const readers: Readonly<Record<Title['genre'], (line: string) => string[]>> = {
  opera: titlesOf,
  ballet: titlesOf,
  family: titlesOf,
  symphony: (line) =>
    expanded(
      line,
      (name, nth) => `${name}, Symphonie nᵒ ${nth} | ${name}, Symphony No. ${nth} | ${name}, ${nth}. Sinfonie`,
    ),
  recital: (line) =>
    expanded(line, (kind, composer) => {
      const [fr, en, de] = kind.split(' | ');
      return `${fr} : ${composer} | ${en}: ${composer} | ${de}: ${composer}`;
    }),
};

const sections = readFileSync(new URL('../../demo-titles.txt', import.meta.url), 'utf8')
  .split(/^\[(\w+)\]\n/m)
  .slice(1);

/** The opera's repertoire of a season, each title once: `demo-titles.txt`, with a section for each genre. */
export const titles: readonly Title[] = sections.flatMap((genre, index) => {
  if (index % 2 === 1) return [];
  const read = readers[genre as Title['genre']];
  const lines = (sections[index + 1] ?? '').trim().split('\n');
  return lines.flatMap(read).map((line) => ({
    genre: genre as Title['genre'],
    name: readTexts(['fr', 'en', 'de'], line),
  }));
});
