import type { ChangeView, OrderView, TicketView } from '../client/api.ts';
import { type Entry, getOrderId } from '../round/journal.ts';
import type { Check } from './verdict.ts';

/** Orders whose lines were returned and exchanged, and what else knows of them, once nothing happens any more. */
export interface ChangedOrders {
  readonly entries: readonly Entry[];
  readonly orders: readonly OrderView[];
  /** By the order. */
  readonly changes: ReadonlyMap<string, readonly ChangeView[]>;
  readonly tickets: readonly TicketView[];
  /** The statuses of a door's offline list, by the ticket. */
  readonly door: ReadonlyMap<string, string>;
  /** By the performance. */
  readonly stock: ReadonlyMap<string, { readonly held: number; readonly sold: number }>;
  /** The performance that the institution has cancelled, if it has. */
  readonly cancelled: string | undefined;
}

/** changes: a line or the one that replaces it is sold, no former ticket opens a door, and the money adds up. */
export function checkChanges(state: ChangedOrders, check: Check): void {
  for (const order of state.orders) {
    checkMoney(order, check);
    checkLines(order, state, check);
    checkTickets(order, state, check);
    checkSettled(order, state, check);
    checkCancelled(order, state, check);
  }
  checkStock(state, check);
}

const sumOf = (some: readonly { readonly amount: number }[]): number => some.reduce((sum, one) => sum + one.amount, 0);

const checkMoney = ({ id, state, lines, fees, ...money }: OrderView, check: Check): void => {
  const { total, paid, refunded, due, credit } = money;
  const made = sumOf(lines) + sumOf(fees);
  check.that('changes', total === made, () => `the total of ${id} is ${total}, its lines and fees make ${made}`);
  const isEnded = state !== 'confirmed';
  const left = (isEnded ? 0 : total) - (paid - refunded);
  const text = () =>
    `${id} (${state}): ${total} total, ${paid} paid, ${refunded} refunded, ${due} due, ${credit} credit`;
  check.that('changes', credit === Math.max(0, -left) && (isEnded || due === Math.max(0, left)), text);
};

const listDone = ({ id }: OrderView, { changes }: ChangedOrders): readonly ChangeView[] =>
  (changes.get(id) ?? []).filter(({ state }) => state === 'done');

/** A line left once, by the change that says so, and one that was exchanged has its new one. */
const checkLines = (order: OrderView, state: ChangedOrders, check: Check): void => {
  const { id, lines, formerLines } = order;
  const all = [...lines, ...formerLines].map((line) => line.id);
  check.that('changes', new Set(all).size === all.length, () => `${id} has a line twice: ${all.join(', ')}`);
  const acknowledged = state.entries
    .filter((entry) => entry.action === 'alter' && entry.outcome === 'ok' && getOrderId(entry) === id)
    .map(({ answer }) => answer as ChangeView);
  const done = listDone(order, state);
  for (const change of [...done, ...acknowledged.filter((one) => one.state === 'done')]) {
    const { returns, exchanges } = change;
    const left = [...returns, ...exchanges].filter(({ lineId }) =>
      formerLines.some((line) => line.id === lineId && line.changeId === change.id),
    );
    const made = exchanges.filter(({ newLineId }) => all.includes(newLineId));
    const isWhole = left.length === returns.length + exchanges.length && made.length === exchanges.length;
    check.that('changes', isWhole, () => `${id}: ${change.id} is done, and has not all its lines, former and new`);
  }
};

const OPENING = ['not_printed', 'printed'];

