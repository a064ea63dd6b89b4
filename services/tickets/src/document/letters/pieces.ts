import type { Face, Fonts } from './fonts.ts';
import { type Run, splitLetters, splitRuns } from './lines.ts';

/** Scripts in everyday use (ISO 15924, by their names in Unicode). */
const SCRIPTS = [
  ...['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Syriac', 'Thaana', 'Nko', 'Adlam'],
  ...['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul', 'Yi', 'Mongolian', 'Tibetan', 'Myanmar', 'Khmer', 'Lao'],
  ...['Thai', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam'],
  ...['Sinhala', 'Ethiopic', 'Cherokee', 'Canadian_Aboriginal', 'Tifinagh', 'Vai', 'Javanese', 'Balinese'],
].map((name) => ({ name, letter: new RegExp(`\\p{Script=${name}}`, 'u') }));

const SHARED = /[\p{Script=Common}\p{Script=Inherited}]/u;

/** A piece is what fontkit takes. */
interface Piece {
  readonly text: string;
  readonly face: Face;
}

/** Pieces go from left to right; `missing`: letters that no font has. */
export interface PlacedLine {
  readonly pieces: readonly Piece[];
  readonly missing: readonly string[];
}

/** Spaces, joiners and variation selectors need no glyph. */
const UNSEEN = /[\s\p{Default_Ignorable_Code_Point}]/u;

const FROM_RIGHT = new Set(['Hebrew', 'Arabic', 'Syriac', 'Thaana', 'Nko']);

/** Uses the product's own fonts, else one of the installation. */
export async function placeLine(
  fonts: Fonts,
  line: string,
  { isBold, fromRight }: { readonly isBold: boolean; readonly fromRight: boolean },
): Promise<PlacedLine> {
  const own = await fonts.own(isBold);
  const runs = splitRuns(line, fromRight);
  const isOwn = runs.every((run) => splitIntoPieces(run, own).every(({ face }) => face !== undefined));
  const faces = isOwn ? own : [...own, ...(await fonts.more(isBold))];
  const placed = runs.flatMap((run) => splitIntoPieces(run, faces));
  const [fallback] = own;
  if (!fallback) throw new Error('the fonts of the product are missing');
  return {
    pieces: placed.map(({ text, face = fallback }) => ({ text, face })),
    missing: placed.flatMap(({ text, face }) => (face ? [] : [text])),
  };
}

const splitIntoPieces = ({ text, isRightToLeft }: Run, faces: readonly Face[]) => {
  const found = splitByScript(text).flatMap((part) => assignFonts(part, faces));
  const inOrder = isRightToLeft ? found.reverse() : found;
  return inOrder.map((piece) => ({ ...piece, text: orderForFontkit(piece.text, isRightToLeft) }));
};

/** What scripts share belongs to the letters before it. */
const splitByScript = (text: string): string[] => {
  const parts: { text: string; script: string | undefined }[] = [];
  for (const letter of text) {
    const script = findScript(letter);
    const part = parts.at(-1);
    if (!part || (script !== undefined && part.script !== undefined && script !== part.script)) {
      parts.push({ text: letter, script });
      continue;
    }
    part.text += letter;
    part.script ??= script;
  }
  return parts.map((part) => part.text);
};

/** Undefined for what all scripts share: spaces, digits, punctuation, marks, symbols. */
const findScript = (letter: string): string | undefined =>
  SHARED.test(letter) ? undefined : (SCRIPTS.find((script) => script.letter.test(letter))?.name ?? 'another script');

/** Takes one font if it has all of the text, else one a word, else one a letter: letters of a word join in one font. */
const assignFonts = (text: string, faces: readonly Face[]): { text: string; face: Face | undefined }[] => {
  const face = faces.find((one) => hasAll(one, text));
  if (face) return [{ text, face }];
  const words = text.split(/(?<=\s)(?=\S)/u);
  const parts = words.length > 1 ? words : splitLetters(text);
  return parts.length > 1 ? parts.flatMap((part) => assignFonts(part, faces)) : [{ text, face }];
};

const hasAll = ({ has }: Face, text: string): boolean =>
  [...text].every((letter) => UNSEEN.test(letter) || has(letter.codePointAt(0) ?? 0));

/**
 * Fontkit turns round what begins in a script from the right, Persian digits among it, and nothing else, such as
 * brackets that stand alone.
 */
const orderForFontkit = (text: string, isRightToLeft: boolean): string => {
  const script = [...text].map(findScript).find((one) => one !== undefined);
  const turns = script !== undefined && FROM_RIGHT.has(script);
  return turns === isRightToLeft ? text : splitLetters(text).reverse().join('');
};

/** Names each with one of its letters: `Thai (U+0E01)`. */
export function listScripts(missing: readonly string[]): string[] {
  const scripts = new Map<string, string>();
  for (const text of missing) {
    const letter = [...text].find((one) => findScript(one) !== undefined) ?? text;
    const script = findScript(letter) ?? 'symbols';
    const hex = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    if (!scripts.has(script)) scripts.set(script, `${script} (U+${hex})`);
  }
  return [...scripts.values()];
}
