// What prices are made of (commerce, section 4). Pure: the only package that rules of services may import.

export { type Book, composeTerms, readBook, toFeeEffect } from './book.ts';
export { type CodeState, codeStates } from './discounts.ts';
export { extractTax, multiplyByPercent } from './money.ts';
export {
  type Component,
  chargeTicketFees,
  computeOrderPrice,
  type LinePrice,
  type Price,
  sumTaxes,
  type TaxedSum,
} from './price.ts';
export { type ReturnFee, type ReturnPolicy, type ReturnTerms, resolveReturnTerms } from './returns.ts';
export {
  type Buyer,
  type Buying,
  type Channels,
  type Discount,
  type DiscountTerms,
  type Effect,
  type Fee,
  type Grant,
  isSameCode,
  listDistinctCodes,
  type PricedItem,
  type Tax,
  type Texts,
  UNTAXED,
} from './terms.ts';
