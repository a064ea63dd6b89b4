import type { OrderView } from '../client/api.ts';
import { type Checkout, type CheckoutAnswer, isOpen } from '../round/journal.ts';
import type { Check, Evidence } from './verdict.ts';

/** checkouts: an order that was reported as cancelled stays so, a bought one stays bought, and a key buys once. */
export function checkCheckouts({ checkouts, observed }: Evidence, check: Check): void {
  const orders = new Map(observed.orders.map((order) => [order.id, order]));
  for (const checkout of checkouts) {
    checkSaid(checkout, check);
    checkEnd(checkout, orders.get(checkout.cartId), check);
  }
  const asked = new Set(checkouts.map(({ cartId }) => cartId));
  for (const { id, externalReference, confirmedAt } of observed.orders) {
    const explained = externalReference !== null || confirmedAt === null || asked.has(id);
    check.that('checkouts', explained, () => `${id} is bought without a request of a visitor`);
  }
}

/** Checks that every 500 reports its consequences, and that no later response contradicts it. */
const checkSaid = ({ cartId, answers, sightings, inSession }: Checkout, check: Check): void => {
  for (const { status, orderCancelled, userLoggedOut } of answers.filter(isFailure)) {
    const text = () => `${status} for ${cartId} says orderCancelled ${orderCancelled}, userLoggedOut ${userLoggedOut}`;
    check.that('checkouts', status === 500 && orderCancelled !== null && userLoggedOut !== null, text);
    check.that(
      'checkouts',
      inSession === null || inSession !== (userLoggedOut === true),
      () => `${text()}; it is wrong`,
    );
  }
  const since = answers.findIndex(({ orderCancelled }) => orderCancelled === true);
  if (since < 0) return;
  const later = answers.slice(since).some(isBought);
  check.that('checkouts', !later, () => `${cartId} was reported cancelled, and bought afterwards`);
  const otherwise = sightings.filter((state) => state !== 'cancelled');
  check.that(
    'checkouts',
    otherwise.length === 0,
    () => `${cartId} was reported cancelled, and was ${otherwise.join(', ')}`,
  );
};

const isFailure = ({ status }: CheckoutAnswer): boolean => status !== null && status >= 500;

const isBought = ({ status }: CheckoutAnswer): boolean => status !== null && status < 300;

const checkEnd = ({ cartId, key, answers }: Checkout, order: OrderView | undefined, check: Check): void => {
  const state = order?.state ?? 'gone';
  if (answers.some(({ orderCancelled }) => orderCancelled === true)) {
    check.that('checkouts', state === 'cancelled', () => `${cartId} was reported cancelled, it is ${state}`);
  }
  const shown = answers.filter(isBought);
  for (const { orderId } of shown) {
    check.that('checkouts', orderId === cartId, () => `cart ${cartId} was answered as order ${orderId} (key ${key})`);
  }
  if (shown.some((answer) => answer.state === 'confirmed')) {
    const text = () => `${cartId} was acknowledged as confirmed, it is ${state}`;
    check.that('checkouts', state === 'confirmed', text);
  } else if (shown.length > 0) {
    check.that(
      'checkouts',
      state !== 'cancelled' && state !== 'gone',
      () => `${cartId} was acknowledged, it is ${state}`,
    );
  }
  // Without a key, a repeat finds a cart that is already an order.
  const last = answers.at(-1);
  if (key !== null && last && isRefused(last)) {
    const unsold = order?.confirmedAt == null;
    // An attempt without an answer may have failed like one with a 500, and been cancelled like it.
    const mayHaveFailed = (answer: CheckoutAnswer) => answer.status === null || isFailure(answer);
    const cancelledSince = state === 'cancelled' && answers.some(mayHaveFailed);
    const text = () =>
      `${cartId} was refused (${last.code}) after ${answers.map(({ status }) => status)}, it is ${state}`;
    check.that('checkouts', unsold || cancelledSince, text);
  }
};

/** The purchase is refused for good: neither in progress elsewhere nor for an unknown session. */
const isRefused = (answer: CheckoutAnswer): boolean => answer.status === 400 && !isOpen(answer);
