// A shopper's change of a confirmed order: as any other one, paid as a checkout is.
import type { Static } from 'typebox';
import { createRefusalFault } from '../api/faults.ts';
import { toProviderPage } from '../cart/schemas.ts';
import type { OrdersContext } from '../context.ts';
import { hasAccount } from '../domain/cart.ts';
import { isProvider } from '../domain/providers.ts';
import type { Target } from '../saga/write.ts';
import type { OrderDocument } from '../store.ts';
import { changeOrder } from './change.ts';
import type { ChangePaying } from './request.ts';
import type { ShopChangeInput } from './shop-schemas.ts';

type Wanted = Static<typeof ShopChangeInput>;

/** @throws Fault for each refusal of the rules, `service_unavailable`; a repeat with the same id finds its change */
export function changeForShopper(
  context: OrdersContext,
  target: Target,
  changeId: string,
  { returns = [], exchanges = [], over, difference, ...paying }: Omit<Wanted, 'requestId'>,
): Promise<OrderDocument> {
  return changeOrder(context, target, {
    ...{ id: changeId, returns, exchanges, difference, override: false, waiveFees: false },
    givesBack: true,
    maker: { sellsToAnybody: false, over },
    pay: (order, due) => choosePayment(context, order, due, paying),
  });
}

/** What costs nothing is done, whatever the method. */
const choosePayment = async (
  context: OrdersContext,
  { institution, contactNumber, currency }: OrderDocument,
  due: number,
  { paymentMethod: method, paymentToken: token = 'ok', page }: Pick<Wanted, 'paymentMethod' | 'paymentToken' | 'page'>,
): Promise<ChangePaying> => {
  if (due === 0) return {};
  if (method === undefined) throw createRefusalFault('unpaid');
  if (method === 'on_account') {
    const criteria = contactNumber === null ? null : await context.contacts.criteria(institution, contactNumber);
    if (!hasAccount(criteria ?? [])) throw createRefusalFault('account_required');
    return { onAccount: true };
  }
  if (isProvider(method)) {
    if (page?.amount !== due || page.currency !== currency)
      throw createRefusalFault('amount_differs', `There is no page that asks for the ${due} ${currency} that are due.`);
    return { payment: { method, status: 'pending', page: toProviderPage(page) } };
  }
  if (method === 'simulated' && token === 'declined') throw createRefusalFault('payment_declined');
  const status = method === 'simulated' && token === 'ok' ? 'captured' : 'pending';
  return { payment: { method, status } };
};
