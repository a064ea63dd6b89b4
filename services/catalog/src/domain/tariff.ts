/** A price group: full, reduced, member. */
export interface TariffDetails {
  readonly code: string;
  readonly name: Texts;
  /** The criterion that the buyer's contact must have; null: none. */
  readonly criterion: 'member' | null;
}

export interface Tariff extends TariffDetails {
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A tenant: an opera house, a museum, a club. */
export interface Institution {
  readonly id: string;
  readonly name: string;
  /** ISO 4217; the currency of all its prices. */
  readonly currency: string;
  /** Language tags (BCP 47), the preferred one first. */
  readonly languages: readonly string[];
}

/** A text by language (`fr`, `de-CH`): at least one. */
export type Texts = Readonly<Record<string, string>>;

/**
 * The texts in the order of the institution's languages, then the others: whoever finds no text in the languages of its
 * reader takes the first.
 */
export const inOrderOf = (languages: readonly string[], texts: Texts): Texts => {
  const placeOf = (tag: string): number => (languages.includes(tag) ? languages.indexOf(tag) : languages.length);
  return Object.fromEntries(Object.entries(texts).toSorted(([one], [other]) => placeOf(one) - placeOf(other)));
};
