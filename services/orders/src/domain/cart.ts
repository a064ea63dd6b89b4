import type { CodeState, ReturnTerms } from '@boxoffice/prices';
import { checkTariffAccess, setBuyer } from './buyer.ts';
import { cancel } from './cancellation.ts';
import { findChange } from './changes/change.ts';
import { checkSellable } from './confirmation.ts';
import { accept, type Decision, isRefused, refuse } from './decisions.ts';
import { markListed, toBeneficiary } from './lines.ts';
import { createContactNamedFacts, hasNames } from './order/facts.ts';
import { computeDue, computeTotal, isAmountList } from './order/money.ts';
import type { Guest, Line, LineComposition, Order, Texts } from './order/order.ts';
import { checkDecidable, isHidden, markModified } from './order/state.ts';
import { addPayment } from './payments.ts';
import { isComposed } from './price.ts';
import { addPage, checkPage, isPayableNoMore, isProvider, type ProviderPage } from './providers.ts';

export interface LineChange {
  readonly tariff?: {
    readonly tariffId: string;
    readonly criterion: string | null;
    readonly amount: number;
    readonly currency: string;
    readonly name?: Texts;
    readonly price?: LineComposition;
    readonly returnPolicy?: ReturnTerms | null;
  };
  /** Whose discounts the whole cart has then; absent: as before. */
  readonly pricedFor?: string;
  /** Null removes a name. */
  readonly beneficiary?: { readonly firstName?: string | null; readonly lastName?: string | null };
}

/** Not bought yet, or bought with payments that all failed: its shopper may go on while its places are held. */
export function isCart(order: Order): boolean {
  if (isHidden(order)) return !order.unseen;
  const { checkout, state, payments } = order;
  const hasFailed = payments.length > 0 && payments.every(({ status }) => status === 'failed');
  return checkout !== undefined && state === 'open' && hasFailed;
}

/** Refused: `cart_gone`, `wrong_state`, `unknown_line`, `currency_mismatch`. */
export function changeLine<O extends Order>(
  order: O,
  lineId: string,
  { tariff, beneficiary, ...own }: LineChange,
  now: number,
  price: (order: O) => O = (same) => same,
): Decision<O> {
  if (!isCart(order)) return refuse('cart_gone');
  const refused = checkDecidable(order, ['open'], 'changed in its lines', now);
  if (refused) return refused;
  const line = order.lines.find(({ id }) => id === lineId);
  if (!line) return refuse('unknown_line');
  if (tariff && tariff.currency !== order.currency)
    return refuse('currency_mismatch', `The cart is in ${order.currency}, the tariff is in ${tariff.currency}.`);
  const next: Line = {
    ...(tariff ? toTariff(line, tariff) : line),
    ...(tariff ? describeTariff(line, tariff.name) : {}),
    beneficiary: toBeneficiary({ ...line.beneficiary, ...beneficiary }),
  };
  const lines = order.lines.map((other) => (other.id === lineId ? next : other));
  if (!isAmountList(lines.map(({ amount }) => amount))) return refuse('invalid_amount');
  return accept(markModified(price({ ...order, lines, ...own }), now));
}

/** The fees of the hold stay, and the discount as long as it matches. */
const toTariff = (
  { returnPolicy: _, ...line }: Line,
  { tariffId, criterion, amount, price, returnPolicy }: NonNullable<LineChange['tariff']>,
): Line => {
  const { price: had } = line;
  const kept = price && had ? { ...price, fees: had.fees, ...(had.grant && { grant: had.grant }) } : price;
  const own = { tariffId, criterion, amount, ...(kept && { price: kept }) };
  return { ...line, ...own, ...(returnPolicy && { returnPolicy }) };
};

/** As of the hold, but for another tariff. */
export function describeTariff({ about }: Line, name: Texts | undefined): Pick<Line, 'about'> {
  if (!about) return {};
  const { tariff: _, ...rest } = about;
  return { about: name ? { ...rest, tariff: name } : rest };
}

const MAX_CODES = 10;

