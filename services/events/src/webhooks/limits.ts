// Bounds of what one webhook can be asked to do.
import { Fault } from '@boxoffice/envelope';
import { derivedId } from '@boxoffice/runtime';
import { type Documents, type IdempotencyRecord, UniqueViolation } from '@boxoffice/store';
import type { DeliveryDocument } from '../deliveries/documents.ts';
import type { RedeliveryDocument } from './documents.ts';

/** Tests of a webhook within {@link TEST_WINDOW_MS}. */
const MOST_TESTS = 10;
const TEST_WINDOW_MS = 60_000;

/** Single events of a webhook that may wait to be delivered again. */
const MOST_WAITING = 1_000;

const running = (): Fault =>
  new Fault('webhook_redelivery_running', 'Events are being delivered again to this webhook; wait until they are.', {
    'Retry-After': '5',
  });

/** @throws {Fault} `too_many_requests` if the webhook was tested too often within the last minute */
export const requireFewTests = async (
  deliveries: Documents<DeliveryDocument>,
  webhookId: string,
  now: number,
): Promise<void> => {
  const since = new Date(now - TEST_WINDOW_MS).toISOString();
  if ((await deliveries.count({ webhookId, at: { gte: since }, origin: 'test' })) < MOST_TESTS) return;
  const details = `A webhook is tested at most ${MOST_TESTS} times a minute.`;
  throw new Fault('too_many_requests', details, { 'Retry-After': `${TEST_WINDOW_MS / 1_000}` });
};

/** A redelivery that is asked for. */
export type WantedRedelivery = Pick<
  RedeliveryDocument,
  'webhookId' | 'eventId' | 'after' | 'until' | 'types' | 'count'
>;

/**
 * Stores a redelivery to be planned. Its id is derived from the one before, so that of two at once one is refused.
 * @throws {Fault} `webhook_redelivery_running` while an earlier one is planned, while events of an earlier one wait (for
 * another single event: while a thousand wait)
 */
export const storeRedelivery = async (
  redeliveries: Documents<RedeliveryDocument>,
  deliveries: Documents<DeliveryDocument>,
  wanted: WantedRedelivery,
  {
    now,
    idempotencyRecord,
  }: { readonly now: number; readonly idempotencyRecord: IdempotencyRecord<RedeliveryDocument> | undefined },
): Promise<RedeliveryDocument> => {
  const { webhookId } = wanted;
  const [open, waiting, [last]] = await Promise.all([
    redeliveries.count({ webhookId, state: 'open' }),
    deliveries.count({ webhookId, outcome: 'waiting', origin: 'redelivery' }),
    redeliveries.find({ where: { webhookId, state: 'planned' }, orderBy: 'createdAt', descending: true, limit: 1 }),
  ]);
  if (open > 0 || waiting > (wanted.eventId === null ? 0 : MOST_WAITING)) throw running();
  const createdAt = new Date(now).toISOString();
  // The day: earlier redeliveries are removed, but their deliveries may be kept.
  const id = derivedId('rdl', webhookId, last?.id ?? createdAt.slice(0, 10));
  try {
    return await redeliveries.insert({ ...wanted, id, state: 'open', createdAt }, { idempotencyRecord });
  } catch (error) {
    throw error instanceof UniqueViolation ? running() : error;
  }
};
