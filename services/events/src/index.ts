export { events } from './app.ts';
export { retiredId } from './log/positions.ts';
export { type EventDocument, eventsCollection, type RetiredDocument, retiredCollection } from './store.ts';
export {
  type DeliverySummary,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  pauseWebhook,
  type WebhookSummary,
} from './webhooks/operator.ts';
