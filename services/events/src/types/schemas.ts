import { id, named, oneOf, timestamp } from '@boxoffice/http';
import { type TObject, Type } from 'typebox';
import { eventTypeNames, eventTypes, TEST_TYPE } from './types.ts';

const resourceTypes = [...new Set(eventTypeNames.map((type) => eventTypes[type].resource))];

const resource = {
  id,
  version: Type.Integer({ minimum: 1, description: 'grows from event to event of the resource' }),
  url: Type.String({ format: 'uri', description: 'where the resource can be read' }),
};

const EventResource = named('EventResource', Type.Object({ type: oneOf(resourceTypes), ...resource }));

const eventId = Type.String({ description: 'the same wherever the event is shown or delivered' });

const envelope = {
  id: eventId,
  sequence: Type.Integer({ minimum: 1, description: 'per institution, without gaps, in the order of visibility' }),
  occurredAt: timestamp,
  institution: id,
  resource: EventResource,
};

/** The schema of an event of one type, with this schema of `data`. */
export const eventSchema = (types: readonly string[], data: TObject): TObject =>
  Type.Object({ ...envelope, type: oneOf(types), data });

/** An event of any type. */
export const Event = named(
  'Event',
  Type.Object({
    ...envelope,
    type: oneOf(eventTypeNames),
    data: Type.Union([...new Set(eventTypeNames.map((type) => eventTypes[type].data))], {
      description: 'by type: ids, states, amounts and instants; no personal data',
    }),
  }),
);

/** What the test of a webhook delivers. */
export const WebhookTestEvent = named(
  'WebhookTestEvent',
  Type.Object(
    {
      id: eventId,
      occurredAt: timestamp,
      institution: id,
      resource: Type.Object({
        ...resource,
        type: oneOf(['webhook']),
        version: Type.Integer({ minimum: 1, description: 'of the webhook that is tested' }),
      }),
      type: oneOf([TEST_TYPE]),
      data: Type.Object({}, { additionalProperties: false, description: 'empty' }),
    },
    { description: 'Stands for no fact: it has no `sequence`, and the feed does not show it.' },
  ),
);
