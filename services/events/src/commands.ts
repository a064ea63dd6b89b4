import type { AnyOperation } from '@boxoffice/http';
import type { Context } from './context.ts';
import { createFeedRoutes } from './feed/routes.ts';
import { createWebhookRoutes } from './webhooks/routes.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

/** Every operation, above its file. */
export function createRoutes(context: Context, webhooks: Webhooks): AnyOperation[] {
  return [
    // listEvents, getEvent
    ...createFeedRoutes(context),
    // listWebhooks, createWebhook, getWebhook, updateWebhook, deleteWebhook, rotateWebhookSecret, testWebhook,
    // listDeliveries, redeliverEvents
    ...createWebhookRoutes(webhooks),
  ];
}
