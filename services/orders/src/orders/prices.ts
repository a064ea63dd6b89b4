import { type Buyer, composeTerms, type Discount, listDistinctCodes, readBook } from '@boxoffice/prices';
import { isUnavailable, toFault } from '../api/faults.ts';
import type { Book, HeldLine, PricedItem } from '../clients/services.ts';
import type { OrdersContext } from '../context.ts';
import { changeable } from '../domain/buyer.ts';
import type { LineComposition, Order } from '../domain/order/order.ts';
import {
  applyPrice,
  type ClaimedUses,
  computePrice,
  countNeededUses,
  listSpare,
  type PricedOrder,
  type Pricing,
  toBuyer,
} from '../domain/price.ts';
import { checkUnlocking, type PriceCheck } from '../domain/price-checks.ts';
import { createRequestId, deriveId } from '../ids.ts';
import { type Command, runStockFirst } from '../saga/command.ts';
import { releaseAtOnce, releaseRefused, type Taken } from '../saga/release.ts';
import type { Rule } from '../saga/write.ts';
import type { OrderDocument } from '../store.ts';

/** Uses claimed for an order, to be released if it is not written. */
export interface ClaimedPricing extends Pricing {
  readonly claimed: ClaimedUses;
}

const NO_USES: ClaimedUses = new Map();

export const NO_PRICING: ClaimedPricing = { discounts: [], orderFees: [], criteria: null, claimed: NO_USES };

export function listClaimedUses({ claimed }: ClaimedPricing): string[] {
  return [...claimed.values()].flat();
}

/** What the catalogue's tax, fees and tariff make of a new line; undefined where the institution has none of them. */
export function composeLine(
  { amount, taxId, hidden }: Pick<HeldLine, 'amount' | 'taxId' | 'hidden'>,
  book: Book | null | undefined,
  buyer: Buyer,
): { readonly price?: LineComposition } {
  if (!book) return {};
  const terms = composeTerms(book, taxId, buyer);
  return { price: { base: amount, ...(hidden && { hidden: true as const }), ...terms, components: [], taxes: [] } };
}

/** Without the contact, which only some discounts need. */
export function readPricing(book: Book | null | undefined, buyer: Buyer, criteria: Pricing['criteria']): Pricing {
  if (!book) return { discounts: [], orderFees: [], criteria };
  return { ...readBook(book, buyer), criteria };
}

interface Claim {
  readonly institution: string;
  readonly holder: string;
  readonly requestId: string;
  readonly asOf: number;
  /** ISO 8601 UTC. */
  readonly heldUntil: string;
  /** Of a sale that follows at once, as of its places. */
  readonly claimFirst?: boolean;
  readonly check: PriceCheck;
}

const TRIES = 8;

/**
 * Claims the uses that the order needs at its prices now, all or none. Of a discount that runs out meanwhile, the
 * others are priced anew. A repeat finds what it has claimed. @throws Fault for the order's codes, `tariff_locked`,
 * `service_unavailable`
 */
export async function claimUses(
  context: Pick<OrdersContext, 'stock' | 'now'>,
  order: PricedOrder,
  pricing: Pricing,
  { institution, check, ...claim }: Claim,
): Promise<ClaimedPricing> {
  let known = pricing;
  for (let tries = 1; ; tries += 1) {
    const price = computePrice(order, known, context.now());
    const refused = check(price);
    if (refused) throw toFault(refused.refused);
    const uses = [...countNeededUses(price)].map(([pool, count]) => ({ pool, count }));
    if (uses.length === 0) return { ...known, claimed: NO_USES };
    const answer = await context.stock.holdUses(institution, { ...claim, uses });
    if (!answer.short) return { ...known, claimed: new Map(answer.uses.map(({ pool, ids }) => [pool, ids])) };
    const { pool, free } = answer.short;
    known = { ...known, discounts: known.discounts.map((one) => limitFree(one, pool, tries < TRIES ? free : 0)) };
  }
}

const limitFree = (discount: Discount, pool: string, free: number): Discount => ({
  ...discount,
  ...(discount.id === pool && { free }),
  codes: discount.codes.map((code) => (code.id === pool ? { ...code, free } : code)),
});

/** The prices of an order that is to be written, as of its version; `before`: with the lines that leave it. */
export function applyOrderPrice<O extends Order & { readonly version: number }>(
  order: O,
  pricing: ClaimedPricing,
  now: number,
  before: Pick<Order, 'lines'> = order,
): O {
  const toFeeId = (id: string) => deriveId('fli', order.id, id);
  return applyPrice(order, { ...pricing, asOf: order.version, toFeeId, spare: listSpare(before, order) }, now);
}

type Contacted = Pick<OrderDocument, 'institution' | 'contactNumber' | 'pricedFor'>;

interface PricingSource {
  readonly isOptional?: boolean;
  /** Known from the hold. */
  readonly book?: Book | null | undefined;
  /** Whose claims count as free. */
  readonly request?: Pick<Claim, 'holder' | 'requestId'>;
}

