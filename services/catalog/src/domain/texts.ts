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
