import type { DescribedWebhook } from '@boxoffice/http';
import { exampleOf, exampleOfTest } from './examples.ts';
import { eventSchema, WebhookTestEvent } from './schemas.ts';
import { eventTypeNames, eventTypes, TEST_TYPE } from './types.ts';

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
    summary: eventTypes[type].summary,
    body: eventSchema(type),
    example: exampleOf(type),
  })),
  test,
];
