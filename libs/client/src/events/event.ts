import type { Event } from '../generated/types.ts';

/** The types of events. */
export type EventType = Event['type'];

/** An event of one type. */
export type EventOf<Type extends EventType> = Extract<Event, { type: Type }>;

type GroupOf<Type extends EventType> = Type extends `${infer Resource}.${string}` ? Resource : never;

/** A type of events, or all types of a resource. */
export type EventFilter = EventType | `${GroupOf<EventType>}.*`;

/** The events that a filter lets through. */
export type EventsOf<Filter extends EventFilter> = EventOf<
  Filter extends `${infer Resource}.*` ? Extract<EventType, `${Resource}.${string}`> : Extract<Filter, EventType>
>;
