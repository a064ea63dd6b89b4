import type { ReturnTerms } from '@boxoffice/prices';

export interface TariffDetails {
  readonly code: string;
  readonly name: Texts;
  /** The criterion that the buyer's contact must have; null: none. */
  readonly criterion: 'member' | null;
  /** Absent in tariffs of earlier releases, as `hidden`: none. */
  readonly taxId?: string | null;
  /** Sold only with a discount that unlocks it, and not shown to the public. */
  readonly hidden?: boolean;
  readonly returnPolicy?: ReturnTerms | null;
}

export interface Tariff extends TariffDetails {
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A tenant: an opera house, a museum, a club. */
export interface Institution {
  readonly id: string;
  readonly name: string;
  /** ISO 4217; the currency of all its prices. */
  readonly currency: string;
  /** Language tags (BCP 47), the preferred one first. */
  readonly languages: readonly string[];
}

/** A text by language (`fr`, `de-CH`): at least one. */
export type Texts = Readonly<Record<string, string>>;

/** In the order of the institution's languages, then the others: a reader without their languages gets the first. */
export function sortTexts(languages: readonly string[], texts: Texts): Texts {
  const placeOf = (tag: string): number => (languages.includes(tag) ? languages.indexOf(tag) : languages.length);
  return Object.fromEntries(Object.entries(texts).toSorted(([one], [other]) => placeOf(one) - placeOf(other)));
}

/** `amount` in the currency's minor unit. */
export interface Price {
  readonly seatCategoryId: string;
  readonly tariffId: string;
  readonly amount: number;
  /** ISO 4217; always the institution's. */
  readonly currency: string;
}

/** The category by its code, or by its id as GET returns it. */
export interface PriceInput {
  readonly seatCategory?: string;
  readonly seatCategoryId?: string;
  readonly tariffId: string;
  readonly amount: number;
  readonly currency?: string;
}

interface Named {
  readonly id?: string;
  readonly code: string;
}

export interface MoneyRules {
  readonly currency: string;
  readonly tariffIds: ReadonlySet<string>;
}

export function findPriceProblems(
  prices: readonly PriceInput[],
  categories: readonly Named[],
  rules: MoneyRules,
  at = '$',
): string[] {
  const seen = new Set<string>();
  return prices.flatMap((price, index) => {
    const path = `${at}.prices[${index}]`;
    const category = findCategory(price, categories);
    const pair = `${category?.code}\n${price.tariffId}`;
    const repeated = seen.has(pair);
    seen.add(pair);
    return [
      ...(category ? [] : [`${path}.seatCategory is not one of the seat categories`]),
      ...(rules.tariffIds.has(price.tariffId) ? [] : [`${path}.tariffId is not a tariff of the institution`]),
      ...(price.currency === undefined || price.currency === rules.currency
        ? []
        : [`${path}.currency must be ${rules.currency}, the currency of the institution`]),
      ...(repeated ? [`${path} repeats a seat category and tariff`] : []),
    ];
  });
}

const findCategory = <Category extends Named>(
  price: PriceInput,
  categories: readonly Category[],
): Category | undefined =>
  categories.find(({ id, code }) =>
    price.seatCategoryId === undefined ? code === price.seatCategory : id === price.seatCategoryId,
  );

/** The prices must have no problems. */
export function resolvePrices(
  prices: readonly PriceInput[],
  categories: readonly { readonly id: string; readonly code: string }[],
  currency: string,
): Price[] {
  return prices.flatMap((price) => {
    const category = findCategory(price, categories);
    return category ? [{ seatCategoryId: category.id, tariffId: price.tariffId, amount: price.amount, currency }] : [];
  });
}

export function findLowestAmount(prices: readonly { readonly amount: number }[]): number | null {
  return prices.reduce<number | null>((low, { amount }) => (low === null || amount < low ? amount : low), null);
}
