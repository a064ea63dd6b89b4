import { unpaidStates } from '@boxoffice/orders';
import type { OrderView, TicketView } from '../client/api.ts';
import { getCreatedOrder } from '../client/buyer.ts';
import { type Entry, getOrderId, isAboutTicket } from '../round/journal.ts';
import { checkCheckouts } from './checkouts.ts';
import { checkEvents } from './events.ts';
import type { Check, Evidence } from './verdict.ts';

export function checkRound(evidence: Evidence, check: Check): void {
  checkAcknowledged(evidence, check);
  checkKeys(evidence, check);
  checkCheckouts(evidence, check);
  checkEvents(evidence, check);
}

/** acknowledged: what was acknowledged to a client is stored, and nothing exists that no client requested. */
const checkAcknowledged = (evidence: Evidence, check: Check): void => {
  const { entries, observed, closed = false } = evidence;
  checkPaid(evidence, check);
  const orders = new Map(observed.orders.map((order) => [order.id, order]));
  const byOrder = Map.groupBy(entries, (entry) => getOrderId(entry) ?? '');
  for (const [id, about] of byOrder) {
    const acknowledged = about.filter(({ outcome }) => outcome === 'ok');
    if (id === '' || acknowledged.length === 0) continue;
    const order = orders.get(id);
    check.that(
      'acknowledged',
      order !== undefined,
      () => `order ${id} is gone, its ${acknowledged[0]?.action} was acknowledged`,
    );
    if (order === undefined) continue;
    checkLines(order, about, check);
    checkOrder(order, about, closed, check);
    // With override, tickets that have stayed controlled are ended later, too.
    const by = acknowledged.filter(({ action, detail }) => action === 'cancel' && detail !== 'true');
    check.that('acknowledged', by.length <= 1, () => `${id} was cancelled for ${by.length} different requests`);
  }
  const tickets = new Map(observed.tickets.map((ticket) => [ticket.id, ticket]));
  const reverted = new Set(entries.flatMap(({ action, subject }) => (action === 'revert' ? [subject] : [])));
  for (const entry of entries.filter((one) => isAboutTicket(one) && one.outcome === 'ok')) {
    const { action, subject } = entry;
    if (action !== 'control' || !reverted.has(subject)) checkTicket(tickets.get(subject ?? ''), entry, check);
  }
};

/** Paid in full, an order is sold: by the request, its repeat, or the sweep. What was refunded covers nothing. */
const checkPaid = ({ entries, observed, closed = false }: Evidence, check: Check): void => {
  const refunded = new Set(entries.filter(({ action }) => action === 'refund').map(({ subject }) => subject));
  for (const { id, state, total, paid } of observed.orders) {
    const isPaid = total > 0 && paid >= total && !refunded.has(id) && !closed;
    check.that(
      'acknowledged',
      !isPaid || !unpaidStates.includes(state),
      () => `${id} is ${state}, and ${paid} are paid`,
    );
  }
};

/** The lines of an order that were added, less those that may have been removed. */
const checkLines = (order: OrderView, entries: readonly Entry[], check: Check): void => {
  const { id, lines, formerLines } = order;
  const created = entries.find(({ action }) => action === 'create')?.answer as OrderView | null | undefined;
  // DELETE has no key, and the gateway repeats it where a process dies: then 404 is the answer to what it did itself.
  const perhapsRemoved = entries.filter(
    ({ action, outcome, status, unknownTries }) =>
      action === 'remove' && (outcome !== 'refused' || status === 404 || unknownTries > 0),
  );
  const added = entries.filter(({ action, outcome }) => action === 'add' && outcome === 'ok');
  const sizes = added.map(({ answer }) => (answer as OrderView).lines.length);
  // Lines are only added and removed one request after the other: the largest answer, less the removals.
  const promised = Math.max(created?.lines.length ?? lines.length, ...sizes) - perhapsRemoved.length;
  const removals = () => entries.filter(({ action }) => action === 'remove').flatMap(({ story }) => story);
  // A line that was returned is a former one, and so is one that was exchanged, beside its new one.
  const had = lines.length + formerLines.length;
  const tooFew = () => `${id} has ${had} lines, not ${promised}; removals: ${removals().join(', ') || 'none'}`;
  check.that('acknowledged', had >= promised, tooFew);
  for (const { detail } of perhapsRemoved.filter(({ outcome }) => outcome === 'ok')) {
    const gone = lines.every((line) => line.id !== detail);
    check.that('acknowledged', gone, () => `${id} has line ${detail}, its removal was acknowledged`);
  }
  const named = entries.findLast(({ action, outcome }) => action === 'change' && outcome === 'ok')?.detail;
  if (named !== undefined) {
    const text = () => `${id} names contact ${order.contactNumber}, ${named} was acknowledged`;
    check.that('acknowledged', order.contactNumber === named, text);
  }
};

