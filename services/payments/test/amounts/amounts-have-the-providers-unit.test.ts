// rule commerce.3: Amounts are ISO minor units here and the provider's unit there | services/payments/src/provider/units.ts
import { isCurrency } from '@boxoffice/http';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isBelowMinimum, toMinorUnits, toProviderAmount } from '../../src/provider/units.ts';

/** From https://docs.stripe.com/currencies: an amount in ISO 4217's minor units, and what Stripe is sent for it. */
test.each([
  ['CHF', 4_500, 4_500],
  ['EUR', 1, 1],
  ['JPY', 500, 500],
  ['KRW', 500, 500],
  ['CLP', 500, 500],
  ['PYG', 500, 500],
  ['VND', 10_000, 10_000],
  ['XAF', 500, 500],
  ['XPF', 500, 500],
  // ISO 4217 gives the ariary two digits; Stripe has none.
  ['MGA', 50_000, 500],
  ['MGA', 50_050, undefined],
  // None in ISO 4217, and two at Stripe that are always 00.
  ['ISK', 5, 500],
  ['UGX', 5, 500],
  // Payouts are of whole ones, charges are not.
  ['HUF', 1_045, 1_045],
  ['TWD', 80_045, 80_045],
  // Three decimals, the last of them 0.
  ['KWD', 5_120, 5_120],
  ['BHD', 5_130, 5_130],
  ['JOD', 5_124, undefined],
  ['TND', 5_001, undefined],
  ['OMR', 10, 10],
  // Not offered.
  ['IQD', 1_000, undefined],
  ['LYD', 1_000, undefined],
  ['CLF', 10_000, undefined],
  ['ABC', 100, undefined],
  // Thirteen digits.
  ['CHF', 1_000_000_000_000, undefined],
  ['ISK', 10_000_000_000, undefined],
])('%s %d is %s there', (currency, minorUnits, expected) => {
  expect(toProviderAmount(minorUnits, currency)).toEqual(
    expected === undefined ? undefined : { amount: expected, currency },
  );
});

test('what can be expressed comes back as it was', () => {
  const currency = fc.stringMatching(/^[A-Z]{3}$/).filter(isCurrency);
  fc.assert(
    fc.property(currency, fc.integer({ min: 1, max: 1_000_000_000 }), (code, minorUnits) => {
      const amount = toProviderAmount(minorUnits, code);
      expect(amount === undefined ? minorUnits : toMinorUnits(amount)).toBe(minorUnits);
    }),
  );
});

test.each([
  ['CHF', 49, true],
  ['CHF', 50, false],
  ['JPY', 49, true],
  ['HUF', 17_499, true],
  ['HUF', 17_500, false],
  ['CZK', 1_500, false],
  ['ISK', 100, false],
])('%s %d is below the minimum: %s', (currency, amount, expected) => {
  expect(isBelowMinimum({ amount, currency })).toBe(expected);
});
