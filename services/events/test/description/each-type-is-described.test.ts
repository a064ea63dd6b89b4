import { exampleFaults, openApiDocument } from '@boxoffice/http';
import { testEngines } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { Value } from 'typebox/value';
import { createContext } from '../../src/context.ts';
import { feedRoutes } from '../../src/feed/routes.ts';
import { collections } from '../../src/store.ts';
import { Event } from '../../src/types/schemas.ts';
import { eventTypeNames, typeGroups, typesVisibleTo } from '../../src/types/types.ts';
import { describedWebhooks } from '../../src/types/webhooks.ts';

test('every operation has examples that match its schemas', async () => {
  const [engine] = testEngines('events', collections);
  const opened = await engine?.open();
  if (!opened) throw new Error('there is no engine');
  const context = createContext({
    store: opened.store,
    serviceSecret: 'a secret of tests only',
    publicUrl: 'https://tickets.example',
    retentionMs: 1,
    logger: { warn: () => undefined },
  });
  expect(exampleFaults(feedRoutes(context))).toEqual([]);
  await context.tail.close();
  await opened.discard();
});

test.each(describedWebhooks)('$type has a named schema and an example that matches it', ({ type, body, example }) => {
  const { format: _, ...plain } = { ...body } as { format?: unknown };
  expect(Value.Check(plain as typeof body, example)).toBe(true);
  expect(Value.Check(Event, example)).toBe(true);
  const document = openApiDocument({ service: 'events', version: '0', operations: [], webhooks: describedWebhooks });
  const { webhooks, components } = document as unknown as {
    webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: { $ref: string } }> } } }>;
    components: { schemas: Record<string, object> };
  };
  const { $ref } = webhooks[type]?.post.requestBody.content['application/json']?.schema ?? { $ref: '' };
  expect(components.schemas).toHaveProperty($ref.slice('#/components/schemas/'.length));
});

test('every type belongs to a group and needs a scope', () => {
  expect(typeGroups).toEqual([
    'order.*',
    'payment.*',
    'refund.*',
    'ticket.*',
    'contact.*',
    'product.*',
    'performance.*',
  ]);
  const scopes = ['catalog:read', 'contacts:read', 'orders:read', 'orders.sensitive:read', 'tickets:read'];
  expect(typesVisibleTo(scopes)).toEqual(eventTypeNames);
});
