import type { ServiceClient } from '@boxoffice/service';
import type { Payment } from '../domain/payment.ts';
import type { Refund } from '../domain/refund.ts';
import { toMinorUnits } from '../provider/units.ts';
import type { ProviderDocument } from '../store.ts';
import type { operations as CatalogApi } from './generated/catalog.ts';
import type { operations as OrdersApi } from './generated/orders.ts';

/** Milliseconds: a captured payment is sold before orders answers. */
const REPORT_MS = 8_000;

export type Orders = ReturnType<typeof createOrders>;

/** Each is idempotent. Undefined: orders has no such order, payment or refund. */
export function createOrders(orders: ServiceClient<OrdersApi>) {
  return {
    /** `wanted`: whether the page may still be paid. */
    reportPayment(institution: string, payment: Payment): Promise<{ readonly wanted: boolean } | undefined> {
      const { id: paymentId, orderId, provider, mode, reference, amount, currency, state } = payment;
      if (reference === null) throw new Error('a payment without a page is not reported');
      const status = state === 'opening' || state === 'pending' ? 'pending' : state === 'captured' ? state : 'failed';
      return orders.find(institution, 'reportProviderPayment', {
        path: { orderId, paymentId },
        body: {
          ...{ status, provider, mode, reference, amount, currency },
          ...(status === 'failed' && { ended: state === 'expired' ? ('expired' as const) : ('failed' as const) }),
        },
        timeoutMs: REPORT_MS,
      });
    },
    reportDispute(
      institution: string,
      { id: paymentId, orderId, dispute, amount }: Payment,
    ): Promise<object | undefined> {
      if (dispute === null) throw new Error('the payment is not in dispute');
      const { state, reason, at, lost, currency } = dispute;
      const toAmount = (value: number) => toMinorUnits({ amount: value, currency }) ?? amount;
      const body = { state, amount: toAmount(dispute.amount), lost: toAmount(lost), reason, at };
      return orders.find(institution, 'reportDispute', { path: { orderId, paymentId }, body });
    },
    reportRefund(
      institution: string,
      { id: refundId, orderId, state, reference }: Refund,
    ): Promise<object | undefined> {
      const body = { status: state, reference };
      return orders.find(institution, 'reportProviderRefund', { path: { orderId, refundId }, body });
    },
  };
}

export type Catalog = ReturnType<typeof createCatalog>;

export function createCatalog(catalog: ServiceClient<CatalogApi>) {
  return {
    /** So that points of sale can name it, or no longer. An earlier report changes nothing. */
    async recordPaymentProvider(institution: string, { provider, mode, state, updatedAt }: ProviderDocument) {
      const body = { mode, state, changedAt: updatedAt };
      await catalog.call(institution, 'recordPaymentProvider', { path: { provider }, body });
    },
  };
}
