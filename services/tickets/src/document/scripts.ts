/** The scripts (ISO 15924, by their names in Unicode) that are in everyday use. */
const SCRIPTS = [
  ...['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Syriac', 'Thaana', 'Nko', 'Adlam'],
  ...['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul', 'Yi', 'Mongolian', 'Tibetan', 'Myanmar', 'Khmer', 'Lao'],
  ...['Thai', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam'],
  ...['Sinhala', 'Ethiopic', 'Cherokee', 'Canadian_Aboriginal', 'Tifinagh', 'Vai', 'Javanese', 'Balinese'],
].map((name) => ({ name, letter: new RegExp(`\\p{Script=${name}}`, 'u') }));

const SHARED = /[\p{Script=Common}\p{Script=Inherited}]/u;

/** The script of a letter; undefined for what all scripts share: spaces, digits, punctuation, marks, symbols. */
export const scriptOf = (letter: string): string | undefined =>
  SHARED.test(letter) ? undefined : (SCRIPTS.find((script) => script.letter.test(letter))?.name ?? 'another script');

/** The parts of a text in one script each; what scripts share belongs to the letters before it. */
export const byScript = (text: string): string[] => {
  const parts: { text: string; script: string | undefined }[] = [];
  for (const letter of text) {
    const script = scriptOf(letter);
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
