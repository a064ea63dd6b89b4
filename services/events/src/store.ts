import type { BelongsTo } from '@boxoffice/service';
import { collection, type Document } from '@boxoffice/store';
import { deliveriesCollection, positionsCollection, workersCollection } from './deliveries/documents.ts';
import { openStreamsCollection } from './feed/stream-counts.ts';
import { webhooksCollection } from './webhooks/documents.ts';

/** The resource that an event is about; ids are unique in an institution over all types. */
export interface EventResource {
  readonly type: ResourceType;
  readonly id: string;
  /** The version that the change led to. */
  readonly version: number;
}

export type ResourceType = 'order' | 'payment' | 'refund' | 'ticket' | 'contact' | 'product' | 'performance';

/** What one fact says, before it has a place in the sequence. */
export interface NewEvent {
  /** Follows from institution, resource and position, so that a fact has the same id whenever it arrives. */
  readonly id: string;
  readonly type: string;
  readonly resource: EventResource;
  /** Grows from event to event of the resource, also where one write has two. */
  readonly position: number;
  /** ISO 8601 UTC: when the publisher wrote the change. */
  readonly occurredAt: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Whose it is, for readers with bounds; absent in events of 0.2. */
  readonly belongsTo?: BelongsTo;
}

/** An event as stored. Sequence and `recordedAt` never fall from one event of an institution to the next. */
export interface EventDocument extends Document, NewEvent {
  /** From 1, without gaps, in the order in which events become visible. */
  readonly sequence: number;
  /** Epoch milliseconds: when it became visible. */
  readonly recordedAt: number;
}

/** A fact whose predecessor has not arrived; the id is that of its event. */
export interface WaitingDocument extends Document {
  readonly event: NewEvent;
  /** The position that has to be recorded first. */
  readonly before: number;
  /** Epoch milliseconds. */
  readonly since: number;
}

/** The last position of a resource whose events were removed, by institution and resource; or the last sequence. */
export interface RetiredDocument extends Document {
  readonly last: number;
}

/** What an order of a client names; the id follows from the order's. */
interface ClientContactDocument extends Document {
  readonly client: string;
  /** Null: none any more. */
  readonly contact: string | null;
  /** The version of the order that said so. */
  readonly asOf: number;
}

/** The index of the events of a resource, in their order. */
export const RESOURCE_INDEX = 'resource';

export const eventsCollection = collection<EventDocument>('events', [
  { name: 'sequence', fields: ['sequence'], unique: true },
  { name: RESOURCE_INDEX, fields: ['resource.id', 'sequence'] },
  { name: 'recorded', fields: ['recordedAt'], acrossInstitutions: true },
]);

/** Nearly always empty. */
export const waitingCollection = collection<WaitingDocument>('waiting_facts', [
  { name: 'since', fields: ['since'], acrossInstitutions: true },
]);

export const retiredCollection = collection<RetiredDocument>('retired_resources');

export const clientContactsCollection = collection<ClientContactDocument>('client_contacts', [
  { name: 'named', fields: ['client', 'contact'] },
]);

/** Every collection of the service. */
export const collections = [
  eventsCollection,
  waitingCollection,
  retiredCollection,
  clientContactsCollection,
  webhooksCollection,
  deliveriesCollection,
  positionsCollection,
  workersCollection,
  openStreamsCollection,
];
