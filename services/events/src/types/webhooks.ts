import type { DescribedWebhook } from '@boxoffice/http';
import { exampleOf, exampleOfTest } from './examples.ts';
import { eventSchema, WebhookTestEvent } from './schemas.ts';
import { type EventType, eventTypeNames, TEST_TYPE } from './types.ts';

const summaries: Readonly<Record<EventType, string>> = {
  'order.created': 'An order was created, or a cart became one at its checkout',
  'order.changed': 'An order changed in a way that has no type of its own; also a payment that is pending',
  'order.confirmed': 'An order was confirmed: its places are sold',
  'order.expired': 'An order expired: its places are free again',
  'order.cancelled': 'An order was cancelled; its tickets and places follow',
  'order.settled': 'The cancellation of an order ended: its tickets are cancelled and its places free again',
  'payment.recorded': 'A payment was captured',
  'payment.failed': 'A pending payment failed',
  'refund.recorded': 'A refund was recorded',
  'ticket.issued': 'A ticket was issued, also in the place of another',
  'ticket.changed': 'A ticket changed in a way that has no type of its own',
  'ticket.printed': 'A ticket was printed',
  'ticket.printing_reverted': 'The printing of a ticket was reverted',
  'ticket.replaced': 'A ticket is not valid any more: another one replaces it',
  'ticket.controlled': 'A ticket was controlled at the door',
  'ticket.control_reverted': 'The control of a ticket was reverted',
  'ticket.cancelled': 'A ticket was cancelled with its order',
  'contact.created': 'A contact was created',
  'contact.changed': 'A contact changed, but not in its sensitive data alone',
  'contact.erased': 'The personal data of a contact was erased',
  'product.created': 'A product was created',
  'product.changed': 'A product changed, or its state',
  'performance.created': 'A performance was created',
  'performance.changed': 'A performance changed',
  'performance.cancelled': 'A performance was cancelled',
};

const test: DescribedWebhook = {
  type: TEST_TYPE,
  summary: 'A webhook was tested: `POST /svc/v3/webhooks/{webhookId}/test`',
  body: WebhookTestEvent,
  example: exampleOfTest,
};

/** Every type of event, as webhooks receive it and the feed shows it; and the test, which is delivered only. */
export const describedWebhooks: readonly DescribedWebhook[] = [
  ...eventTypeNames.map((type) => ({
    type,
    summary: summaries[type],
    body: eventSchema(type),
    example: exampleOf(type),
  })),
  test,
];
