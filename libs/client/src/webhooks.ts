import type { Event, WebhookTestEvent } from './generated/types.ts';

/** What `webhook.test` delivers: it stands for no fact, so it has no sequence. */
export type TestEvent = WebhookTestEvent;

/** The headers of a delivery: as `fetch` has them, or as Node has them. */
export type DeliveryHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface ReceivedDelivery {
  /** The body, byte for byte: not parsed and written again. */
  readonly body: string | Uint8Array | ArrayBuffer;
  readonly headers: DeliveryHeaders;
  /** `whsec_…`; several while the receiver changes from one to the next. */
  readonly secret: string | readonly string[];
  /** Seconds that the delivery's clock and this one may differ. Default: 300. */
  readonly toleranceSeconds?: number;
  /** Epoch milliseconds. Default: now. */
  readonly now?: number;
}

/** A delivery that is not of this webhook, or too old or too new: answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * Standard Webhooks 1.0. A delivery comes at least once: whoever must not act twice remembers the event's id.
 * @throws {WebhookVerificationError} when no signature is right, or the time is more than the tolerance away
 */
export async function verifyWebhook(delivery: ReceivedDelivery): Promise<Event | TestEvent> {
  const { body, headers, secret, toleranceSeconds = 300, now = Date.now() } = delivery;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  if (!id || !/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('the headers of a delivery are missing');
  if (Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError(`the delivery was signed more than ${toleranceSeconds} s away from now`);
  const signed = joinBytes(`${id}.${timestamp}.`, body);
  const candidates = signatures.flatMap((one) => (one.startsWith('v1,') ? (bytesOf(one.slice(3)) ?? []) : []));
  const keys = await Promise.all([secret].flat().map(keyOf));
  for (const key of keys)
    for (const candidate of candidates)
      if (await crypto.subtle.verify('HMAC', key, candidate, signed))
        return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
  throw new WebhookVerificationError('no signature of the delivery is right');
}

const headerOf = (headers: DeliveryHeaders, name: string): string => {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : (found?.join(' ') ?? '');
};

const joinBytes = (start: string, body: ReceivedDelivery['body']): Uint8Array<ArrayBuffer> => {
  const encoder = new TextEncoder();
  const first = encoder.encode(start);
  const rest = typeof body === 'string' ? encoder.encode(body) : new Uint8Array(body);
  const all = new Uint8Array(first.length + rest.length);
  all.set(first);
  all.set(rest, first.length);
  return all;
};

const bytesOf = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
};

const keyOf = (secret: string) => {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) throw new TypeError('the secret of a webhook is whsec_ and base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
};
