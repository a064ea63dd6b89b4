// Delivering events: planning from the feed, attempts, retries, and sharing the work between processes.

import type { New } from '@boxoffice/store';
import type { SecretBox } from '../signing/secrets.ts';
import { signing } from '../signing/secrets.ts';
import { signedHeaders } from '../signing/signature.ts';
import type { WebhookDocument } from '../webhooks/documents.ts';
import type { DeliveryDocument } from './documents.ts';
import type { Send, SendResult } from './send.ts';

/** What a delivery sends. */
export interface Message {
  /** The event's id. */
  readonly id: string;
  /** The event as the feed shows it. */
  readonly body: string;
}

/** What came of an attempt. */
export interface Attempted extends SendResult {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** Makes one attempt: signs the message with the webhook's secrets and sends it; never rejects. */
export type Attempt = (webhook: WebhookDocument, message: Message) => Promise<Attempted>;

/** Makes the attempts of a process; `now`: epoch milliseconds. */
export const createAttempt =
  (send: Send, box: SecretBox, now: () => number): Attempt =>
  async (webhook, { id, body }) => {
    const startedAt = now();
    const secrets = signing(webhook.secrets, startedAt).map((stored) => box.open(webhook.id, stored));
    const readable = secrets.filter((secret) => secret !== undefined);
    if (readable.length === 0) return { startedAt, durationMs: 0, httpStatus: null, error: 'secret_unreadable' };
    const clock = performance.now();
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'boxoffice-webhooks',
      ...signedHeaders(readable, { id, timestamp: Math.floor(startedAt / 1000), body }),
    };
    const result = await send(new URL(webhook.url), headers, body);
    return { startedAt, durationMs: Math.round(performance.now() - clock), ...result };
  };

/** The record of an attempt that was made; `nextAt`: epoch milliseconds of the next one, if there is one. */
export const recorded = (
  delivery: DeliveryDocument,
  { startedAt, durationMs, httpStatus, error }: Attempted,
  nextAt?: number,
): New<DeliveryDocument> => ({
  ...delivery,
  outcome: error === null ? 'succeeded' : 'failed',
  dueAt: null,
  at: new Date(startedAt).toISOString(),
  durationMs,
  httpStatus,
  error,
  nextAttemptAt: nextAt === undefined ? null : new Date(nextAt).toISOString(),
});
