// What an order costs, and what its prices are made of (commerce, section 4).

import { type Choice, type CodeState, chooseDiscounts, findCodeStates } from './discounts.ts';
import { computeShare, extractTax } from './money.ts';
import type { Buying, Discount, Fee, Grant, PricedItem, Tax, Texts } from './terms.ts';

/** A part of a line's price beside its base; a discount's is negative. */
export interface Component {
  readonly kind: 'discount' | 'fee';
  readonly id: string;
  readonly name: Texts;
  readonly amount: number;
}

/** net + tax = gross. */
export interface TaxedSum extends Tax {
  readonly net: number;
  readonly tax: number;
  readonly gross: number;
}

export interface LinePrice {
  readonly id: string;
  readonly components: readonly Component[];
  readonly amount: number;
  readonly taxes: readonly TaxedSum[];
  readonly grant: Grant | null;
  /** Limited discounts and codes of which it needs a use. */
  readonly wanted: readonly string[];
  /** Its tariff is hidden, and nothing unlocks it. */
  readonly locked: boolean;
}

export interface OrderFee extends Fee {
  readonly amount: number;
  readonly taxes: readonly TaxedSum[];
}

export interface Price {
  readonly lines: readonly LinePrice[];
  readonly fees: readonly OrderFee[];
  readonly taxes: readonly TaxedSum[];
  readonly total: number;
  readonly codes: readonly CodeState[];
}

/**
 * Prices all lines from their bases. `fees`: those of the order, which it has once, if anything is left to pay for.
 * `spare`: what lines had that leave the order.
 */
export function computeOrderPrice(
  items: readonly PricedItem[],
  {
    fees,
    discounts,
    buying,
    spare,
  }: {
    readonly fees: readonly Fee[];
    readonly discounts: readonly Discount[];
    readonly buying: Buying;
    readonly spare?: readonly Grant[] | undefined;
  },
): Price {
  const choices = chooseDiscounts(items, discounts, buying, spare);
  const lines = items.map((item) =>
    priceLine(
      item,
      choices.find(({ lineId }) => lineId === item.id),
    ),
  );
  const isFree = lines.every(({ amount }) => amount === 0);
  const charged = isFree ? [] : fees.map(chargeOnce);
  const taxes = sumTaxes([...lines, ...charged].flatMap((one) => one.taxes));
  const total = [...lines, ...charged].reduce((sum, { amount }) => sum + amount, 0);
  return { lines, fees: charged, taxes, total, codes: findCodeStates(items, discounts, choices, buying) };
}

const priceLine = (item: PricedItem, choice: Choice | undefined): LinePrice => {
  const { lowering = 0, grant = null, wanted = [] } = choice ?? {};
  const price = item.base - lowering;
  const fees = chargeTicketFees(price, item.fees);
  const parts = [{ tax: item.tax, amount: price }, ...fees];
  return {
    id: item.id,
    components: [
      ...(grant
        ? [{ kind: 'discount' as const, id: grant.terms.id, name: grant.terms.name, amount: 0 - lowering }]
        : []),
      ...fees.map(({ id, name, amount }) => ({ kind: 'fee' as const, id, name, amount })),
    ],
    amount: parts.reduce((sum, { amount }) => sum + amount, 0),
    taxes: tax(parts),
    grant,
    wanted,
    locked: item.hidden && grant === null,
  };
};

/** Those of a line at its price after the discount; none on one that costs nothing. */
export function chargeTicketFees<F extends Pick<Fee, 'effect'>>(price: number, fees: readonly F[]) {
  const charged = price === 0 ? [] : fees.map((fee) => ({ ...fee, amount: computeShare(fee.effect, price) }));
  return charged.filter(({ amount }) => amount !== 0);
}

const chargeOnce = (fee: Fee): OrderFee => {
  const amount = computeShare(fee.effect, 0);
  return { ...fee, amount, taxes: tax([{ tax: fee.tax, amount }]) };
};

/** The parts of one tax are added first, then its tax is rounded once. */
const tax = (parts: readonly { readonly tax: Tax; readonly amount: number }[]): TaxedSum[] =>
  addUp(parts.map(({ tax: { taxId, rate }, amount }) => ({ taxId, rate, net: amount, tax: 0, gross: amount }))).map(
    ({ gross, ...one }) => {
      const included = one.rate === null ? 0 : extractTax(gross, one.rate);
      return { ...one, net: gross - included, tax: included, gross };
    },
  );

/** Of a whole order: without those whose gross is 0. */
export function sumTaxes(taxes: readonly TaxedSum[]): TaxedSum[] {
  return addUp(taxes).filter(({ gross }) => gross !== 0);
}

/** By tax and rate, in the order of their first. */
export function addUp(sums: readonly TaxedSum[]): TaxedSum[] {
  const byTax = new Map<string, TaxedSum>();
  for (const { taxId, rate, ...one } of sums) {
    const key = JSON.stringify([taxId, rate]);
    const { net, tax: included, gross } = byTax.get(key) ?? { net: 0, tax: 0, gross: 0 };
    byTax.set(key, { taxId, rate, net: net + one.net, tax: included + one.tax, gross: gross + one.gross });
  }
  return [...byTax.values()];
}
