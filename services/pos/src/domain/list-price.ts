// What a visitor pays for one place that is bought alone (commerce, section 4).

import { type Book, type Buyer, composeTerms, computeOrderPrice, readBook, UNTAXED } from '@boxoffice/prices';

interface Visitor extends Buyer {
  readonly criteria: readonly string[];
  /** Epoch milliseconds. */
  readonly now: number;
}

interface PlaceAlone {
  readonly productId: string;
  readonly performanceId: string;
  readonly tariffId: string;
  /** Its tariff is sold only with a discount that unlocks it. */
  readonly hidden: boolean;
  readonly base: number;
}

/**
 * Prices a place after the visitor's automatic discounts, and with fees per ticket; undefined for a hidden tariff that
 * nothing unlocks. Places that the rules do not tell apart are priced once.
 */
export function createPriceList(book: Book | null | undefined, visitor: Visitor) {
  const { fees } = book ? composeTerms(book, null, visitor) : { fees: [] };
  const { discounts } = book ? readBook(book, visitor) : { discounts: [] };
  const named = new Set(
    discounts.flatMap(({ productIds, performanceIds }) => [...(productIds ?? []), ...(performanceIds ?? [])]),
  );
  const readNamed = (id: string): string => (named.has(id) ? id : '');
  const known = new Map<string, number | undefined>();

  const price = (place: PlaceAlone): number | undefined => {
    const item = { id: place.tariffId, ...place, tax: UNTAXED, fees, grant: null };
    const { lines } = computeOrderPrice([item], { fees: [], discounts, buying: { ...visitor, codes: [] } });
    return lines.find(({ locked }) => !locked)?.amount;
  };

  return (place: PlaceAlone): number | undefined => {
    const { productId, performanceId, tariffId, hidden, base } = place;
    if (fees.length === 0 && discounts.length === 0) return hidden ? undefined : base;
    const key = `${readNamed(productId)} ${readNamed(performanceId)} ${tariffId} ${base}`;
    if (!known.has(key)) known.set(key, price(place));
    return known.get(key);
  };
}
