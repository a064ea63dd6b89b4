import { createdBy } from '../client/buyer.ts';
import type { OrderView } from '../client/views.ts';
import { type Entry, isAboutTicket } from '../round/journal.ts';
import { type Evidence, grouped } from './evidence.ts';
import type { Check } from './verdict.ts';

/** No process blocks a key: a repeat waits for nobody but the catalog. */
const BUSY_AT_MOST_MS = 13_000;

/**
 * The longest part of a request's time in progress between the ends of its service's processes, in milliseconds: the
 * next process that takes it over may be killed, too, and then it waits again.
 */
const longestWait = (entry: Entry, endings: Evidence['endings']): number => {
  const { busyFrom, busyMs } = entry;
  const until = busyFrom + busyMs;
  const ends = endings?.[isAboutTicket(entry) ? 'tickets' : 'orders'] ?? [];
  const times = [busyFrom, ...ends.filter((at) => at > busyFrom && at < until).sort((a, b) => a - b), until];
  return Math.max(...times.map((at, index) => at - (times[index - 1] ?? at)));
};

/** Whether the order shows the effect of the entry's request. */
const hasEffect = ({ action }: Entry, order: OrderView): boolean =>
  (action === 'confirm' && order.confirmedAt !== null) || (action === 'cancel' && order.state === 'cancelled');

/**
 * I6: a repeated key returns the first response, creates one order at most, and is not refused because of its own
 * effect.
 */
export const checkKeys = ({ entries, observed, closed, endings, slack = 1 }: Evidence, check: Check): void => {
  const busyAtMostMs = BUSY_AT_MOST_MS * slack;
  for (const entry of entries) {
    const { action, key, repeated, story } = entry;
    const isSoon = longestWait(entry, endings) <= busyAtMostMs;
    check.that('I6', isSoon, () => `${action} ${key} was in progress too long: ${story.join(', ')}`);
    if (repeated !== undefined) check.that('I6', repeated === 'the same', () => `${action} ${key}: ${repeated}`);
  }

  const made = grouped(observed.orders, ({ externalReference }) => externalReference ?? '');
  // Visitors' carts have no key.
  made.delete('');
  for (const [key, orders] of made) {
    check.that('I6', orders.length === 1, () => `key ${key} made ${orders.map(({ id }) => id).join(' and ')}`);
  }
  for (const entry of entries.filter(({ action }) => action === 'create')) {
    const [order] = made.get(entry.key) ?? [];
    const reported = createdBy(entry);
    if (reported)
      check.that('I6', order?.id === reported.id, () => `key ${entry.key} gave ${reported.id} and made ${order?.id}`);
    const refused = entry.outcome === 'refused';
    check.that('I6', !(refused && order), () => `key ${entry.key} was refused (${entry.code}) and made ${order?.id}`);
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
    check.that(
      'I6',
      another,
      () => `${entry.action} of ${entry.subject} took effect, and its key was refused: ${entry.status} ${entry.code}`,
    );
  }
};
