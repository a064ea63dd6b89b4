import { beneficiaryOf } from './lines.ts';
import { accept, type Decision, refuse } from './order/decision.ts';
import { areAmounts } from './order/money.ts';
import type { Line, Order, Texts } from './order/order.ts';
import { isHidden, touched, unfit } from './order/state.ts';

/** A change of a cart's line; absent members stay. */
export interface LineChange {
  readonly tariff?: {
    readonly tariffId: string;
    readonly criterion: string | null;
    readonly amount: number;
    readonly currency: string;
    readonly name?: Texts;
  };
  /** An absent name stays; null removes it. */
  readonly beneficiary?: { readonly firstName?: string | null; readonly lastName?: string | null };
}

/** What the line shows of its place, with the name of another tariff. */
const described = ({ about }: Line, name: Texts | undefined): Pick<Line, 'about'> => {
  if (!about) return {};
  const { tariff: _, ...rest } = about;
  return { about: name ? { ...rest, tariff: name } : rest };
};

/**
 * Whether the order is a cart: not bought yet, or bought with payments that all failed and otherwise unchanged. Such
 * an order stays listed, and its shopper may change, abandon or buy it again while its places are held.
 */
export const isCart = (order: Order): boolean => {
  if (isHidden(order)) return true;
  const { checkout, state, payments } = order;
  const hasFailed = payments.length > 0 && payments.every(({ status }) => status === 'failed');
  return checkout !== undefined && state === 'open' && hasFailed;
};

/**
 * Changes the tariff or the beneficiary of a cart's line. Refused: `cart_gone`, `wrong_state`, `unknown_line`,
 * `currency_mismatch`.
 */
export const changeLine = <O extends Order>(
  order: O,
  lineId: string,
  { tariff, beneficiary }: LineChange,
  now: number,
): Decision<O> => {
  if (!isCart(order)) return refuse('cart_gone');
  const refused = unfit(order, ['open'], 'changed in its lines', now);
  if (refused) return refused;
  const line = order.lines.find(({ id }) => id === lineId);
  if (!line) return refuse('unknown_line');
  if (tariff && tariff.currency !== order.currency)
    return refuse('currency_mismatch', `The cart is in ${order.currency}, the tariff is in ${tariff.currency}.`);
  const price = tariff && { tariffId: tariff.tariffId, criterion: tariff.criterion, amount: tariff.amount };
  const next: Line = {
    ...line,
    ...price,
    ...(tariff ? described(line, tariff.name) : {}),
    beneficiary: beneficiaryOf({ ...line.beneficiary, ...beneficiary }),
  };
  const lines = order.lines.map((other) => (other.id === lineId ? next : other));
  if (!areAmounts(lines.map(({ amount }) => amount))) return refuse('invalid_amount');
  return accept(touched({ ...order, lines }, now));
};

/** The order without beneficiaries and guest, after its contact was erased. */
export const withoutNames = <O extends Order>(order: O, now: number): O => {
  const named = order.lines.some(({ beneficiary }) => beneficiary);
  if (!named) return order.guest ? { ...order, guest: null } : order;
  return touched({ ...order, guest: null, lines: order.lines.map((line) => ({ ...line, beneficiary: null })) }, now);
};
