/** The languages of the fixed words of a document. Names come in the languages of the institution. */
export const languages = ['en', 'fr', 'de'] as const;
export type Language = string;

interface Texts {
  readonly ticket: string;
  readonly category: string;
  readonly place: string;
  readonly tariff: string;
  readonly price: string;
  readonly beneficiary: string;
  readonly note: string;
  seat(row: string, seat: number): string;
}

const english: Texts = {
  ticket: 'Ticket',
  category: 'Category',
  place: 'Place',
  tariff: 'Tariff',
  price: 'Price',
  beneficiary: 'Name',
  note: 'Valid once. Please show this code at the entrance.',
  seat: (row, seat) => `Row ${row}, seat ${seat}`,
};

const byLanguage: Readonly<Record<string, Texts>> = {
  en: english,
  fr: {
    ticket: 'Billet',
    category: 'Catégorie',
    place: 'Place',
    tariff: 'Tarif',
    price: 'Prix',
    beneficiary: 'Nom',
    note: 'Valable une fois. Veuillez présenter ce code à l’entrée.',
    seat: (row, seat) => `Rang ${row}, place ${seat}`,
  },
  de: {
    ticket: 'Ticket',
    category: 'Kategorie',
    place: 'Platz',
    tariff: 'Tarif',
    price: 'Preis',
    beneficiary: 'Name',
    note: 'Einmal gültig. Bitte zeigen Sie diesen Code am Eingang vor.',
    seat: (row, seat) => `Reihe ${row}, Platz ${seat}`,
  },
};

/** The fixed words in the language, or in English. */
export const textsOf = (language: Language): Texts => byLanguage[language] ?? english;

/** The language of a `lang` parameter (`fr`, `fr-CH`), or English if it is none. */
export const languageOf = (lang: string | undefined): Language => {
  try {
    return lang === undefined ? 'en' : new Intl.Locale(lang).language;
  } catch {
    return 'en';
  }
};
