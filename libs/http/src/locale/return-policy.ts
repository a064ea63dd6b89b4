import { capitalise } from './spoken.ts';

/** By language: return and exchange until an instant, a fee, no return, no exchange. */
const TEXTS: Readonly<Record<string, readonly [string, string, string, string, string]>> = {
  en: ['return until {until}', 'exchange until {until}', ' for {fee}', 'no return', 'no exchange'],
  de: ['Rückgabe bis {until}', 'Umtausch bis {until}', ' für {fee}', 'keine Rückgabe', 'kein Umtausch'],
  fr: ['retour jusqu’au {until}', 'échange jusqu’au {until}', ' pour {fee}', 'pas de retour', 'pas d’échange'],
  it: ['reso fino al {until}', 'cambio fino al {until}', ' per {fee}', 'nessun reso', 'nessun cambio'],
};

interface ReturnPolicy {
  /** ISO 8601; null: not allowed. */
  readonly returnableUntil: string | null;
  readonly returnFee: number;
  readonly exchangeableUntil: string | null;
  readonly exchangeFee: number;
}

/** What the buyer may still do, in the locale's language, else English: `Return until … for CHF 5.00; exchange until …`. */
export function formatReturnPolicy(
  locale: string,
  { returnableUntil, returnFee, exchangeableUntil, exchangeFee }: ReturnPolicy,
  {
    now,
    date,
    money,
  }: { readonly now: number; readonly date: (instant: string) => string; readonly money: (amount: number) => string },
): string {
  const { language } = new Intl.Locale(locale);
  const { [language]: own = TEXTS.en } = TEXTS;
  const [returning = '', exchanging = '', charged = '', noReturn = '', noExchange = ''] = own ?? [];
  const say = (text: string, never: string, until: string | null, fee: number): string =>
    until === null || Date.parse(until) <= now
      ? never
      : text.replace('{until}', date(until)) + (fee === 0 ? '' : charged.replace('{fee}', money(fee)));
  const parts = [
    say(returning, noReturn, returnableUntil, returnFee),
    say(exchanging, noExchange, exchangeableUntil, exchangeFee),
  ];
  return capitalise(parts.join(language === 'fr' ? '\u202f; ' : '; '));
}
