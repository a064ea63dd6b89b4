import { type AnyOperation, named, ok, oneOf, operation, pageOf, pageQuery, pathId } from '@boxoffice/http';
import { Type } from 'typebox';
import { eventTypeNames, TEST_TYPE, typesVisibleTo } from '../types/types.ts';
import type { WebhookDocument } from './documents.ts';
import * as example from './examples.ts';
import { WEBHOOK } from './routes.ts';
import { Delivery, DeliveryPage, deliveryView } from './view.ts';
import type { Webhooks } from './webhooks.ts';

const params = { webhookId: pathId };
const exampleParams = { webhookId: example.webhook.webhookId };

/** They change nothing of the webhook itself. */
const allow = (): void => undefined;

const TestedWebhook = named('WebhookTest', Type.Object({ delivery: Delivery }));

const RedeliveryRequest = named(
  'RedeliveryRequest',
  Type.Object({
    eventId: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'this event' })),
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description: 'all events after this cursor of `GET /svc/v3/events`; `start`: all that are kept',
      }),
    ),
  }),
);

const Redelivery = named(
  'Redelivery',
  Type.Object({ count: Type.Integer({ minimum: 0, description: 'events that are delivered again' }) }),
);

const accepted = (count: number) => ({ status: 202, data: { count } });

/** The operations on the deliveries of webhooks. */
export const deliveryRoutes = (webhooks: Webhooks): AnyOperation[] => [
  operation({
    id: 'testWebhook',
    method: 'post',
    path: `${WEBHOOK}/test`,
    access: 'events:write',
    summary: 'Sends a webhook.test now and answers with its outcome',
    answersWithin: 20,
    description:
      'In every state of the webhook, once, without retries, at most ten times a minute. It takes up to 15 seconds.',
    params,
    answers: { 200: TestedWebhook },
    errors: ['too_many_requests'],
    example: { params: exampleParams, answer: { delivery: example.testDelivery } },
    handle: async ({ caller, params }) =>
      ok({ delivery: deliveryView(await webhooks.test({ caller, ...params, allow })) }),
  }),
  operation({
    id: 'listDeliveries',
    method: 'get',
    path: `${WEBHOOK}/deliveries`,
    access: 'events:read',
    summary: 'Lists the attempts to deliver events, the newest first',
    description: 'One record per attempt, kept for 30 days; of events that the token may see.',
    params,
    query: {
      ...pageQuery,
      eventId: Type.Optional(pathId),
      outcome: Type.Optional(oneOf(['succeeded', 'failed', 'waiting'])),
    },
    answers: { 200: DeliveryPage },
    example: { params: exampleParams, answer: { items: [example.delivery], nextCursor: null } },
    handle: async (request) => {
      const { caller, params, query } = request;
      const deliveries = await webhooks.deliveries(caller, params.webhookId);
      const visible = typesVisibleTo(caller.scopes);
      return pageOf(request, deliveries, {
        where: {
          webhookId: params.webhookId,
          eventId: query.eventId,
          outcome: query.outcome,
          type: visible.length === eventTypeNames.length ? undefined : { in: [...visible, TEST_TYPE] },
        },
        descending: true,
        item: deliveryView,
      });
    },
  }),
  operation({
    id: 'redeliverEvents',
    method: 'post',
    path: `${WEBHOOK}/redeliveries`,
    access: 'events:write',
    summary: 'Delivers an event again, or all events after a cursor',
    description:
      'Either `eventId` or `after`. With the same `webhook-id`, of the events of its types that its client may read, and also ' +
      'while it is disabled; they wait while it is paused. The deliveries are listed like all others. One redelivery ' +
      '`after` a cursor at a time: until its deliveries are made, another is 409. Single events are taken until a ' +
      'thousand wait.',
    params,
    body: RedeliveryRequest,
    needsBody: true,
    answers: { 202: Redelivery },
    errors: ['event_cursor_expired', 'semantically_invalid', 'webhook_redelivery_running'],
    example: { params: exampleParams, body: { eventId: example.delivery.eventId }, answer: { count: 1 } },
    handle: async ({ caller, params, body, remember }) => {
      const idempotencyRecord = remember(({ redeliveries }: WebhookDocument) =>
        accepted(redeliveries?.at(-1)?.count ?? 0),
      );
      return accepted(await webhooks.redeliver({ caller, ...params, allow, idempotencyRecord }, body));
    },
  }),
];
