interface Composition {
  readonly base: number;
  readonly components: readonly { readonly name: Readonly<Record<string, string>>; readonly amount: number }[];
}

type FormatAmount = (amount: number) => string;

/** What makes an amount, `CHF 120.00, Family -CHF 24.00, Booking fee CHF 2.00`; empty if it is the base alone. */
export function formatPriceParts(
  { base, components }: Composition,
  money: FormatAmount,
  translate: (texts: Readonly<Record<string, string>>) => string | null,
): string {
  const parts = components.filter(({ amount }) => amount !== 0);
  if (parts.length === 0) return '';
  return [money(base), ...parts.map(({ name, amount }) => `${translate(name) ?? ''} ${money(amount)}`.trim())].join(
    ', ',
  );
}

/** By language. */
const INCLUDED: Readonly<Record<string, string>> = {
  en: 'incl. {rate} VAT: {tax} (net {net})',
  de: 'inkl. {rate} MwSt.: {tax} (netto {net})',
  fr: 'dont TVA {rate}\u202f: {tax} (HT {net})',
  it: 'di cui IVA {rate}: {tax} (netto {net})',
};

/** The taxes that a price includes, in the locale's language, else English: `incl. 8.1% VAT: £7.34 (net £90.66)`. */
export function listIncludedTaxes(
  locale: string,
  taxes: readonly { readonly rate: string | null; readonly tax: number; readonly net: number }[],
  money: FormatAmount,
): string[] {
  const text = INCLUDED[new Intl.Locale(locale).language] ?? INCLUDED.en ?? '';
  return taxes.flatMap(({ rate, tax, net }) => {
    if (rate === null) return [];
    const values = { '{rate}': formatPercent(locale, rate), '{tax}': money(tax), '{net}': money(net) };
    return text.replaceAll(/\{\w+\}/g, (name) => values[name as keyof typeof values]);
  });
}

/** `percent` is a decimal string with at most four decimals. */
export function formatPercent(locale: string, percent: string): string {
  return new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 4 }).format(Number(percent) / 100);
}

/** The head of a receipt: who sells, where, and the tax number. */
export function listSellerLines({
  name,
  address,
  taxNumber,
}: {
  readonly name: string;
  readonly address: string | null;
  readonly taxNumber: string | null;
}): string[] {
  return [name, ...(address?.split('\n') ?? []), taxNumber ?? ''].filter((line) => line.trim() !== '');
}
