import type { WorkTable } from '@boxoffice/service';
import type { PaymentsContext } from './context.ts';
import { close } from './pages/close.ts';
import { ask } from './pages/look.ts';
import { refund } from './refunds/refund.ts';
import type { PaymentDocument, ProviderDocument, RefundDocument } from './store.ts';

/** Longer than a handler takes: two requests to the provider and one to orders. */
const CLAIM_MS = 40_000;

/** An outage of the provider may last for hours. */
const retries = { delaysMs: [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000] };

export const work: WorkTable<PaymentsContext> = {
  payment_providers: {
    async announce({ catalog }, document) {
      await catalog.recordPaymentProvider(document.institution, document as ProviderDocument);
      return 'done';
    },
  },
  payments: {
    ask: { handle: (context, document) => ask(context, document as PaymentDocument), claimMs: CLAIM_MS, retries },
    close: { handle: (context, document) => close(context, document as PaymentDocument), claimMs: CLAIM_MS, retries },
  },
  refunds: {
    refund: { handle: (context, document) => refund(context, document as RefundDocument), claimMs: CLAIM_MS, retries },
  },
};
