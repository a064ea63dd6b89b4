/**
 * The exponents of currencies whose minor unit is not a hundredth (ISO 4217, list one): the digits of an amount behind
 * the point. Not those of `Intl`, which has CLDR's: other ones for HUF, COP, IDR or IQD, and other ones each year.
 */
export const EXPONENTS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0]),
  ),
  ...Object.fromEntries('BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3])),
  ...Object.fromEntries('CLF UYW'.split(' ').map((code) => [code, 4])),
};

/** The digits behind the point of an amount in this currency. */
export const exponentOf = (currency: string): number => EXPONENTS[currency] ?? 2;
