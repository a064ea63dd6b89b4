// Breaks texts into lines. Their widths are estimated, a little too wide, since the fonts of an SVG's reader are not
// known; the PDF measures its own font as well.

const NARROW = /^[\sijlIft.,:;'’!|()[\]/-]$/u;
const WIDE = /^[mwMW@%—…]$/u;
const CAPITAL = /^\p{Lu}$/u;
/** Written on a square, and emoji. */
const FULL =
  /^[\u{1100}-\u{115F}\u{2E80}-\u{A4CF}\u{AC00}-\u{D7A3}\u{F900}-\u{FAFF}\u{FF00}-\u{FF60}\u{1F000}-\u{3FFFF}]/u;

/** The width of a letter, in the size of its font. */
const widthOfLetter = (letter: string): number => {
  if (NARROW.test(letter)) return 0.4;
  if (FULL.test(letter)) return 1.1;
  if (WIDE.test(letter)) return 1.05;
  return CAPITAL.test(letter) ? 0.76 : 0.63;
};

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** ASCII and Latin-1, in which each character is a letter of its own: most texts, at a tenth of the time. */
const SINGLE = /^[\x20-\x7E\xA0-\xFF]*$/;

/** The letters of a text as readers see them: with their marks (UAX 29). */
export const lettersOf = (text: string): string[] =>
  SINGLE.test(text) ? [...text] : [...letters.segment(text)].map(({ segment }) => segment);

/** A font of a document: its size in points, and whether it is bold. */
export interface Font {
  readonly size: number;
  readonly isBold: boolean;
}

const pointsOf = (width: number, { size, isBold }: Font): number => width * size * (isBold ? 1.12 : 1);

/** The width of a text in points, as far as it can be known. */
export const widthOf = (text: string, font: Font): number =>
  pointsOf(
    lettersOf(text).reduce((sum, letter) => sum + widthOfLetter(letter), 0),
    font,
  );

/** The most letters of the text that have room. */
const beginning = (text: string, room: number, font: Font): string => {
  let [fitting, width] = ['', 0];
  for (const letter of lettersOf(text)) {
    width += widthOfLetter(letter);
    if (pointsOf(width, font) > room) break;
    fitting += letter;
  }
  return fitting;
};

/** The text in at most so many lines, broken between words where it can be; what has no room is `…`. */
export const linesOf = (text: string, room: number, most: number, font: Font): string[] => {
  const lines: string[] = [];
  let rest = text.replace(/\s+/gu, ' ').trim();
  while (rest !== '') {
    if (widthOf(rest, font) <= room) return [...lines, rest];
    if (lines.length === most - 1) return [...lines, `${beginning(rest, room - widthOf('…', font), font).trimEnd()}…`];
    const begun = beginning(rest, room, font) || (lettersOf(rest)[0] ?? '');
    const space = rest[begun.length] === ' ' ? begun.length : begun.lastIndexOf(' ');
    const line = space > 0 ? begun.slice(0, space) : begun;
    lines.push(line);
    rest = rest.slice(line.length).trimStart();
  }
  return lines;
};
