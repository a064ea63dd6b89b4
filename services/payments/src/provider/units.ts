// What one charges at Stripe, in ISO 4217 and in Stripe's unit. Source: https://docs.stripe.com/currencies, sections
// "Zero-decimal currencies", "Three-decimal currencies", "Special cases" and "Minimum charge amount by currency".

import { EXPONENTS, isCurrency } from '@boxoffice/http';
import type { ProviderAmount } from '../domain/amount.ts';

/** Its unit is the whole currency, also where ISO 4217 has digits (MGA). */
const ZERO_DECIMAL = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF';

const THREE_DECIMAL = 'BHD JOD KWD OMR TND';

/**
 * Two decimals there, always 00: none exist any more, and ISO 4217 has none. HUF and TWD are not among them: charges
 * have two decimals as in ISO 4217, only payouts are of whole ones.
 */
const TWO_DECIMAL_WHOLE = 'ISK UGX';

const digits: ReadonlyMap<string, number> = new Map([
  ...ZERO_DECIMAL.split(' ').map((currency) => [currency, 0] as const),
  ...THREE_DECIMAL.split(' ').map((currency) => [currency, 3] as const),
]);

/** The smallest step of an amount, in the provider's unit, where it is not 1. */
const steps: ReadonlyMap<string, number> = new Map([
  // "these API calls require the least-significant (last) digit to be 0"
  ...THREE_DECIMAL.split(' ').map((currency) => [currency, 10] as const),
  ...TWO_DECIMAL_WHOLE.split(' ').map((currency) => [currency, 100] as const),
]);

/** ISO 4217 has other digits than two, and Stripe does not offer these. */
const NOT_OFFERED: ReadonlySet<string> = new Set(['IQD', 'LYD', 'CLF', 'UYW', 'UYI']);

/** In the provider's unit. */
const MINIMUM: Readonly<Record<string, number>> = {
  USD: 50,
  AED: 200,
  ARS: 50,
  AUD: 50,
  BRL: 50,
  CAD: 50,
  CHF: 50,
  COP: 50,
  CZK: 1_500,
  DKK: 250,
  EUR: 50,
  GBP: 30,
  HKD: 400,
  HUF: 17_500,
  IDR: 50,
  ILS: 50,
  INR: 50,
  JPY: 50,
  KRW: 50,
  MXN: 1_000,
  MYR: 200,
  NOK: 300,
  NZD: 50,
  PHP: 50,
  PLN: 200,
  RON: 200,
  RUB: 50,
  SEK: 300,
  SGD: 50,
  THB: 1_000,
  ZAR: 50,
};

/** Up to twelve digits (cards). */
const MOST = 999_999_999_999;

const isoDigits = (currency: string): number => EXPONENTS[currency] ?? 2;

const providerDigits = (currency: string): number => digits.get(currency) ?? 2;

/** Undefined where the provider's unit cannot express the amount: too fine, too much, or not offered. */
export function toProviderAmount(amountMinorUnits: number, currency: string): ProviderAmount | undefined {
  if (!isCurrency(currency) || NOT_OFFERED.has(currency)) return undefined;
  const shift = providerDigits(currency) - isoDigits(currency);
  const amount = shift >= 0 ? amountMinorUnits * 10 ** shift : amountMinorUnits / 10 ** -shift;
  const isExpressible = Number.isSafeInteger(amount) && amount % (steps.get(currency) ?? 1) === 0;
  return isExpressible && amount <= MOST ? { amount, currency } : undefined;
}

/** In minor units of ISO 4217; undefined for what these cannot express. */
export function toMinorUnits({ amount, currency }: ProviderAmount): number | undefined {
  const shift = isoDigits(currency) - providerDigits(currency);
  const minorUnits = shift >= 0 ? amount * 10 ** shift : amount / 10 ** -shift;
  return Number.isSafeInteger(minorUnits) ? minorUnits : undefined;
}

/** The provider itself may refuse more, by the currency of the institution's bank account. */
export function isBelowMinimum({ amount, currency }: ProviderAmount): boolean {
  return amount < (MINIMUM[currency] ?? 1);
}