const checkTickets = (order: OrderView, state: ChangedOrders, check: Check): void => {
  const { id, lines, formerLines } = order;
  const statuses = new Map(state.tickets.map((ticket) => [ticket.id, ticket.status]));
  for (const { ticketId } of formerLines) {
    const said = [statuses.get(ticketId ?? ''), state.door.get(ticketId ?? '')];
    const isOpen = said.some((status) => status !== undefined && OPENING.includes(status));
    check.that('changes', !isOpen, () => `${ticketId} of a former line of ${id} is ${said.join(', at the door ')}`);
  }
  if (order.state !== 'confirmed') return;
  // Somebody is inside with the ticket that theirs was to replace, or that of a line before it.
  const late = new Set<string>();
  for (const { exchanges, settlement } of listDone(order, state))
    for (const { lineId, newLineId } of exchanges)
      if (Number(settlement.controlled) > 0 || late.has(lineId)) late.add(newLineId);
  for (const line of lines) {
    const status = statuses.get(line.ticketId ?? '') ?? 'absent';
    const fits = [...OPENING, 'controlled', ...(late.has(line.id) ? ['cancelled'] : [])].includes(status);
    check.that('changes', fits, () => `${line.ticketId} of line ${line.id} of ${id} is ${status}`);
  }
};

const checkSettled = (order: OrderView, state: ChangedOrders, check: Check): void => {
  const inside = new Set(state.tickets.flatMap((ticket) => (ticket.status === 'controlled' ? ticket.id : [])));
  for (const { id, returns, exchanges, settlement } of listDone(order, state)) {
    const { settledAt, ticketsCancelled, controlled } = settlement;
    check.that('changes', settledAt !== null, () => `${id} of ${order.id} is done and not settled`);
    const [ended, kept] = [Number(ticketsCancelled), Number(controlled)];
    const [least, most] = [returns.length, returns.length + exchanges.length];
    const fits = ended <= returns.length && ended + kept >= least && ended + kept <= most;
    check.that(
      'changes',
      settledAt === null || fits,
      () => `${id} of ${order.id} ended ${ended} tickets, ${kept} stay`,
    );
    const used = order.formerLines.filter(({ changeId, ticketId }) => changeId === id && inside.has(ticketId ?? ''));
    check.that('changes', used.length <= kept, () => `${used.length} are inside by ${id} of ${order.id}, ${kept} stay`);
  }
  const pending = state.changes.get(order.id)?.find((change) => change.state === 'pending');
  const isOver = pending !== undefined && Date.parse(pending.expiresAt ?? '') <= Date.now();
  check.that('changes', !isOver, () => `${pending?.id} of ${order.id} is pending since ${pending?.expiresAt}`);
};

/** A cancelled performance takes its lines, and the whole order only where it has no others. */
const checkCancelled = (order: OrderView, { cancelled, entries }: ChangedOrders, check: Check): void => {
  if (cancelled === undefined) return;
  const { id, state, lines } = order;
  const others = lines.filter(({ performanceId }) => performanceId !== cancelled);
  const hasBoth = others.length > 0 && others.length < lines.length;
  check.that('changes', state !== 'confirmed' || !hasBoth, () => `${id} has lines of ${cancelled}, and others`);
  const isWanted = entries.some(({ action, subject }) => action === 'cancel' && subject === id);
  const isLost = state === 'cancelled' && others.length > 0 && !isWanted;
  check.that('changes', !isLost, () => `${id} is cancelled, and only ${cancelled} is`);
};

/**
 * Sold is what lines of confirmed orders have, and what somebody has who is inside; held at rest is only what a process
 * had held that died before its write (for five minutes): of each performance two places at most.
 */
const checkStock = ({ entries, orders, changes, tickets, stock }: ChangedOrders, check: Check): void => {
  const isWaiting = [...changes.values()].some((some) => some.some(({ state }) => state === 'pending'));
  if (isWaiting || orders.some(({ state }) => state !== 'confirmed' && state !== 'cancelled' && state !== 'expired'))
    return;
  const lost = entries.filter((one) => ['create', 'alter'].includes(one.action) && one.unknownTries > 0);
  for (const [performanceId, { held, sold }] of stock) {
    const isHere = (one: { readonly performanceId: string }) => one.performanceId === performanceId;
    const live = orders.filter(({ state }) => state === 'confirmed').flatMap(({ lines }) => lines.filter(isHere));
    const inside = tickets.filter((ticket) => ticket.status === 'controlled' && isHere(ticket));
    const places = new Set([...live, ...inside].map(({ place }) => place.id));
    const text = () => `${performanceId} has ${sold} sold and ${held} held places, ${places.size} belong to somebody`;
    check.that('changes', sold === places.size && held <= 2 * lost.length, text);
  }
};
