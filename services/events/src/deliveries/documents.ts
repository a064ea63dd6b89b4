import type { Retentions } from '@boxoffice/service';
import { collection, type Document } from '@boxoffice/store';
import { RECORDS_MS } from './schedule.ts';
import type { DeliveryError } from './send.ts';

/** Why a delivery is made: the event is new, somebody asked for it again, or it is a test. */
export type Origin = 'feed' | 'redelivery' | 'test';

/**
 * One attempt: planned (`waiting`), then made. A failed one that is followed by another has that one's document beside
 * it, so nothing but these documents says what is still to be done.
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
  /** Epoch milliseconds; null: not before an earlier attempt of its resource has ended, or it has been made. */
  readonly dueAt: number | null;
  /** ISO 8601 UTC: when the attempt began; null while it is planned. */
  readonly at: string | null;
  readonly durationMs: number | null;
  readonly httpStatus: number | null;
  readonly error: DeliveryError | null;
  /** ISO 8601 UTC, of a failed attempt that is followed by another. */
  readonly nextAttemptAt: string | null;
  readonly createdAt: string;
}

/** Up to which event the deliveries of a webhook are planned; the id is the webhook's. */
export interface PositionDocument extends Document {
  readonly sequence: number;
}

/** A process that delivers; others see that it lives by its rising `beat`. */
interface WorkerDocument extends Document {
  readonly beat: number;
  /** Epoch milliseconds by its own clock; for its removal only. */
  readonly beatAt: number;
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

export const workersCollection = collection<WorkerDocument>('webhook_workers', [
  { name: 'beat', fields: ['beatAt'], acrossInstitutions: true },
]);

const DAY_MS = 24 * 60 * 60_000;

/** How long the documents of webhooks are stored. */
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
  webhook_workers: {
    retained: 'until the process ends, or a day after its last beat',
    ends: [{ field: 'beatAt', afterMs: DAY_MS }],
  },
};
