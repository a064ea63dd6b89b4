import { accept, type Decision, refuse } from './order/decision.ts';
import { areAmounts } from './order/money.ts';
import type { Beneficiary, Line, Order } from './order/order.ts';
import { isHidden, touched, unfit } from './order/state.ts';

/** What a line of a cart may become; what is absent stays. */
export interface LineChange {
  readonly tariff?: {
    readonly tariffId: string;
    readonly criterion: string | null;
    readonly amount: number;
    readonly currency: string;
  };
  /** Each name that is absent stays; null removes. */
  readonly beneficiary?: { readonly firstName?: string | null; readonly lastName?: string | null };
}

const renamed = (known: Beneficiary | null | undefined, change: LineChange['beneficiary']): Beneficiary | null => {
  const { firstName = known?.firstName ?? null, lastName = known?.lastName ?? null } = change ?? {};
  return firstName === null && lastName === null ? null : { firstName, lastName };
};

/**
 * Whether it is a cart: not bought yet, or bought with payments that all failed while nothing else became of it. Such an order stays
 * listed, and its shopper may change it, give it up or buy it once more as long as its places are held.
 */
export const isCart = (order: Order): boolean => {
  if (isHidden(order)) return true;
  const { checkout, state, begun, payments } = order;
  const hasFailed = payments.length > 0 && payments.every(({ status }) => status === 'failed');
  // A sale that is under way may succeed without a payment.
  return checkout !== undefined && state === 'open' && begun?.step !== 'confirm' && hasFailed;
};

/** The refusal of a cart's action on what is a listed order. */
export const checkedOut = () => refuse('checked_out', 'The cart was bought already.');

/** Changes the tariff of a cart's line or who will come. Refused: `checked_out`, `wrong_state`, `unknown_line`, `currency_mismatch`. */
export const changeLine = <O extends Order>(
  order: O,
  lineId: string,
  { tariff, beneficiary }: LineChange,
  now: number,
): Decision<O> => {
  if (!isCart(order)) return checkedOut();
  const refused = unfit(order, ['open'], 'changed in its lines', now);
  if (refused) return refused;
  const line = order.lines.find(({ id }) => id === lineId);
  if (!line) return refuse('unknown_line', 'The order has no such line.');
  if (tariff && tariff.currency !== order.currency)
    return refuse('currency_mismatch', `The cart is in ${order.currency}, the tariff is in ${tariff.currency}.`);
  const price = tariff && { tariffId: tariff.tariffId, criterion: tariff.criterion, amount: tariff.amount };
  const next: Line = { ...line, ...price, beneficiary: renamed(line.beneficiary, beneficiary) };
  const lines = order.lines.map((other) => (other.id === lineId ? next : other));
  if (!areAmounts(lines.map(({ amount }) => amount)))
    return refuse('invalid_amount', 'The prices do not add up to an exact integer.');
  return accept(touched({ ...order, lines }, now));
};

/** The order without the names of those who will come: their contact was erased. Nothing that family A shows changes. */
export const withoutNames = <O extends Order>(order: O): O =>
  order.lines.some(({ beneficiary }) => beneficiary) || order.guest
    ? { ...order, guest: null, lines: order.lines.map((line) => ({ ...line, beneficiary: null })) }
    : order;
