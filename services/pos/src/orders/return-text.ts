import { formatMoney, formatReturnPolicy, selectLocale } from '@boxoffice/http';
import { formatDateAndTime } from '@boxoffice/http/local-time';
import type { Line } from '../clients/orders.ts';

interface Wording {
  readonly locale: string;
  /** Of the venue; absent: not known. */
  readonly timeZone: string | null | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly currency: string;
}

/** As the shop writes in the first language. */
export function toWording({
  languages: [language = 'en'],
  pointOfSale: { currency },
}: {
  readonly languages: readonly string[];
  readonly pointOfSale: { readonly currency: string };
}) {
  return { locale: selectLocale(language.split('-', 1)[0] ?? 'en', currency), currency };
}

/** What a buyer may do with a place after the sale, in a sentence; null without a policy. */
export function describeReturnPolicy(
  policy: Line['returnPolicy'] | undefined,
  { locale, timeZone, now, currency }: Wording,
): string | null {
  if (!policy) return null;
  const date = (instant: string): string => formatDateAndTime(locale, instant, timeZone ?? undefined);
  const money = (amount: number): string => formatMoney(locale, amount, currency);
  return formatReturnPolicy(locale, policy, { now, date, money });
}
