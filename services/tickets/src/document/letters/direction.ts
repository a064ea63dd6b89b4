// PDF places glyphs from left to right and knows no direction of writing: the Unicode Bidirectional Algorithm (UAX 9).

import createBidi from 'bidi-js';

const bidi = createBidi();

/** Marks, embeddings and isolates: they have done their work once a line is in order. */
const CONTROLS = /[\u{61C}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu;

/** Neighbouring letters of a line in one direction; its text is in the order of reading, with brackets mirrored. */
export interface Run {
  readonly text: string;
  readonly isRightToLeft: boolean;
}

/** Whether a paragraph is read from the right: the direction of its first strong letter (UAX 9, P2 and P3). */
export const isRightToLeft = (paragraph: string): boolean =>
  bidi.getEmbeddingLevels(paragraph).paragraphs[0]?.level === 1;

/** The runs of a line from left to right; `fromRight`: its paragraph is read from the right. */
export const runsOf = (line: string, fromRight = isRightToLeft(line)): readonly Run[] => {
  const embedding = bidi.getEmbeddingLevels(line, fromRight ? 'rtl' : 'ltr');
  const mirrored = bidi.getMirroredCharactersMap(line, embedding.levels);
  const runs: { indices: number[]; level: number | undefined }[] = [];
  for (const index of bidi.getReorderedIndices(line, embedding)) {
    const level = embedding.levels[index];
    const run = runs.at(-1);
    if (run && run.level === level && Math.abs(index - (run.indices.at(-1) ?? 0)) === 1) run.indices.push(index);
    else runs.push({ indices: [index], level });
  }
  return runs.flatMap(({ indices, level = 0 }) => {
    const letters = indices.sort((a, b) => a - b).map((index) => mirrored.get(index) ?? line[index]);
    const text = letters.join('').replaceAll(CONTROLS, '');
    return text === '' ? [] : [{ text, isRightToLeft: level % 2 === 1 }];
  });
};
