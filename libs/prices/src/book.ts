import {
  type Buyer,
  type Channels,
  type Discount,
  type Effect,
  type Fee,
  isBuyerAdmitted,
  type Tax,
  type Texts,
  UNTAXED,
} from './terms.ts';

interface Charge {
  readonly amount?: number | null;
  readonly percent?: string | null;
  readonly roundTo?: number | null;
}

interface BookFee extends Charge {
  readonly id: string;
  readonly name: Texts;
  readonly per: 'ticket' | 'order';
  readonly taxId?: string | null;
  readonly channels?: Channels | null;
}

/** What the catalogue says of an institution's prices. */
export interface Book {
  readonly taxes: readonly { readonly id: string; readonly name: Texts; readonly rate: string }[];
  readonly fees: readonly BookFee[];
  readonly discounts: readonly Discount[];
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
    .map(({ id, name, taxId, ...charge }) => ({ id, name, tax: findTax(book, taxId), effect: toFeeEffect(charge) }));

export function toFeeEffect({ amount, percent, roundTo }: Charge): Effect {
  return percent == null ? { amount: amount ?? 0 } : { percent, roundTo: roundTo ?? 1 };
}

/** The discounts that orders may have, and the fees that one of this buyer has once. */
export function readBook(book: Book, buyer: Buyer): { discounts: readonly Discount[]; orderFees: Fee[] } {
  return { discounts: book.discounts, orderFees: listFees(book, 'order', buyer) };
}
