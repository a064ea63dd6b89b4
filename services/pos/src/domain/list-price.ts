// What a visitor pays for one place that is bought alone (commerce, section 4).

import {
  type Book,
  type Buyer,
  composeTerms,
  computeOrderPrice,
  type Discount,
  readBook,
  UNTAXED,
} from '@boxoffice/prices';

interface Visitor extends Buyer {
  readonly criteria: readonly string[];
  /** Epoch milliseconds. */
  readonly now: number;
}

interface Performance {
  readonly id: string;
  readonly productId: string;
}

interface Tariff {
  readonly id: string;
  /** Sold only with a discount that unlocks it. Absent until every instance of the catalog is of this release. */
  readonly hidden?: boolean;
}

type PriceAlone = (performance: Performance, tariff: Tariff, base: number) => number | undefined;

/**
 * Prices places after the visitor's automatic discounts, and with fees per ticket; undefined for a hidden tariff that
 * neither they nor those of his codes unlock. What the rules do not tell apart is priced once.
 */
export function createPriceList(book: Book | null | undefined, visitor: Visitor): PriceAlone {
  const { fees } = book ? composeTerms(book, null, visitor) : { fees: [] };
  const discounts = book ? readBook(book, visitor).discounts.map(showWithCode) : [];
  if (fees.length === 0 && discounts.length === 0) return (_, { hidden }, base) => (hidden ? undefined : base);
  const automatic = discounts.filter(({ trigger }) => trigger === 'automatic');
  const named = new Set(
    discounts.flatMap(({ productIds, performanceIds }) => [...(productIds ?? []), ...(performanceIds ?? [])]),
  );
  const readNamed = (id: string): string => (named.has(id) ? id : '');

  const price = (performance: Performance, { id: tariffId, hidden = false }: Tariff, base: number) => {
    const ids = { id: tariffId, productId: performance.productId, performanceId: performance.id, tariffId };
    const { lines } = computeOrderPrice([{ ...ids, hidden, base, tax: UNTAXED, fees, grant: null }], {
      fees: [],
      discounts: hidden ? discounts : automatic,
      buying: { ...visitor, codes: [] },
    });
    return lines.find(({ locked }) => !locked)?.amount;
  };

  const known = new Map<string, number | undefined>();
  return (performance, tariff, base) => {
    const key = `${readNamed(performance.productId)} ${readNamed(performance.id)} ${tariff.id} ${base}`;
    if (!known.has(key)) known.set(key, price(performance, tariff, base));
    return known.get(key);
  };
}

/** Who has the code sees what it unlocks, also for several places, and while his own cart has its last use. */
const showWithCode = (discount: Discount): Discount =>
  discount.trigger === 'automatic'
    ? discount
    : { ...discount, minPlaces: 1, free: null, codes: discount.codes.map((code) => ({ ...code, free: null })) };
