import type { BelongsTo, Retentions } from '@boxoffice/service';
import { collection, type Document, toDue } from '@boxoffice/store';
import type { StoredSecret } from './signing.ts';

/** Ids are unique in an institution over all types. */
export interface EventResource {
  readonly type: ResourceType;
  readonly id: string;
  readonly version: number;
}

export type ResourceType = 'order' | 'payment' | 'refund' | 'ticket' | 'contact' | 'product' | 'performance';

export interface NewEvent {
  /** Follows from institution, resource and position, so that a fact has the same id whenever it arrives. */
  readonly id: string;
  readonly type: string;
  readonly resource: EventResource;
  /** Grows from event to event, also where one write has two. */
  readonly position: number;
  /** The time of the publisher's write; ISO 8601 UTC. */
  readonly occurredAt: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Whose it is, for readers with bounds; absent: of no reader in bounds. */
  readonly belongsTo?: BelongsTo;
}

/** Sequence and `recordedAt` never fall from one event of an institution to the next. */
export interface EventDocument extends Document, NewEvent {
  /** From 1, without gaps, in the order in which events become visible. */
  readonly sequence: number;
  /** Epoch milliseconds: when it became visible. */
  readonly recordedAt: number;
}

/** The id is that of its event. */
export interface WaitingDocument extends Document {
  readonly event: NewEvent;
  /** The position that has to be recorded first. */
  readonly before: number;
  /** Epoch milliseconds. */
  readonly since: number;
}

/** The id is that of institution and resource, or of the institution for its last sequence. */
export interface RetiredDocument extends Document {
  readonly last: number;
}

/** Its id follows from the order's. */
export interface ClientContactDocument extends Document {
  /** Null: a shopper made the order. */
  readonly client: string | null;
  /** A service host, in lower case; null: none. Absent in documents of 0.3. */
  readonly pointOfSale?: string | null;
  /** Null: none any more. */
  readonly contact: string | null;
  /** The version of the order that said so. */
  readonly asOf: number;
}

export const RESOURCE_INDEX = 'resource';

export const eventsCollection = collection<EventDocument>('events', [
  { name: 'sequence', fields: ['sequence'], unique: true },
  { name: RESOURCE_INDEX, fields: ['resource.id', 'sequence'] },
  { name: 'recorded', fields: ['recordedAt'], acrossInstitutions: true },
]);

export const waitingCollection = collection<WaitingDocument>(
  'waiting_facts',
  [{ name: 'since', fields: ['since'], acrossInstitutions: true }],
  {
    work: ['append'],
    // Release 0.3.0 looked at all of them again and again.
    upgrade: (stored) => (stored.due ? stored : { ...stored, due: toDue({ append: stored.since }) }),
  },
);

/** Waiting facts, among them those of release 0.3.0. */
export const WAITING_OF_0_3 = { where: { since: { gte: 0 } }, index: 'since' } as const;

export const retiredCollection = collection<RetiredDocument>('retired_resources');

export const clientContactsCollection = collection<ClientContactDocument>('client_contacts', [
  { name: 'named', fields: ['client', 'contact'] },
  { name: 'named_at', fields: ['pointOfSale', 'contact'] },
]);

/** Deliveries are documents of their own. */
export interface WebhookDocument extends Document {
  readonly url: string;
  /** As given: names of types, and groups such as `order.*`. */
  readonly types: readonly string[];
  readonly description: string | null;
  readonly state: 'active' | 'paused' | 'disabled';
  readonly disabledReason: string | null;
  /** The newest first, at most two; none once it is deleted. */
  readonly secrets: readonly StoredSecret[];
  /** The client that last set `url` or `types`: only what it may read is delivered. */
  readonly client: string;
  /** Only events after it are delivered; set again when a disabling ends. */
  readonly since: number;
  /** ISO 8601 UTC: since when failures count that disable it. */
  readonly activatedAt: string;
  /** 0 to 19, each once per institution; null for one of a client with bounds, and once it is deleted. */
  readonly slot: number | null;
  /** Of a client with bounds: its id and 0 to 2, each once; null once it is deleted. */
  readonly clientSlot?: string | null;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt: string | null;
  /** A single event is kept until it is planned, a stretch until its deliveries are made. */
  readonly redeliveries?: readonly Redelivery[];
  /** Epoch milliseconds of the tests within a minute. */
  readonly testedAt?: readonly number[];
}

/** Asks for the events after one sequence up to another. */
export interface Redelivery {
  /** Distinguishes its deliveries from others of the same events. */
  readonly round: string;
  readonly isSingle: boolean;
  /** Moves on as events are planned. */
  readonly after: number;
  readonly until: number;
  readonly count: number;
}

