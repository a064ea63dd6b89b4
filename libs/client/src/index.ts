export type { Answer, Call, List, Options } from './call.ts';
export {
  type BoxofficeClient,
  type CustomerClient,
  createClient,
  type PublicClient,
  type PublicOptions,
} from './client.ts';
export { ApiError, ConnectionError, isApiError, type Status } from './errors.ts';
export type { EventFilter, EventOf, EventStream, EventsOf, EventsOptions, EventType } from './events.ts';
export type * from './generated/types.ts';
export type { ClientOptions, Connection, Credentials, TokenSet } from './options.ts';
export {
  type DeliveryHeaders,
  type ReceivedDelivery,
  type TestEvent,
  verifyWebhook,
  WebhookVerificationError,
} from './webhooks.ts';
