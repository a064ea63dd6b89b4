import type {
  ContactEventData,
  Event,
  OrderEventData,
  PaymentEventData,
  PerformanceEventData,
  ProductEventData,
  RefundEventData,
  TicketEventData,
} from '../generated/types.ts';

/** What the events of a resource say, by the resource's type. */
interface DataOfResource {
  order: OrderEventData;
  payment: PaymentEventData;
  refund: RefundEventData;
  ticket: TicketEventData;
  contact: ContactEventData;
  product: ProductEventData;
  performance: PerformanceEventData;
}

/** The types of events. */
export type EventType = Event['type'];

type ResourceOf<Type extends EventType> = Type extends `${infer Resource extends keyof DataOfResource}.${string}`
  ? Resource
  : never;

/** An event of one type. */
export type EventOf<Type extends EventType> = Type extends EventType
  ? Omit<Event, 'type' | 'data'> & { type: Type; data: DataOfResource[ResourceOf<Type>] }
  : never;

/** An event: `type` tells the form of `data`. */
export type AnyEvent = EventOf<EventType>;

/** A type of events, or all types of a resource. */
export type EventFilter = EventType | `${keyof DataOfResource}.*`;

/** The events that a filter lets through. */
export type EventsOf<Filter extends EventFilter> = EventOf<
  Filter extends `${infer Resource}.*` ? Extract<EventType, `${Resource}.${string}`> : Extract<Filter, EventType>
>;
