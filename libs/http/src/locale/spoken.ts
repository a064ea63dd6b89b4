/** ISO 4217, list one: present money by its digits (2026). `Intl` also has former money, and other digits each year. */
const LIST_ONE: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY ' +
    'COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS ' +
    'INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR ' +
    'MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP ' +
    'STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const exponents = new Map(
  Object.entries(LIST_ONE).flatMap(([digits, codes]) =>
    codes.split(' ').map((code) => [code, Number(digits)] as const),
  ),
);

/** The exponents of currencies whose minor unit is not a hundredth. */
export const EXPONENTS: Readonly<Record<string, number>> = Object.fromEntries(
  [...exponents].filter(([, digits]) => digits !== 2),
);

export function isCurrency(code: string): boolean {
  return exponents.has(code);
}

/** The country of a currency, whose code begins with it (ISO 4217); empty for those of no country, such as EUR. */
export function getCurrencyRegion(currency: string): string {
  return /^(?:X|EU)/.test(currency) ? '' : currency.slice(0, 2);
}

/** In the tag's own region, else in that of the currency; English is British. */
export function selectLocale(tag: string, currency: string): string {
  if (tag === 'en') return 'en-GB';
  const region = new Intl.Locale(tag).region ?? getCurrencyRegion(currency);
  return region === '' ? tag : new Intl.Locale(tag, { region }).toString();
}

/** The locale of dates: French ones have no comma, which Intl writes in those of Switzerland. */
export function selectDateLocale(locale: string): string {
  return locale === 'fr-CH' ? 'fr' : locale;
}

export function capitalise(text: string): string {
  return text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}

const SEATS: Readonly<Record<string, readonly [row: string, seat: string]>> = {
  en: ['Row', 'seat'],
  de: ['Reihe', 'Platz'],
  fr: ['Rang', 'place'],
  it: ['Fila', 'posto'],
};

export function formatSeat(tag: string, row: string, number: number): string {
  const [inRow, seat] = SEATS[new Intl.Locale(tag).language] ?? (SEATS.en as NonNullable<(typeof SEATS)[string]>);
  return `${inRow} ${row}, ${seat} ${number}`;
}

/** An amount in the currency's minor unit, as people write it. */
export function formatMoney(
  locale: string,
  amount: number,
  currency: string,
  currencyDisplay: 'symbol' | 'code' = 'symbol',
): string {
  const digits = exponents.get(currency) ?? 2;
  const places = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay, ...places });
  return format.format(amount / 10 ** digits);
}
