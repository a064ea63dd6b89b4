import type { Held, HoldRequest, Lost, RenewedPlace } from '../clients/stock.ts';
import type { OrdersContext } from '../context.ts';
import type { Decision } from '../domain/order/decision.ts';
import { refuse } from '../domain/order/decision.ts';
import type { OrderDocument } from '../store.ts';

/** The stock as the pending step of one order uses it: what it asks for is for that order, as of its version. */
export interface StepStock {
  hold(request: Omit<HoldRequest, 'holder' | 'asOf'>): Promise<Held>;
  extend(until: number, placeIds: readonly string[]): Promise<Lost>;
  renew(
    requestId: string,
    until: number,
    placeIds: readonly string[],
  ): Promise<Lost & { readonly places: readonly RenewedPlace[] }>;
  sell(placeIds: readonly string[]): Promise<Lost>;
  /** These places, or those that a request took or still takes. */
  release(which: { readonly placeIds: readonly string[] } | { readonly requestId: string }): Promise<void>;
}

/**
 * The stock for the step of an order, as it was when the step was begun or taken over. Before each call the process makes sure that it still
 * has its lease; a call that is late all the same, because the process was paused after that, is without effect at the catalog, which
 * compares versions of the order. @throws Fault `conflict` where another process has the step
 */
export const stepStock = (context: OrdersContext, order: OrderDocument): StepStock => {
  const { institution, id, version: asOf, begun } = order;
  const { stock, lease } = context;
  const ours = () => lease.confirm(begun?.owner, id);
  return {
    async hold(request) {
      await ours();
      return stock.hold(institution, { ...request, holder: id, asOf });
    },
    async extend(until, placeIds) {
      await ours();
      return stock.extend(institution, id, { heldUntil: new Date(until).toISOString(), placeIds, asOf });
    },
    async renew(requestId, until, placeIds) {
      await ours();
      return stock.renew(institution, id, { requestId, heldUntil: new Date(until).toISOString(), placeIds, asOf });
    },
    async sell(placeIds) {
      await ours();
      return stock.sell(institution, id, { placeIds, asOf });
    },
    async release(which) {
      await ours();
      await stock.release(institution, id, { ...which, asOf });
    },
  };
};

/**
 * The end of a step that did not succeed, which only the process may write that has the step: another one may just be succeeding. What
 * succeeded may be written by whoever is first.
 */
export const ownEnd =
  (order: OrderDocument, end: (current: OrderDocument, now: number) => Decision<OrderDocument>) =>
  (current: OrderDocument, now: number): Decision<OrderDocument> =>
    current.begun?.owner === order.begun?.owner
      ? end(current, now)
      : refuse('step_lost', 'The step is finished by another process.');
