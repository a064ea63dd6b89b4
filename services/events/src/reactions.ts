import { Fault } from '@boxoffice/envelope';
import { createCheck, createView } from '@boxoffice/http';
import { type Message, Unreadable } from '@boxoffice/messaging';
import { deriveId } from '@boxoffice/runtime';
import { type Static, type TSchema, Type } from 'typebox';
import type { Context } from './context.ts';
import type { Arrival } from './log/log.ts';
import { type EventType, eventTypeNames, eventTypes, isEventType } from './types/types.ts';

/** Facts without it are for other services alone. */
const Announcement = Type.Object({
  type: Type.String(),
  resource: Type.Object({ type: Type.String(), id: Type.String({ minLength: 1 }) }),
  version: Type.Integer({ minimum: 1 }),
  position: Type.Integer({ minimum: 1 }),
  before: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  data: Type.Object({}, { additionalProperties: true }),
  belongsTo: Type.Optional(
    Type.Object({
      clientIds: Type.Array(Type.String()),
      pointOfSale: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
  ),
  again: Type.Optional(Type.Literal(true)),
});

const createTest = (schema: TSchema): ((value: unknown) => boolean) => {
  const check = createCheck(schema);
  return (value) => {
    try {
      check(value);
      return true;
    } catch (error) {
      if (error instanceof Fault) return false;
      throw error;
    }
  };
};

const isAnnouncement = createTest(Announcement);

/** Takes and checks the members that the data of a type name; kinds of resources share it. */
const readers = new Map(
  [...new Set(Object.values(eventTypes).map(({ data }) => data))].map((data) => [
    data,
    { view: createView<TSchema>(data), isWhole: createTest(data) },
  ]),
);

/** An event whose predecessor has not arrived is put aside. */
export async function recordFact({ record, waiting }: Context, message: Message): Promise<void> {
  const arrival = readFact(message);
  if (!arrival) return;
  const outcome = await record(message.institution, arrival);
  if (outcome === 'early') await waiting.add(message.institution, arrival);
}

/** Undefined: none. @throws {Unreadable} if the fact announces one that is malformed or of an unknown type */
const readFact = (message: Message): Arrival | undefined => {
  const { event } = message.data as { readonly event?: unknown };
  if (event === undefined || event === null) return undefined;
  if (!isAnnouncement(event)) throw createUnreadable(message, 'announces a malformed event');
  const { type, resource, version, position, before, data, belongsTo, again } = event as Static<typeof Announcement>;
  if (!isEventType(type))
    throw createUnreadable(message, `announces an event of none of ${eventTypeNames.length} types`);
  const { resource: resourceType } = eventTypes[type];
  if (resource.type !== resourceType) throw createUnreadable(message, `announces ${type} of another kind of resource`);
  if (before !== null && before >= position) throw createUnreadable(message, 'is older than the fact before it');
  const clean = readData(type, data);
  if (!clean) throw createUnreadable(message, `lacks data of ${type}`);
  return {
    before,
    isFirst: before === null && !again,
    event: {
      id: deriveId('evt', message.institution, resource.id, String(position)),
      type,
      resource: { type: resourceType, id: resource.id, version },
      position,
      occurredAt: message.occurredAt,
      data: clean,
      ...(belongsTo && { belongsTo }),
    },
  };
};

const createUnreadable = ({ id, type }: Message, reason: string): Unreadable =>
  new Unreadable(`the fact ${id} (${type}) ${reason}`);

const readData = (type: EventType, data: object): Record<string, unknown> | undefined => {
  const reader = readers.get(eventTypes[type].data);
  const clean = reader?.view(data);
  return reader?.isWhole(clean) ? (clean as Record<string, unknown>) : undefined;
};
