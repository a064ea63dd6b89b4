// Letters of one sound share keys, however they are typed.

/** Letters that Unicode does not take apart. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
};

/** One case, no accents, one space between words; empty without letters. Names begin alike if their keys do. */
export function computeNameKey(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ßæœøłđðþħıς]/gu, (letter) => PLAIN[letter] ?? letter)
    .trim()
    .replaceAll(/\s+/gu, ' ');
}

/** Texts compare by code point. */
export function toPrefixRange(text: string): { readonly gte: string; readonly lt: string } {
  return {
    gte: text,
    lt: `${text}\u{10ffff}`,
  };
}