/** Refused: `cart_gone`, `wrong_state`, `too_many_codes`. */
export function addCode<O extends Order>(
  order: O,
  code: string,
  now: number,
  price: (order: O) => O = (same) => same,
): Decision<O> {
  const codes = listKnownCodes(order);
  if (codes.length >= MAX_CODES) return refuse('too_many_codes');
  return replaceCodes(order, [...codes, { code, discountId: null, state: 'unknown' }], now, price);
}

/** All of the discount. Refused: `cart_gone`, `wrong_state`, `unknown_discount`. */
export function removeCodes<O extends Order>(
  order: O,
  discountId: string,
  now: number,
  price: (order: O) => O = (same) => same,
): Decision<O> {
  const codes = listKnownCodes(order);
  const left = codes.filter((one) => one.discountId !== discountId);
  return left.length === codes.length ? refuse('unknown_discount') : replaceCodes(order, left, now, price);
}

/** Those that were withdrawn meanwhile go with the next change: they name no discount by which they could. */
const listKnownCodes = ({ codes = [] }: Order) => codes.filter(({ discountId }) => discountId !== null);

const replaceCodes = <O extends Order>(
  order: O,
  codes: readonly CodeState[],
  now: number,
  price: (order: O) => O,
): Decision<O> =>
  checkDecidable(order, ['open'], 'given other codes', now) ?? accept(markModified(price({ ...order, codes }), now));

/** Whether its prices are those of this contact; null: a buyer without discounts of his own, such as a guest. */
export function isPricedFor(order: Order, contactNumber: string | null): boolean {
  const { pricedFor = order.contactNumber === order.guestContact ? null : order.contactNumber } = order;
  return pricedFor === contactNumber || !isComposed(order);
}

/** Cheaper, or as dear as before. Refused: `wrong_state`, and `dearer`: the cart stays. */
export function applyBuyer<O extends Order>(
  order: O,
  contactNumber: string | null,
  now: number,
  price: (order: O) => O = (same) => same,
): Decision<O> {
  const refused = checkDecidable(order, ['open'], 'bought', now);
  if (refused) return refused;
  const next = price({ ...order, pricedFor: contactNumber });
  return computeTotal(next) > computeTotal(order) ? refuse('dearer') : accept(markModified(next, now));
}

/** After its contact was erased; also of lines that left, and of those that a change wants. */
export function eraseNames<O extends Order>(order: O, now: number): O {
  if (!hasNames(order)) return order.guest ? { ...order, guest: null } : order;
  const unname = <L extends Line>(lines: readonly L[]): L[] => lines.map((line) => ({ ...line, beneficiary: null }));
  const { lines, formerLines, changes } = order;
  return markModified(
    {
      ...{ ...order, guest: null, lines: unname(lines) },
      ...(formerLines && { formerLines: unname(formerLines) }),
      ...(changes && { changes: changes.map((change) => ({ ...change, newLines: unname(change.newLines) })) }),
    },
    now,
  );
}

const ACCOUNT_CRITERION = 'account';

/** Of a contact that buys on account. */
export function hasAccount(criteria: readonly string[]): boolean {
  return criteria.includes(ACCOUNT_CRITERION);
}

/** By any other method the order waits for its payment. */
const ON_ACCOUNT = 'on_account';
const SIMULATED = 'simulated';
export const paymentTokens = ['ok', 'declined', 'pending'] as const;

export interface CheckoutInput {
  readonly requestId: string;
  readonly contactNumber: string;
  readonly criteria: readonly string[];
  readonly guest?: Omit<Guest, 'since'> | undefined;
  readonly method: string;
  readonly token: (typeof paymentTokens)[number];
  readonly paymentId: string;
  readonly graceMs: number;
  readonly termsAccepted?: true | undefined;
  /** Of a provider, whose name is the method. */
  readonly page?: ProviderPage | undefined;
}

/**
 * With a captured payment the sale is due; with a pending one the order waits; on account or free of charge the caller
 * sells it, then confirms it in the same write. An order whose payment failed is bought again; if by another buyer, the
 * guest's contact will be erased. Refused: `cart_gone`, `cart_expired`, `empty`, `wrong_state`,
 * `tariff_not_accessible`, `other_prices`, `account_required`, `payment_declined`, `not_payable`, `amount_differs`.
 */
