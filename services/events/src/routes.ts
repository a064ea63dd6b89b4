import type { AnyOperation } from '@boxoffice/http';
import type { Context } from './context.ts';
import { createFeedRoutes } from './feed/routes.ts';
import { createWebhookRoutes } from './webhooks/routes.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

export function createRoutes(context: Context, webhooks: Webhooks): AnyOperation[] {
  return [...createFeedRoutes(context), ...createWebhookRoutes(webhooks)];
}
