// Widths are estimated, a little too wide, since the fonts of an SVG's reader are not known; the PDF measures its own
// font as well.

import createBidi from 'bidi-js';

const NARROW = /^[\sijlIft.,:;'’!|()[\]/-]$/u;
const WIDE = /^[mwMW@%—…]$/u;
const CAPITAL = /^\p{Lu}$/u;
/** Letters written on a square, and emoji. */
const FULL =
  /^[\u{1100}-\u{115F}\u{2E80}-\u{A4CF}\u{AC00}-\u{D7A3}\u{F900}-\u{FAFF}\u{FF00}-\u{FF60}\u{1F000}-\u{3FFFF}]/u;

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Each character of ASCII and Latin-1 is a letter: most texts, at a tenth of the time. */
const SINGLE = /^[\x20-\x7E\xA0-\xFF]*$/;

/** Letters keep their marks (UAX 29). */
export function splitLetters(text: string): string[] {
  return SINGLE.test(text) ? [...text] : [...letters.segment(text)].map(({ segment }) => segment);
}

/** `size` in points. */
interface Font {
  readonly size: number;
  readonly isBold: boolean;
}

/** In points, as far as the width can be known. */
export function measureWidth(text: string, font: Font): number {
  return toPoints(
    splitLetters(text).reduce((sum, letter) => sum + estimateWidth(letter), 0),
    font,
  );
}

const toPoints = (width: number, { size, isBold }: Font): number => width * size * (isBold ? 1.12 : 1);

const estimateWidth = (letter: string): number => {
  if (NARROW.test(letter)) return 0.4;
  if (FULL.test(letter)) return 1.1;
  if (WIDE.test(letter)) return 1.05;
  return CAPITAL.test(letter) ? 0.76 : 0.63;
};

/** Breaks between words where it can; what has no room is `…`. */
export function breakLines(text: string, room: number, most: number, font: Font): string[] {
  const lines: string[] = [];
  let rest = text.replace(/\s+/gu, ' ').trim();
  while (rest !== '') {
    if (measureWidth(rest, font) <= room) return [...lines, rest];
    if (lines.length === most - 1)
      return [...lines, `${takeBeginning(rest, room - measureWidth('…', font), font).trimEnd()}…`];
    const head = takeBeginning(rest, room, font) || (splitLetters(rest)[0] ?? '');
    const space = rest[head.length] === ' ' ? head.length : head.lastIndexOf(' ');
    const line = space > 0 ? head.slice(0, space) : head;
    lines.push(line);
    rest = rest.slice(line.length).trimStart();
  }
  return lines;
}

const takeBeginning = (text: string, room: number, font: Font): string => {
  let [fitting, width] = ['', 0];
  for (const letter of splitLetters(text)) {
    width += estimateWidth(letter);
    if (toPoints(width, font) > room) break;
    fitting += letter;
  }
  return fitting;
};

// PDF places glyphs from left to right and knows no direction of writing (UAX 9).
const bidi = createBidi();

/** Marks, embeddings and isolates have done their work once a line is in order. */
const CONTROLS = /[\u{61C}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu;

/** A run has one direction; the text is in the order of reading, with brackets mirrored. */
export interface Run {
  readonly text: string;
  readonly isRightToLeft: boolean;
}

/** The first strong letter decides (UAX 9, P2 and P3). */
export function isRightToLeft(paragraph: string): boolean {
  return bidi.getEmbeddingLevels(paragraph).paragraphs[0]?.level === 1;
}

/** Runs go from left to right; `fromRight`: the paragraph is read from the right. */
export function splitRuns(line: string, fromRight = isRightToLeft(line)): readonly Run[] {
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
}
