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
  /** Only events after this sequence are delivered; set anew when a disabling ends. */
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
}

/** A request to deliver events again, until its deliveries are planned; kept longer for its idempotency record. */
export interface RedeliveryDocument extends Document {
  readonly webhookId: string;
  /** The only event; null: all events after `after` up to `until`. */
  readonly eventId: string | null;
  /** Sequences. */
  readonly after: number;
  readonly until: number;
  readonly types: readonly string[];
  readonly count: number;
  readonly state: 'open' | 'planned';
  readonly createdAt: string;
}

export const webhooksCollection = collection<WebhookDocument>('webhooks', [
  { name: 'created', fields: ['deletedAt', 'createdAt'] },
  { name: 'slot', fields: ['slot'], unique: true },
  { name: 'shard', fields: ['shard'], acrossInstitutions: true },
  { name: 'deleted', fields: ['deletedAt', 'state'], acrossInstitutions: true },
  { name: 'changed', fields: ['changedAt'], acrossInstitutions: true },
]);

export const redeliveriesCollection = collection<RedeliveryDocument>('webhook_redeliveries', [
  { name: 'state', fields: ['state', 'createdAt'], acrossInstitutions: true },
  { name: 'open', fields: ['webhookId', 'state', 'createdAt'] },
  { name: 'created', fields: ['createdAt'], acrossInstitutions: true },
]);
