/** The fixed words of a document in one language. */
export interface Texts {
  /** ISO 639, of these words. */
  readonly language: string;
  readonly ticket: string;
  readonly category: string;
  readonly place: string;
  readonly tariff: string;
  readonly price: string;
  readonly beneficiary: string;
  readonly note: string;
  readonly number: string;
  readonly code: string;
  seat(row: string, seat: number): string;
}

const english: Texts = {
  language: 'en',
  ticket: 'Ticket',
  category: 'Category',
  place: 'Place',
  tariff: 'Tariff',
  price: 'Price',
  beneficiary: 'Name',
  note: 'Valid once. Please show this code at the entrance.',
  number: 'Ticket number',
  code: 'QR code of the ticket',
  seat: (row, seat) => `Row ${row}, seat ${seat}`,
};

const byLanguage: Readonly<Record<string, Texts>> = {
  en: english,
  fr: {
    language: 'fr',
    ticket: 'Billet',
    category: 'Catégorie',
    place: 'Place',
    tariff: 'Tarif',
    price: 'Prix',
    beneficiary: 'Nom',
    note: 'Valable une fois. Veuillez présenter ce code à l’entrée.',
    number: 'Numéro du billet',
    code: 'Code QR du billet',
    seat: (row, seat) => `Rang ${row}, place ${seat}`,
  },
  de: {
    language: 'de',
    ticket: 'Ticket',
    category: 'Kategorie',
    place: 'Platz',
    tariff: 'Tarif',
    price: 'Preis',
    beneficiary: 'Name',
    note: 'Einmal gültig. Bitte zeigen Sie diesen Code am Eingang vor.',
    number: 'Ticketnummer',
    code: 'QR-Code des Tickets',
    seat: (row, seat) => `Reihe ${row}, Platz ${seat}`,
  },
  it: {
    language: 'it',
    ticket: 'Biglietto',
    category: 'Categoria',
    place: 'Posto',
    tariff: 'Tariffa',
    price: 'Prezzo',
    beneficiary: 'Nome',
    note: 'Valido una volta. Si prega di mostrare questo codice all’ingresso.',
    number: 'Numero del biglietto',
    code: 'Codice QR del biglietto',
    seat: (row, seat) => `Fila ${row}, posto ${seat}`,
  },
};

/** How a document speaks: the language of its names, its fixed words, and the locale of its dates and amounts. */
export interface Speech {
  /** The asked language, with script and region (BCP 47). */
  readonly tag: string;
  readonly language: string;
  readonly texts: Texts;
  readonly locale: string;
}

/** Longer texts are not parsed as tags. */
const MAX_TAG_LENGTH = 64;

/** Only a language that the code knows has a locale: another would be that of the machine. */
const speechIn = ({ language, baseName }: Intl.Locale): Speech => {
  const texts = byLanguage[language];
  if (texts) return { language, tag: baseName, texts, locale: baseName === 'en' ? 'en-GB' : baseName };
  return { language, tag: baseName, texts: english, locale: 'en-GB' };
};

/**
 * The speech of a `lang` parameter, an ISO 639 code or a longer tag (`fr`, `fra`, `fr-CH`). Without one, or with one
 * that is malformed: English, or, if the names are not in English, their first language.
 */
export const speechOf = (lang: string | undefined, languagesOfNames: readonly string[]): Speech => {
  try {
    if (lang !== undefined && lang.length <= MAX_TAG_LENGTH)
      return speechIn(new Intl.Locale(lang.trim().replaceAll('_', '-')));
  } catch {
    // Malformed: as if there were none.
  }
  const [first = 'en'] = languagesOfNames;
  return speechIn(new Intl.Locale(languagesOfNames.includes('en') ? 'en' : first));
};