/** Release 0.3.0 found the webhooks of a process by their share of the work, and when they were changed. */
const withDue = (stored: WebhookDocument & { readonly shard?: number; readonly changedAt?: number }) => {
  if (stored.shard === undefined) return stored;
  const { shard: _, changedAt = 0, ...webhook } = stored;
  return { ...webhook, due: { ...toDue({ deliver: changedAt }), ...webhook.due } };
};

/** Uses the index of release 0.3.0. */
export const WEBHOOKS_OF_0_3 = { where: { shard: { gte: 0 } }, index: 'shard' } as const;

export const webhooksCollection = collection<WebhookDocument>(
  'webhooks',
  [
    { name: 'created', fields: ['deletedAt', 'createdAt'] },
    { name: 'slot', fields: ['slot'], unique: true },
    { name: 'client_slot', fields: ['clientSlot'], unique: true },
    { name: 'shard', fields: ['shard'], acrossInstitutions: true },
    { name: 'deleted', fields: ['deletedAt', 'state'], acrossInstitutions: true },
  ],
  { work: ['deliver'], upgrade: withDue },
);

export const ERRORS = [
  'http_status',
  'redirect',
  'timeout',
  'address_refused',
  'name_not_resolved',
  'connection_failed',
  'tls_failed',
  'invalid_response',
  'secret_unreadable',
] as const;

export type DeliveryError = (typeof ERRORS)[number];

/** The event is new, somebody asked for it again, or it is a test. */
export type Origin = 'feed' | 'redelivery' | 'test';

/**
 * Planned (`waiting`), then made. A failed attempt that is followed by another has that one's document beside it, so
 * nothing but these documents says what is still to be done.
 */
export interface DeliveryDocument extends Document {
  readonly webhookId: string;
  readonly eventId: string;
  readonly type: string;
  readonly sequence: number;
  readonly resourceId: string;
  /** Orders the attempts of a resource: its events by sequence, and the attempts of one event. */
  readonly lane: string;
  readonly origin: Origin;
  /** Distinguishes repeated deliveries of the same event; `feed` for the first. */
  readonly round: string;
  /** From 1. */
  readonly attempt: number;
  readonly outcome: 'waiting' | 'succeeded' | 'failed';
  /** Epoch milliseconds; null: after an earlier attempt of its resource, or it has been made. */
  readonly dueAt: number | null;
  /** ISO 8601 UTC; null while it is planned. */
  readonly at: string | null;
  readonly durationMs: number | null;
  readonly httpStatus: number | null;
  readonly error: DeliveryError | null;
  /** ISO 8601 UTC. */
  readonly nextAttemptAt: string | null;
  readonly createdAt: string;
}

/** Up to this event deliveries are planned; the id is the webhook's. */
export interface PositionDocument extends Document {
  readonly sequence: number;
}

export const deliveriesCollection = collection<DeliveryDocument>('webhook_deliveries', [
  { name: 'created', fields: ['webhookId', 'createdAt'] },
  { name: 'event', fields: ['webhookId', 'eventId', 'createdAt'] },
  { name: 'outcome', fields: ['webhookId', 'outcome', 'createdAt'] },
  { name: 'origin', fields: ['webhookId', 'outcome', 'origin'] },
  { name: 'due', fields: ['webhookId', 'outcome', 'dueAt'] },
  { name: 'lane', fields: ['webhookId', 'outcome', 'resourceId', 'lane'] },
  { name: 'at', fields: ['webhookId', 'at'] },
  { name: 'outcome_at', fields: ['webhookId', 'outcome', 'at'] },
  { name: 'attempted', fields: ['at'], acrossInstitutions: true },
  { name: 'overdue', fields: ['outcome', 'dueAt'], acrossInstitutions: true },
]);

export const positionsCollection = collection<PositionDocument>('webhook_positions');

export const collections = [
  eventsCollection,
  waitingCollection,
  retiredCollection,
  clientContactsCollection,
  webhooksCollection,
  deliveriesCollection,
  positionsCollection,
];

const DAY_MS = 24 * 60 * 60_000;

const RECORDS_MS = 30 * DAY_MS;

export const webhookRetention: Retentions = {
  webhooks: {
    retained: 'until they are deleted, and 30 days longer without their secrets',
    ends: [{ field: 'deletedAt', iso: true, afterMs: RECORDS_MS }],
  },
  webhook_deliveries: {
    retained: '30 days after the attempt (`RECORDS_MS`); one that is waiting until it is made',
    ends: [{ field: 'at', iso: true, afterMs: RECORDS_MS }],
  },
  webhook_positions: { retained: 'as long as their webhooks' },
};