/**
 * What the order is priced with now. Where the catalogue does not answer, a change that needs nothing else of it keeps
 * what the lines have. @throws Fault `service_unavailable` unless `isOptional`
 */
export async function readOrderPricing(
  context: Pick<OrdersContext, 'stock' | 'contacts' | 'log'>,
  order: Contacted & PricedOrder,
  { isOptional = false, book, request }: PricingSource = {},
): Promise<Pricing> {
  const { institution, codes = [] } = order;
  const given = { codes: codes.map(({ code }) => code), ...(request && { request }) };
  const found =
    book ??
    (await context.stock.pricing(institution, given).catch((error: unknown) => {
      if (!isOptional || !isUnavailable(error)) throw error;
      context.log.warn('the catalogue does not answer; prices are as of the hold', { error });
      return null;
    }));
  const pricing = readPricing(found, toBuyer(order), null);
  return { ...pricing, criteria: await readCriteria(context, order, pricing) };
}

/** Only where a discount asks for it. An erased contact meets nothing. */
const readCriteria = async (
  context: Pick<OrdersContext, 'contacts'>,
  { institution, contactNumber, pricedFor = contactNumber, lines }: Contacted & PricedOrder,
  { discounts }: Pricing,
): Promise<readonly string[] | null> => {
  if (pricedFor === null) return null;
  const terms = [...discounts, ...lines.flatMap(({ price }) => price?.grant?.terms ?? [])];
  if (terms.every(({ criterion }) => criterion === null)) return [];
  return (await context.contacts.criteria(institution, pricedFor)) ?? [];
};

/** Lines as they would be, one per place of each item that has a price. */
export function buildDraftLines(
  priced: readonly PricedItem[],
  items: readonly { readonly performanceId: string; readonly seatCategoryId: string; readonly tariffId: string }[],
  book: Book | null | undefined,
  buyer: Buyer,
) {
  return priced.flatMap(({ item, quantity, productId = '', amount, startDate = '', ...terms }) => {
    const { performanceId = '', seatCategoryId = '', tariffId = '' } = items[item] ?? {};
    const { returnPolicy } = terms;
    const known = { item, productId, performanceId, startDate, seatCategoryId, tariffId, amount };
    const policy = returnPolicy ? { returnPolicy } : {};
    const composed = composeLine({ amount, ...terms }, book, buyer);
    return Array.from({ length: quantity }, (_, nth) => ({ id: `${item}:${nth}`, ...known, ...policy, ...composed }));
  });
}

/**
 * A change of an order whose prices follow: first the uses that it needs are claimed, then it is written, with `rule`
 * for the prices that it is to have; uses that it needs no more are free when it answers. @throws Fault for each refusal
 * of the rules, of codes and tariffs, `service_unavailable`
 */
export async function runWithPrices(
  context: OrdersContext,
  command: Command,
  rule: (price?: (order: OrderDocument) => OrderDocument) => Rule,
  { check = checkUnlocking, isOptional = false }: { readonly check?: PriceCheck; readonly isOptional?: boolean } = {},
): Promise<{ readonly order: OrderDocument }> {
  const requestId = command.request ?? createRequestId(command.idempotencyRecord);
  let taken: Taken | undefined;
  try {
    const { order } = await runStockFirst(context, command, {
      rule: rule(),
      async effect(before, next) {
        // Later its prices stay, so that it needs no use.
        if (!changeable.includes(before.state)) return undefined;
        const { institution, id: holder, version: asOf } = before;
        const pricing = await readOrderPricing(context, next, { isOptional, request: { holder, requestId } });
        const heldUntil = new Date(before.expiresAt ?? 0).toISOString();
        const claim = { institution, holder, requestId, asOf, heldUntil, check };
        const claimed = await claimUses(context, { ...next, spare: listSpare(before, next) }, pricing, claim);
        taken = { stock: [...(taken?.stock ?? []), ...listClaimedUses(claimed)], requestId, asOf };
        return claimed;
      },
      write: (pricing) => (order, now) =>
        rule(pricing && ((next) => applyOrderPrice(next, pricing, now, order)))(order, now),
    });
    return { order: await releaseAtOnce(context, order, command.idempotencyRecord) };
  } catch (error) {
    await releaseRefused(context, command, taken, error);
    throw error;
  }
}

/** Each once, as first given, before anything is known of them; undefined without any. */
export function toUnknownCodes(codes: readonly string[] | undefined): PricedOrder['codes'] {
  if (codes === undefined || codes.length === 0) return undefined;
  return listDistinctCodes(codes).map((code) => ({ code, discountId: null, state: 'unknown' as const }));
}

/** @throws Fault of the codes and tariffs of an order that only places are missing for */
export function requireSellable(order: PricedOrder, pricing: Pricing, now: number, check: PriceCheck): void {
  const refused = check(computePrice(order, pricing, now));
  if (refused) throw toFault(refused.refused);
}