const checkOrder = (order: OrderView, entries: readonly Entry[], closed: boolean, check: Check): void => {
  const { id, state } = order;
  const cancelled = did(entries, 'cancel', 'ok');
  const perhapsCancelled = closed || did(entries, 'cancel', 'ok', 'unknown');
  if (cancelled)
    check.that('acknowledged', state === 'cancelled', () => `${id} is ${state}, its cancellation was acknowledged`);
  else if (did(entries, 'confirm', 'ok') || isSoldAtOnce(entries)) {
    const fits = state === 'confirmed' || (state === 'cancelled' && perhapsCancelled);
    check.that('acknowledged', fits, () => `${id} is ${state}, its confirmation was acknowledged`);
  }
  if (!perhapsCancelled) {
    check.that('acknowledged', state !== 'cancelled', () => `${id} is cancelled without a request`);
  }
  if (
    !isSoldAtOnce(entries) &&
    !did(entries, 'confirm', 'ok', 'unknown') &&
    !did(entries, 'pay', 'ok', 'unknown', 'refused') &&
    !did(entries, 'settle', 'ok', 'unknown', 'refused')
  ) {
    check.that('acknowledged', order.confirmedAt === null, () => `${id} is confirmed without a request`);
  }
  const payments = entries.filter(({ action, isSold }) => ['pay', 'settle', 'alter'].includes(action) || isSold);
  const sum = (which: readonly Entry[]) => which.reduce((total, { amount = 0 }) => total + amount, 0);
  const least = sum(payments.filter(({ outcome }) => outcome === 'ok'));
  // A payment that could not confirm its order is refused with 412 but recorded.
  const most = sum(payments.filter(({ outcome, status }) => outcome !== 'refused' || status === 412));
  check.that('acknowledged', order.paid >= least, () => `${id} has ${order.paid} paid, ${least} were acknowledged`);
  check.that('acknowledged', order.paid <= most, () => `${id} has ${order.paid} paid, at most ${most} were sent`);
};

const isSoldAtOnce = (entries: readonly Entry[]): boolean =>
  entries.some(({ isSold, outcome }) => isSold && outcome === 'ok');

const did = (entries: readonly Entry[], action: Entry['action'], ...outcomes: Entry['outcome'][]): boolean =>
  entries.some((entry) => entry.action === action && outcomes.includes(entry.outcome));

const checkTicket = (ticket: TicketView | undefined, { action, subject }: Entry, check: Check): void => {
  check.that('acknowledged', ticket !== undefined, () => `ticket ${subject} is gone, its ${action} was acknowledged`);
  if (ticket === undefined) return;
  const { status, controlledAt } = ticket;
  const holds = {
    replace: status === 'invalidated',
    revert: controlledAt === null,
    control: controlledAt !== null,
    print: status !== 'not_printed',
  };
  const text = () => `ticket ${subject} is ${status}, its ${action} was acknowledged`;
  check.that('acknowledged', holds[action as keyof typeof holds], text);
};

/**
 * keys: a repeated key returns the first response, creates one order at most, is not refused because of its own effect,
 * and no process keeps it in progress for ever.
 */
const checkKeys = ({ entries, observed, closed }: Evidence, check: Check): void => {
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
    const isSeenUnsold = entry.isSold && order && unpaidStates.includes(order.state);
    check.that('keys', !isSeenUnsold, () => `${order?.id} is ${order?.state}, and one call sells it`);
    const reported = getCreatedOrder(entry);
    if (reported)
      check.that('keys', order?.id === reported.id, () => `key ${entry.key} gave ${reported.id} and made ${order?.id}`);
    // One call that finds the places gone after all leaves an expired order with its money (412).
    const refused = entry.outcome === 'refused' && !(entry.isSold && entry.status === 412);
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

const hasEffect = ({ action }: Entry, order: OrderView): boolean =>
  (action === 'confirm' && order.confirmedAt !== null) || (action === 'cancel' && order.state === 'cancelled');
