/** A tenant: an opera house, a museum, a club. */
export interface Institution {
  readonly id: string;
  readonly name: string;
  /** ISO 4217; the currency of all its prices. */
  readonly currency: string;
  readonly languages: readonly string[];
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** The problems of a new institution; empty if there is none. */
export const institutionProblems = ({ id, name, currency, languages }: Institution): string[] => [
  ...(/^[a-z0-9][a-z0-9_-]{0,62}$/.test(id) ? [] : ['id must be 1 to 63 of a-z, 0-9, _ and -']),
  ...(name.trim() === '' ? ['name must not be empty'] : []),
  ...(CURRENCIES.has(currency) ? [] : ['currency must be an ISO 4217 code']),
  ...(languages.length > 0 &&
  languages.every((language) => /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$/.test(language))
    ? []
    : ['languages must be ISO 639 codes, at least one']),
];
