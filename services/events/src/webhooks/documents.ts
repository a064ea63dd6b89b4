import { collection, type Document } from '@boxoffice/store';
import type { StoredSecret } from '../signing/secrets.ts';

/** What a person or the service has decided about a webhook; deliveries are documents of their own. */
export interface WebhookDocument extends Document {
  readonly url: string;
  /** As they were given: names of types, and groups such as `order.*`. */
  readonly types: readonly string[];
  readonly description: string | null;
  readonly state: 'active' | 'paused' | 'disabled';
  readonly disabledReason: string | null;
  /** The newest first, at most two; none once it is deleted. */
  readonly secrets: readonly StoredSecret[];
  /** The client that last set `url` or `types`: only what it may read is delivered. */
  readonly client: string;
  /** Only events after this sequence are delivered; set again when a disabling ends. */
  readonly since: number;
  /** ISO 8601 UTC: since when failures count that disable it. */
  readonly activatedAt: string;
  /** 0 to 19, each once per institution; null once it is deleted. */
  readonly slot: number | null;
  /** The share of the work that it belongs to; see shards.ts. */
  readonly shard: number;
  /** For its ETag. */
  readonly revision: number;
  /** Epoch milliseconds. */
  readonly changedAt: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt: string | null;
  /** A single event until it is planned, a stretch of the feed until its deliveries are made. Absent: none. */
  readonly redeliveries?: readonly Redelivery[];
  /** Epoch milliseconds of its tests within a minute. Absent: none. */
  readonly testedAt?: readonly number[];
}

/** A request to deliver events again: those after one sequence up to another. */
export interface Redelivery {
  /** Distinguishes its deliveries from others of the same events. */
  readonly round: string;
  readonly isSingle: boolean;
  /** Moves on as events are planned. */
  readonly after: number;
  readonly until: number;
  /** How many events there were. */
  readonly count: number;
}

export const webhooksCollection = collection<WebhookDocument>('webhooks', [
  { name: 'created', fields: ['deletedAt', 'createdAt'] },
  { name: 'slot', fields: ['slot'], unique: true },
  { name: 'shard', fields: ['shard'], acrossInstitutions: true },
  { name: 'deleted', fields: ['deletedAt', 'state'], acrossInstitutions: true },
  { name: 'changed', fields: ['changedAt'], acrossInstitutions: true },
]);
