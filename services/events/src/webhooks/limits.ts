// Bounds of what one webhook can be asked to do; they hold in the write that remembers the request.
import { Fault } from '@boxoffice/envelope';
import type { New } from '@boxoffice/store';
import type { Redelivery, WebhookDocument } from './documents.ts';

/** Tests of a webhook within {@link TEST_WINDOW_MS}. */
const MOST_TESTS = 10;
const TEST_WINDOW_MS = 60_000;

/** Deliveries of a webhook that may wait when another single event is asked for. */
const MOST_WAITING = 1_000;
/** Requests of a webhook that may wait to be planned. */
const MOST_UNPLANNED = 100;

/**
 * The webhook with another test, at `now` (epoch milliseconds).
 * @throws {Fault} `too_many_requests` if it was tested too often within the last minute
 */
export const withTest = (webhook: WebhookDocument, now: number): New<WebhookDocument> => {
  const recent = (webhook.testedAt ?? []).filter((at) => at > now - TEST_WINDOW_MS);
  const [first = now] = recent;
  if (recent.length < MOST_TESTS) return { ...webhook, testedAt: [...recent, now] };
  const seconds = Math.ceil((first + TEST_WINDOW_MS - now) / 1_000);
  throw new Fault('too_many_requests', `A webhook is tested at most ${MOST_TESTS} times a minute.`, {
    'Retry-After': String(seconds),
  });
};

/**
 * The webhook with another redelivery. `waiting`: how many deliveries wait that were asked for before.
 * @throws {Fault} `webhook_redelivery_running` while an earlier stretch is delivered; for a single event while too many
 * wait
 */
export const withRedelivery = (
  webhook: WebhookDocument,
  wanted: Redelivery,
  { waiting, now }: { readonly waiting: number; readonly now: number },
): New<WebhookDocument> => {
  const others = webhook.redeliveries ?? [];
  const isFull = wanted.isSingle
    ? waiting >= MOST_WAITING || others.length >= MOST_UNPLANNED
    : others.some(({ isSingle }) => !isSingle);
  if (!isFull) return { ...webhook, redeliveries: [...others, wanted], changedAt: now };
  const details = 'Events are being delivered again to this webhook; wait until their deliveries are made.';
  throw new Fault('webhook_redelivery_running', details);
};