export function checkOut<O extends Order>(order: O, input: CheckoutInput, now: number): Decision<O> {
  const decision = decideCheckout(order, input, now);
  return isRefused(decision)
    ? decision
    : { ...decision, facts: [...decision.facts, ...createContactNamedFacts(decision.next)] };
}

const checkBuyable = (order: Order, input: CheckoutInput, now: number) => {
  const { criteria, method, token, guest, contactNumber } = input;
  if (!isCart(order)) return refuse('cart_gone');
  const unclear = checkDecidable(order, ['open', 'expired', 'cancelled'], 'bought', now);
  if (unclear) return unclear;
  if (order.lines.length === 0) return refuse('empty', 'The cart is empty.');
  if (order.state === 'expired') return refuse('cart_expired');
  const refused = checkDecidable(order, ['open'], 'bought', now);
  if (refused) return refused;
  const unmet = checkTariffAccess(order.lines, criteria);
  if (unmet) return unmet;
  if (!isPricedFor(order, guest ? null : contactNumber)) return refuse('other_prices');
  // What costs nothing is confirmed at once, whatever the method.
  if (computeDue(order) === 0) return undefined;
  if (method === ON_ACCOUNT && !hasAccount(criteria)) return refuse('account_required');
  if (method === SIMULATED && token === 'declined') return refuse('payment_declined');
  return undefined;
};

const decideCheckout = <O extends Order>(order: O, input: CheckoutInput, now: number): Decision<O> => {
  const refused = checkBuyable(order, input, now);
  if (refused) return refused;
  const { requestId, contactNumber, method, page } = input;
  const byProvider = page !== undefined || (isProvider(method) && computeDue(order) > 0);
  if (byProvider && isPayableNoMore(order, now)) return refuse('not_payable');
  const otherAmount = byProvider ? checkPage(order, page) : undefined;
  if (otherAmount) return otherAmount;
  const checkout = {
    ...{ requestId, paymentMethod: method, at: order.checkout?.at ?? now },
    ...(input.termsAccepted && { termsAccepted: input.termsAccepted }),
  };
  const own = setBuyer({ ...order, checkout }, contactNumber, input.guest, now);
  const bought = markListed(markModified(own, now), now);
  if (method === ON_ACCOUNT || computeDue(bought) === 0)
    return checkSellable(bought, method === ON_ACCOUNT, now) ?? accept(bought);
  if (page) return addPage(bought, page, now);
  const status = method === SIMULATED && input.token === 'ok' ? 'captured' : 'pending';
  const { paymentId: id, graceMs } = input;
  const createdBy = order.pointOfSale === null ? undefined : { pointOfSale: order.pointOfSale };
  return addPayment(bought, { id, method, amount: computeDue(bought), status, createdBy, graceMs }, now);
};

/**
 * As {@link cancel} without override, until `until` (epoch milliseconds; absent: the first performance's start as
 * sold), then `performance_begun`. An order that is not live, or was sold with a return policy, is `not_cancellable`.
 */
export function cancelByShopper<O extends Order>(
  order: O,
  how: { readonly reason: string | null; readonly controlled: number | null; readonly until?: number | undefined },
  now: number,
): Decision<O> {
  const decision = cancel(order, { ...how, override: false, givesBack: true }, now);
  if (isRefused(decision))
    return decision.refused.reason === 'wrong_state' ? refuse('not_cancellable', decision.refused.details) : decision;
  if (order.state === 'confirmed' && hasReturnPolicy(order))
    return refuse('not_cancellable', 'It was sold with a return policy: its lines are returned, with their fee.');
  const until = how.until ?? Math.min(...order.lines.map(({ startDate }) => Date.parse(startDate)));
  return until <= now ? refuse('performance_begun') : decision;
}

/** Of a line, or of one that it has returned or exchanged; a cancelled performance is nobody's return. */
const hasReturnPolicy = (order: Order): boolean => {
  const former = order.formerLines?.filter(({ changeId }) => findChange(order, changeId)?.reason === null) ?? [];
  return [...order.lines, ...former].some(({ returnPolicy }) => returnPolicy);
};
