// What people find a ticket by, without any I/O: compared without case, accents and punctuation.

import type { SearchTerms, Ticket } from './ticket.ts';

/** Letters that Unicode does not decompose, as they are typed without them. */
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

/** A text in words of plain small letters and digits, with one space between them. */
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

/** The same without spaces: `E-12`, `e 12` and `E12` are one. */
export function foldCode(text: string): string {
  return foldText(text).replaceAll(' ', '');
}

/** The terms of a ticket of the order with this number. */
export function buildSearchTerms({ place, beneficiary }: Pick<Ticket, 'place' | 'beneficiary'>, orderNumber: string) {
  const { firstName = null, lastName = null } = beneficiary ?? {};
  const joined = (...names: readonly (string | null)[]) => foldText(names.join(' ')) || null;
  return {
    order: foldCode(orderNumber),
    place: foldCode(place.label),
    name: joined(firstName, lastName),
    lastName: joined(lastName, firstName),
  } satisfies SearchTerms;
}
