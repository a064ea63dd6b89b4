import type { Held, HoldRequest, Lost, RenewedPlace } from '../clients/stock.ts';
import type { OrdersContext } from '../context.ts';
import type { Decision } from '../domain/order/decision.ts';
import { refuse } from '../domain/order/decision.ts';
import type { OrderDocument } from '../store.ts';

/** The catalog's stock for the pending step of one order, as of the order's version. */
export interface StepStock {
  hold(request: Omit<HoldRequest, 'holder' | 'asOf'>, timeoutMs?: number): Promise<Held>;
  extend(until: number, placeIds: readonly string[]): Promise<Lost>;
  renew(
    requestId: string,
    until: number,
    placeIds: readonly string[],
  ): Promise<Lost & { readonly places: readonly RenewedPlace[] }>;
  sell(placeIds: readonly string[]): Promise<Lost>;
  /** Releases these places, or those that a request holds or is still taking. */
  release(which: { readonly placeIds: readonly string[] } | { readonly requestId: string }): Promise<void>;
}

/**
 * The stock for the pending step of an order as it was read. Each call first confirms the lease. A call that arrives
 * late, because the process was paused after that, has no effect: the catalog compares versions of the order. @throws
 * Fault `conflict` if another process owns the step
 */
export const stepStock = (context: OrdersContext, order: OrderDocument): StepStock => {
  const { institution, id, version: asOf, pendingStep: pending } = order;
  const { stock, lease } = context;
  const ours = () => lease.confirm(pending?.owner, id);
  return {
    async hold(request, timeoutMs) {
      await ours();
      return stock.hold(institution, { ...request, holder: id, asOf }, timeoutMs);
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
 * Ends a failed step only if this process still owns it, since another process may be succeeding. A success may be
 * written by any process.
 */
export const ifOwned =
  (order: OrderDocument, end: (current: OrderDocument, now: number) => Decision<OrderDocument>) =>
  (current: OrderDocument, now: number): Decision<OrderDocument> =>
    current.pendingStep?.owner === order.pendingStep?.owner ? end(current, now) : refuse('step_lost');
