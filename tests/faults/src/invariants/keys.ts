import { createdBy } from '../client/buyer.ts';
import type { OrderView } from '../client/views.ts';
import type { Entry } from '../round/journal.ts';
import type { Check, Evidence } from './verdict.ts';

/** Whether the order shows the effect of the entry's request. */
const hasEffect = ({ action }: Entry, order: OrderView): boolean =>
  (action === 'confirm' && order.confirmedAt !== null) || (action === 'cancel' && order.state === 'cancelled');

/**
 * keys: a repeated key returns the first response, creates one order at most, is not refused because of its own effect,
 * and no process keeps it in progress for ever.
 */
export const checkKeys = ({ entries, observed, closed }: Evidence, check: Check): void => {
  for (const { action, key, code, repeated, story } of entries) {
    const stuck = code === 'idempotency_in_progress';
    check.that('keys', !stuck, () => `${action} ${key} is in progress to the end: ${story.join(', ')}`);
    if (repeated !== undefined) check.that('keys', repeated === 'the same', () => `${action} ${key}: ${repeated}`);
  }

  const made = Map.groupBy(observed.orders, ({ externalReference }) => externalReference ?? '');
  // Visitors' carts have no key.
  made.delete('');
  for (const [key, orders] of made) {
    check.that('keys', orders.length === 1, () => `key ${key} made ${orders.map(({ id }) => id).join(' and ')}`);
  }
  for (const entry of entries.filter(({ action }) => action === 'create')) {
    const [order] = made.get(entry.key) ?? [];
    const reported = createdBy(entry);
    if (reported)
      check.that('keys', order?.id === reported.id, () => `key ${entry.key} gave ${reported.id} and made ${order?.id}`);
    const refused = entry.outcome === 'refused';
    check.that('keys', !(refused && order), () => `key ${entry.key} was refused (${entry.code}) and made ${order?.id}`);
  }

  const orders = new Map(observed.orders.map((order) => [order.id, order]));
  for (const entry of entries) {
    if (entry.outcome !== 'refused' || entry.unknownTries === 0) continue;
    const order = orders.get(entry.subject ?? '');
    if (!order || !hasEffect(entry, order) || (closed && entry.action === 'cancel')) continue;
    const another = entries.some(
      (one) =>
        one !== entry &&
        one.subject === entry.subject &&
        one.outcome !== 'refused' &&
        (one.action === entry.action || (entry.action === 'confirm' && one.action === 'pay')),
    );
    const text = () => `${entry.action} of ${entry.subject} took effect, and its key was refused: ${entry.code}`;
    check.that('keys', another, text);
  }
};
