import { buildOpenApiDocument, findExampleFaults } from '@boxoffice/http';
import { sendEightAtOnce, useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Value } from 'typebox/value';
import { createRoutes } from '../../src/commands.ts';
import type { Context } from '../../src/context.ts';
import { describedWebhooks, Event } from '../../src/types/schemas.ts';
import { eventTypeNames, listVisibleTypes } from '../../src/types/types.ts';
import type { Webhooks } from '../../src/webhooks/webhooks.ts';
import { engines, type Instance, openFixture } from '../fixture/service.ts';

/** Delivered only. */
const TEST = 'webhook.test';

type Json = ReturnType<typeof JSON.parse>;

const { webhooks, components } = buildOpenApiDocument({
  service: 'events',
  version: '0',
  operations: [],
  webhooks: describedWebhooks,
}) as Json;

test('every operation has examples that match its schemas', () => {
  expect(findExampleFaults(createRoutes({} as Context, {} as Webhooks))).toEqual([]);
});

test.each([...eventTypeNames, TEST])(
  '%s has a named schema, an example that matches it, and signed headers',
  (type) => {
    const { parameters, requestBody } = webhooks[type].post;
    const { schema, examples } = requestBody.content['application/json'];
    const name = `${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;
    expect(schema).toEqual({ $ref: `#/components/schemas/${name}` });
    expect(components.schemas[name].properties).toMatchObject({ type: { enum: [type] } });
    expect(Object.keys(examples)).toEqual([type]);
    expect(parameters).toMatchObject([
      { name: 'webhook-id', in: 'header' },
      { name: 'webhook-timestamp', in: 'header' },
      { name: 'webhook-signature', in: 'header' },
    ]);
    const { body, example } = describedWebhooks.find((one) => one.type === type) ?? {};
    const { format: _, ...plain } = { ...body } as { format?: unknown };
    expect(Value.Check(plain as NonNullable<typeof body>, example)).toBe(true);
    expect(example).toMatchObject({ type });
    expect(Value.Check(Event, example)).toBe(type !== TEST);
  },
);

test('a test has neither a sequence nor data', () => {
  const { required, properties } = components.schemas.WebhookTestEvent;
  expect(required.toSorted()).toEqual(['data', 'id', 'institution', 'occurredAt', 'resource', 'type']);
  expect(Object.keys(properties)).not.toContain('sequence');
  expect(properties).toMatchObject({ data: { properties: {}, additionalProperties: false } });
});

test('every type needs a scope', () => {
  const scopes = ['catalog:read', 'contacts:read', 'orders:read', 'orders.sensitive:read', 'tickets:read'];
  expect(listVisibleTypes(scopes)).toEqual(eventTypeNames);
});

test('each message has an operationId of its own, after which generated code names its handler', () => {
  const ids = Object.values<Json>(webhooks).map(({ post }) => post.operationId);
  expect(ids).toContain('onOrderConfirmed');
  expect(ids).toContain('onTicketPrintingReverted');
  expect(new Set(ids).size).toBe(eventTypeNames.length + 1);
});

describe.each(engines)('of eight requests with one key at two instances, on $name', (engine) => {
  const its = useFixture(async () => {
    const fixture = await openFixture(engine);
    return { ...fixture, at: await fixture.receiver() };
  });
  let instances: readonly [Instance, Instance];
  beforeAll(async () => {
    instances = [its, await its.another()];
  });

  const send = (method: string, path: string, body?: object) =>
    sendEightAtOnce(instances, (on, key) =>
      on.call<{ webhookId: string }>(method, path, { body, headers: { 'idempotency-key': key } }),
    );

  test('one makes, changes, or gives another secret to, a webhook', async () => {
    const made = await send('POST', '', { url: its.at.url, types: ['order.*'] });
    expect(made.status).toBe(201);
    expect((await its.call<{ items: unknown[] }>('GET', '')).data.items).toHaveLength(1);
    const path = `/${made.data.webhookId}`;
    expect((await send('PATCH', path, { description: 'accounts' })).status).toBe(200);
    expect((await send('POST', `${path}/secret-rotation`)).status).toBe(200);
  });

  test('one asks for a redelivery', async () => {
    const { id } = await its.webhook(its.at.url);
    const eventId = await its.emit('order.created');
    const reply = await send('POST', `/${id}/redeliveries`, { eventId });
    expect([reply.status, reply.data]).toEqual([202, { count: 1 }]);
  });

  test('all answer the outcome of one test', async () => {
    const { id } = await its.webhook(its.at.url);
    expect((await send('POST', `/${id}/test`)).status).toBe(200);
  });
});
