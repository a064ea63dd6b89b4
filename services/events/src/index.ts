export { events } from './app.ts';
export { createContext } from './context.ts';
export { findLastPositions } from './log/positions.ts';
export { recordFact } from './reactions.ts';
export {
  type EventDocument,
  eventsCollection,
  type RetiredDocument,
  retiredCollection,
  type WaitingDocument,
  waitingCollection,
} from './store.ts';
export {
  type DeliverySummary,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  pauseWebhook,
  type WebhookSummary,
} from './webhooks/operator.ts';
