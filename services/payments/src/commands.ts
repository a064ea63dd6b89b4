import type { AnyOperation } from '@boxoffice/http';
import type { PaymentsContext } from './context.ts';
import { createKeysRoutes } from './keys/routes.ts';
import { createPagesRoutes } from './pages/routes.ts';
import { createWebhookRoutes } from './webhooks/routes.ts';

/** Every operation, above its file. */
export function createRoutes(context: PaymentsContext): AnyOperation[] {
  return [
    // getPaymentProvider, setPaymentProvider, deletePaymentProvider
    ...createKeysRoutes(context),
    // openPage, closePage, lookAtOrder
    ...createPagesRoutes(context),
    // takeStripeWebhook
    ...createWebhookRoutes(context),
  ];
}
