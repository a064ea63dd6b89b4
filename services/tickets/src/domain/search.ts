// Terms are compared without case, accents and punctuation.

import type { SearchTerms, Ticket } from './ticket.ts';

/** Unicode does not decompose these letters; people type them so. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** Gives plain small letters and digits, with one space between words. */
export function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[ßæœøłđðþı]/g, (letter) => PLAIN[letter] ?? letter)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Removes spaces, too: `E-12`, `e 12` and `E12` are one. */
export function foldCode(text: string): string {
  return foldText(text).replaceAll(' ', '');
}

export function buildSearchTerms({ place, beneficiary }: Pick<Ticket, 'place' | 'beneficiary'>, orderNumber: string) {
  const { firstName = null, lastName = null } = beneficiary ?? {};
  const joinNames = (...names: readonly (string | null)[]) => foldText(names.join(' ')) || null;
  return {
    order: foldCode(orderNumber),
    place: foldCode(place.label),
    name: joinNames(firstName, lastName),
    lastName: joinNames(lastName, firstName),
  } satisfies SearchTerms;
}
