import {
  type Buyer,
  type Channels,
  type Discount,
  type DiscountEffect,
  type Fee,
  isBuyerAdmitted,
  type Tax,
  type Texts,
  UNTAXED,
} from './terms.ts';

interface BookFee {
  readonly id: string;
  readonly name: Texts;
  readonly per: 'ticket' | 'order';
  readonly amount?: number | null;
  readonly percent?: string | null;
  readonly roundTo?: number | null;
  readonly taxId?: string | null;
  readonly channels?: Channels | null;
}

interface BookDiscount extends Omit<Discount, 'effect'> {
  readonly effect: {
    readonly percent?: string;
    readonly roundTo?: number;
    readonly amount?: number;
    readonly price?: number;
  } | null;
}

/** What the catalogue says of an institution's prices. */
export interface Book {
  readonly taxes: readonly { readonly id: string; readonly name: Texts; readonly rate: string }[];
  readonly fees: readonly BookFee[];
  readonly discounts: readonly BookDiscount[];
}

/** Of a new line: its tax, and what tickets of this buyer cost beside it. */
export function composeTerms(book: Book, taxId: string | null | undefined, buyer: Buyer): { tax: Tax; fees: Fee[] } {
  return { tax: findTax(book, taxId), fees: listFees(book, 'ticket', buyer) };
}

const findTax = ({ taxes }: Book, taxId: string | null | undefined): Tax => {
  const tax = taxes.find(({ id }) => id === taxId);
  return tax ? { taxId: tax.id, rate: tax.rate } : UNTAXED;
};

const listFees = (book: Book, per: 'ticket' | 'order', buyer: Buyer): Fee[] =>
  book.fees
    .filter((fee) => fee.per === per && isBuyerAdmitted(fee.channels ?? null, buyer))
    .map(({ id, name, amount, percent, roundTo, taxId }) => ({
      ...{ id, name, tax: findTax(book, taxId) },
      effect: percent == null ? { amount: amount ?? 0 } : toShare(percent, roundTo),
    }));

const toShare = (percent: string, roundTo: number | null | undefined) => ({ percent, roundTo: roundTo ?? 1 });

/** The discounts that orders may have, and the fees that one of this buyer has once. */
export function readBook(book: Book, buyer: Buyer): { discounts: Discount[]; orderFees: Fee[] } {
  const discounts = book.discounts.map(({ effect, ...discount }) => ({ ...discount, effect: toEffect(effect) }));
  return { discounts, orderFees: listFees(book, 'order', buyer) };
}

const toEffect = (effect: BookDiscount['effect']): DiscountEffect | null => {
  if (effect === null) return null;
  const { percent, roundTo, amount, price } = effect;
  if (percent !== undefined) return toShare(percent, roundTo);
  return price === undefined ? { amount: amount ?? 0 } : { price };
};
