import {
  type AnyOperation,
  created,
  createPageSchema,
  named,
  ok,
  oneOf,
  operation,
  pageQuery,
  pathId,
  readPage,
} from '@boxoffice/http';
import { Type } from 'typebox';
import type { WebhookDocument } from '../store.ts';
import { eventTypeNames, listVisibleTypes, TEST_TYPE } from '../types/types.ts';
import * as example from './schemas.ts';
import {
  Delivery,
  DeliveryPage,
  NewWebhook,
  READ_ONLY,
  toDeliveryView,
  toWebhookView,
  Webhook,
  WebhookChanges,
  WebhookWithSecret,
} from './schemas.ts';
import type { ShownWebhook, Webhooks } from './webhooks.ts';

const WEBHOOKS = '/svc/v3/webhooks';
const WEBHOOK = `${WEBHOOKS}/{webhookId}`;

const params = { webhookId: pathId };
const exampleParams = { webhookId: example.webhook.webhookId };

const ON_SECRET =
  'Deliveries are signed after Standard Webhooks (standardwebhooks.com) with the secret, which is answered this once.';

const OF_BOUNDED =
  'For a client with bounds those exist whose `url` or `types` it was the last to set; they deliver what is within ' +
  'its bounds.';

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

export function createWebhookRoutes(webhooks: Webhooks): AnyOperation[] {
  return [
    operation({
      id: 'listWebhooks',
      method: 'get',
      path: WEBHOOKS,
      access: 'events:read',
      summary: 'Lists the webhooks of the institution',
      description: `With their latest delivery, without secrets. ${OF_BOUNDED}`,
      query: pageQuery,
      answers: { 200: createPageSchema(Webhook) },
      example: { answer: { items: [example.webhook], nextCursor: null } },
      handle: (request) =>
        readPage(request, webhooks.listShown(request.caller), {
          where: { deletedAt: null },
          item: ({ webhook, last }) => toWebhookView(webhook, last),
        }),
    }),
    operation({
      id: 'createWebhook',
      method: 'post',
      path: WEBHOOKS,
      access: 'events:write',
      summary: 'Makes a webhook: events from now on are posted to its address',
      description:
        `${ON_SECRET} The token must be able to see every type. ` +
        "An institution has at most 20 webhooks, all clients' together.",
      body: NewWebhook,
      answers: { 201: WebhookWithSecret },
      errors: ['webhook_too_many', 'webhook_address_refused'],
      etag: true,
      example: { body: example.newWebhook, answer: { ...example.webhook, lastDelivery: null, secret: example.secret } },
      handle: async ({ caller, body, remember }) => {
        const answer = (webhook: WebhookDocument, secret: string | null) =>
          created({ ...toWebhookView(webhook, undefined), secret }, `${WEBHOOKS}/${webhook.id}`, {
            etag: etag(webhook),
          });
        const record = remember((webhook: WebhookDocument) => answer(webhook, null));
        const { webhook, secret } = await webhooks.create(caller, body, record);
        return answer(webhook, secret);
      },
    }),
    operation({
      id: 'getWebhook',
      method: 'get',
      path: WEBHOOK,
      access: 'events:read',
      summary: 'Gives a webhook, without its secret',
      description: 'With its latest delivery.',
      params,
      answers: { 200: Webhook },
      example: { params: exampleParams, answer: example.webhook },
      handle: async ({ caller, params }) => {
        const { webhook, last } = await webhooks.get(caller, params.webhookId);
        return ok(toWebhookView(webhook, last), withEtag(webhook));
      },
      answerHeaders: ['ETag'],
    }),
    operation({
      id: 'updateWebhook',
      method: 'patch',
      path: WEBHOOK,
      access: 'events:write',
      summary: 'Changes a webhook',
      description:
        'The token must be able to see every type that the webhook has before and after. `state: active` ends a ' +
        'pause, whose events are delivered then, and a disabling, whose events are not.',
      params,
      body: WebhookChanges,
      readOnly: READ_ONLY,
      answers: { 200: Webhook },
      errors: ['webhook_address_refused'],
      conditional: true,
      etag: true,
      example: { params: exampleParams, body: { state: 'paused' }, answer: { ...example.webhook, state: 'paused' } },
      handle: async ({ caller, params, body, ifMatch, requireUnchanged, remember }) => {
        const { last } = await webhooks.get(caller, params.webhookId);
        const allow = (webhook: WebhookDocument): void => {
          ifMatch(etag(webhook));
          requireUnchanged(toWebhookView(webhook, last));
        };
        const idempotencyRecord = remember((webhook: WebhookDocument) => answerWebhook({ webhook, last }));
        return answerWebhook(await webhooks.change({ caller, ...params, allow, idempotencyRecord }, body));
      },
    }),
    operation({
      id: 'deleteWebhook',
      method: 'delete',
      path: WEBHOOK,
      access: 'events:write',
      summary: 'Deletes a webhook; attempts that have begun are finished',
      description: 'Deliveries that are waiting are not made.',
      params,
      answers: { 200: Webhook },
      conditional: true,
      example: { params: exampleParams, answer: example.webhook },
      handle: async ({ caller, params, ifMatch }) => {
        const allow = (webhook: WebhookDocument): void => ifMatch(etag(webhook));
        const { webhook, last } = await webhooks.remove({ caller, ...params, allow });
        return ok(toWebhookView(webhook, last));
      },
    }),
    operation({
      id: 'rotateWebhookSecret',
      method: 'post',
      path: `${WEBHOOK}/secret-rotation`,
      access: 'events:write',
      summary: 'Gives a webhook a new secret; for 24 hours the one before signs as well',
      description: `${ON_SECRET} A second rotation within the 24 hours ends the secret before the newest two.`,
      params,
      answers: { 200: WebhookWithSecret },
      conditional: true,
      etag: true,
      example: { params: exampleParams, answer: { ...example.webhook, secret: example.secret } },
      handle: async ({ caller, params, ifMatch, remember }) => {
        const allow = (webhook: WebhookDocument): void => ifMatch(etag(webhook));
        const answer = ({ webhook, last }: ShownWebhook, secret: string | null) =>
          ok({ ...toWebhookView(webhook, last), secret }, { etag: etag(webhook) });
        const { last } = await webhooks.get(caller, params.webhookId);
        const idempotencyRecord = remember((webhook: WebhookDocument) => answer({ webhook, last }, null));
        const rotated = await webhooks.rotate({ caller, ...params, allow, idempotencyRecord });
        return answer(rotated, rotated.secret);
      },
    }),
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
        ok({ delivery: toDeliveryView(await webhooks.test({ caller, ...params, allow })) }),
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
        const visible = listVisibleTypes(caller.scopes);
        return readPage(request, deliveries, {
          where: {
            webhookId: params.webhookId,
            eventId: query.eventId,
            outcome: query.outcome,
            type: visible.length === eventTypeNames.length ? undefined : { in: [...visible, TEST_TYPE] },
          },
          descending: true,
          item: toDeliveryView,
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
        'Either `eventId` or `after`. With the same `webhook-id`, of the events of its types that its client may ' +
        'read, and also while it is disabled; they wait while it is paused. The deliveries are listed like all ' +
        'others. One redelivery `after` a cursor at a time: until its deliveries are made, another is 409. Single ' +
        'events are taken until a thousand wait.',
      params,
      body: RedeliveryRequest,
      needsBody: true,
      answers: { 202: Redelivery },
      errors: ['event_cursor_expired', 'semantically_invalid', 'webhook_redelivery_running'],
      example: { params: exampleParams, body: { eventId: example.delivery.eventId }, answer: { count: 1 } },
      handle: async ({ caller, params, body, remember }) => {
        const idempotencyRecord = remember(({ redeliveries }: WebhookDocument) =>
          acceptDeliveries(redeliveries?.at(-1)?.count ?? 0),
        );
        return acceptDeliveries(await webhooks.redeliver({ caller, ...params, allow, idempotencyRecord }, body));
      },
    }),
  ];
}

const etag = ({ revision }: WebhookDocument): string => String(revision);

// With its latest delivery it changes without a new ETag, so a conditional GET would hide it.
const withEtag = (webhook: WebhookDocument) => ({ headers: { ETag: `"${etag(webhook)}"` } });

/** They change nothing of the webhook itself. */
const allow = (): void => undefined;

const answerWebhook = ({ webhook, last }: ShownWebhook) => ok(toWebhookView(webhook, last), { etag: etag(webhook) });

const acceptDeliveries = (count: number) => ({ status: 202, data: { count } });
