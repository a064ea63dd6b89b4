import { matchTag } from '@boxoffice/http';

type Texts = typeof english;

const english = {
  /** ISO 639. */
  language: 'en',
  ticket: 'Ticket',
  category: 'Category',
  place: 'Place',
  tariff: 'Rate',
  price: 'Price',
  beneficiary: 'Name',
  order: 'Order number',
  buyer: 'Buyer',
  note: 'Valid once. Please show this code at the entrance.',
  number: 'Ticket number',
  code: 'QR code of the ticket',
  other: { note: 'Please show this code when you come.', number: 'Number', code: 'QR code' },
  receipt: {
    title: 'Receipt',
    date: 'Date',
    total: 'Total',
    due: 'Still to pay',
    tax: 'VAT',
    rate: 'VAT rate',
    net: 'Net',
    gross: 'Gross',
    note: 'Prices include VAT, rounded on each line: the VAT of a rate is the sum of its lines.',
  },
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
    order: 'Commande',
    buyer: 'Acheteur',
    note: 'Valable une fois. Veuillez présenter ce code à l’entrée.',
    number: 'Numéro du billet',
    code: 'Code QR du billet',
    other: { note: 'Veuillez présenter ce code sur place.', number: 'Numéro', code: 'Code QR' },
    receipt: {
      title: 'Reçu',
      date: 'Date',
      total: 'Total',
      due: 'Reste à payer',
      tax: 'TVA',
      rate: 'Taux de TVA',
      net: 'HT',
      gross: 'TTC',
      note: 'Les prix comprennent la TVA, arrondie à chaque ligne\u202f: la TVA d’un taux est la somme de ses lignes.',
    },
  },
  de: {
    language: 'de',
    ticket: 'Karte',
    category: 'Kategorie',
    place: 'Platz',
    tariff: 'Preisart',
    price: 'Preis',
    beneficiary: 'Name',
    order: 'Bestellnummer',
    buyer: 'Gekauft von',
    note: 'Einmal gültig. Bitte zeigen Sie diesen Code am Eingang vor.',
    number: 'Kartennummer',
    code: 'QR-Code der Karte',
    other: { note: 'Bitte zeigen Sie diesen Code vor Ort vor.', number: 'Nummer', code: 'QR-Code' },
    receipt: {
      title: 'Beleg',
      date: 'Datum',
      total: 'Total',
      due: 'Noch zu zahlen',
      tax: 'MwSt.',
      rate: 'MwSt.-Satz',
      net: 'Netto',
      gross: 'Brutto',
      note: 'Die Preise enthalten die MwSt., die je Position gerundet wird: Die MwSt. eines Satzes ist die Summe ihrer Positionen.',
    },
  },
  it: {
    language: 'it',
    ticket: 'Biglietto',
    category: 'Categoria',
    place: 'Posto',
    tariff: 'Tariffa',
    price: 'Prezzo',
    beneficiary: 'Nome',
    order: 'Ordine',
    buyer: 'Acquirente',
    note: 'Valido una volta. Si prega di mostrare questo codice all’ingresso.',
    number: 'Numero del biglietto',
    code: 'Codice QR del biglietto',
    other: { note: 'Si prega di mostrare questo codice sul posto.', number: 'Numero', code: 'Codice QR' },
    receipt: {
      title: 'Ricevuta',
      date: 'Data',
      total: 'Totale',
      due: 'Ancora da pagare',
      tax: 'IVA',
      rate: 'Aliquota IVA',
      net: 'Netto',
      gross: 'Lordo',
      note: 'I prezzi comprendono l’IVA, arrotondata per ogni riga: l’IVA di un’aliquota è la somma delle sue righe.',
    },
  },
};

/** `locale` is for dates and amounts. */
interface Speech {
  readonly texts: Texts;
  readonly locale: string;
}

/** Takes the first of these canonical tags that has fixed words, else English; without any tag that of the names. */
export function selectSpeech(languages: readonly string[], languagesOfNames: readonly string[]): Speech {
  for (const tag of languages.length > 0 ? languages : languagesOfNames) {
    const speech = findSpeech(tag);
    if (speech) return speech;
  }
  return { texts: english, locale: 'en' };
}

/** Intl would speak a language without fixed words as the machine does. */
const findSpeech = (tag: string): Speech | undefined => {
  const known = matchTag(tag, Object.keys(byLanguage));
  const texts = known === undefined ? undefined : byLanguage[known];
  return texts && { texts, locale: tag };
};
