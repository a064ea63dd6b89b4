import type { AnyOperation } from '@boxoffice/http';
import type { Context } from './context.ts';
import { feedRoutes } from './feed/routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

/** Every operation of the events service. */
export function routes(context: Context, webhooks: Webhooks): AnyOperation[] {
  return [...feedRoutes(context), ...webhookRoutes(webhooks)];
}
