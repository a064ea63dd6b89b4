import { type Fee, UNTAXED } from '@boxoffice/prices';
import type { LineComposition, Order } from '../../../src/domain/order/order.ts';
import { applyPrice, type ClaimedUses, listSpare, type Pricing } from '../../../src/domain/price.ts';

/** How many uses there are of the automatic discount and of the code; absent: the house has no discounts and fees. */
export interface Uses {
  readonly dsc_group: number;
  readonly cod_1: number;
}

export const CODE = 'SPRING';
export const UNKNOWN_CODES = [{ code: CODE, discountId: null, state: 'unknown' as const }];

const fee: Fee = { id: 'fee_1', name: {}, effect: { percent: '10' }, tax: UNTAXED };

/** Of a new line. */
export function composeLine(uses: Uses | undefined, base: number): { readonly price?: LineComposition } {
  return uses ? { price: { base, tax: UNTAXED, fees: [fee], components: [], taxes: [] } } : {};
}

export interface Claimed extends Pricing {
  readonly claimed: ClaimedUses;
}

/** `before`: the order that changes; uses of lines that leave it are for those that stay. */
export function applyPrices<O extends Order>(order: O, pricing: Claimed, asOf: number, now: number, before = order): O {
  return applyPrice(order, { ...pricing, asOf, toFeeId: (id) => id, spare: listSpare(before, order) }, now);
}
