import { type DescribedWebhook, id, institutionId, named, oneOf, timestamp } from '@boxoffice/http';
import { type TSchema, Type } from 'typebox';
import { exampleOf, exampleOfTest } from './examples.ts';
import { type EventType, eventTypeNames, eventTypes, TEST_TYPE } from './types.ts';

const resourceTypes = [...new Set(eventTypeNames.map((type) => eventTypes[type].resource))];

const resource = {
  id,
  version: Type.Integer({ minimum: 1, description: 'grows from event to event of the resource' }),
  url: Type.String({ format: 'uri', description: 'where the resource can be read' }),
};

const EventResource = named(
  'EventResource',
  Type.Object({ type: oneOf(resourceTypes, { description: 'what it is' }), ...resource }),
);

const eventId = Type.String({ description: 'the same wherever the event is shown or delivered' });

const envelope = {
  id: eventId,
  sequence: Type.Integer({ minimum: 1, description: 'per institution, without gaps, in the order of visibility' }),
  occurredAt: timestamp,
  institution: institutionId,
  resource: EventResource,
};

/** `order.control_reverted` as the name of a schema: `OrderControlRevertedEvent`. */
const schemaName = (type: EventType): string =>
  `${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;

/** An event of one type. */
const eventSchema = (type: EventType): TSchema =>
  named(
    schemaName(type),
    Type.Object({ ...envelope, type: oneOf([type], { description: 'what happened' }), data: eventTypes[type].data }),
  );

/** An event of any type; `type` tells which, also to generated code. */
export const Event = named(
  'Event',
  Type.Unsafe<object>({
    description:
      '`data` has ids, states, amounts and instants, and the `externalReference` of orders; no personal data.',
    oneOf: eventTypeNames.map(eventSchema),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(eventTypeNames.map((type) => [type, `#/components/schemas/${schemaName(type)}`])),
    },
  }),
);

/** What the test of a webhook delivers. */
export const WebhookTestEvent = named(
  'WebhookTestEvent',
  Type.Object(
    {
      id: eventId,
      occurredAt: timestamp,
      institution: institutionId,
      resource: Type.Object(
        {
          ...resource,
          type: oneOf(['webhook'], { description: 'what it is' }),
          version: Type.Integer({ minimum: 1, description: 'of the webhook that is tested' }),
        },
        { description: 'the webhook that is tested' },
      ),
      type: oneOf([TEST_TYPE], { description: 'tells it from events' }),
      data: Type.Object({}, { additionalProperties: false, description: 'empty' }),
    },
    { description: 'Stands for no fact: it has no `sequence`, and the feed does not show it.' },
  ),
);

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
