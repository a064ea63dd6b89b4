import type { Call, Client, Reply } from '@boxoffice/testkit';
import type { Action, Entry, Journal } from '../round/journal.ts';
import type { Random } from '../round/random.ts';
import { isBusy } from './busy.ts';
import { ask } from './request.ts';
import type { OrderView } from './views.ts';

/** A requested item. */
export interface RequestedItem {
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
  readonly quantity?: number;
  readonly placeIds?: readonly string[];
}

/** A client that sends one request after the other and records the outcome of each. */
export interface Buyer {
  create(items: readonly RequestedItem[], pointOfSale?: string): Promise<Entry>;
  confirm(orderId: string): Promise<Entry>;
  cancel(orderId: string, override?: boolean): Promise<Entry>;
  /** Pays with immediate capture. */
  pay(orderId: string, amount: number): Promise<Entry>;
  reserve(orderId: string, dueAt: Date): Promise<Entry>;
  extend(orderId: string, minutes: number): Promise<Entry>;
  print(ticketId: string): Promise<Entry>;
  control(ticketId: string): Promise<Entry>;
}

export interface BuyerOptions {
  readonly api: Client;
  readonly journal: Journal;
  /** The choices of this buyer alone: its keys and habits. */
  readonly random: Random;
  /** Prefix of the idempotency keys; unique to the round. */
  readonly reference: string;
  /** Whether it always repeats an inconclusive request under the same key; otherwise it does so half of the time. */
  readonly persistent?: boolean;
}

/** Creates a buyer. */
export const openBuyer = ({ api, journal, random, reference, persistent }: BuyerOptions): Buyer => {
  let serial = 0;
  const name = `${reference}/${random.between(0, 0xffff_ffff).toString(36)}`;

  const act = async (
    action: Action,
    subject: string | null,
    path: string,
    body: object,
    amount?: number,
  ): Promise<Entry> => {
    serial += 1;
    const key = `${name}.${serial}`;
    const insists = persistent ?? random.chance(0.5);
    const checksRepeat = random.chance(0.2);
    const sent = action === 'create' ? { ...body, externalReference: key } : body;
    const call: Call = { method: 'POST', body: sent, headers: { 'idempotency-key': key } };
    const { reply, ...course } = await ask(api, path, call, insists);
    // A request that is reported as still in progress until the timeout is inconclusive.
    const answered = reply !== undefined && reply.status < 500 && !isBusy(reply);
    const ok = answered && reply.status < 300;
    const repeated = ok && checksRepeat ? await sameAgain(path, call, reply) : undefined;
    const entry: Entry = {
      action,
      key,
      subject,
      ...(amount === undefined ? {} : { amount }),
      outcome: ok ? 'ok' : answered ? 'refused' : 'unknown',
      status: reply?.status ?? null,
      code: reply?.body?.status ?? null,
      answer: ok ? reply.body.data : null,
      ...(repeated === undefined ? {} : { repeated }),
      ...course,
    };
    journal.write(entry);
    return entry;
  };

  /** Repeats the request with the same key; undefined when the response is inconclusive. */
  const sameAgain = async (path: string, call: Call, first: Reply): Promise<string | undefined> => {
    const again = await api(path, call).catch(() => undefined);
    if (again === undefined || again.status >= 500 || isBusy(again)) return undefined;
    if (again.status === first.status && again.text === first.text) return 'the same';
    return `first ${first.status} ${first.text}, then ${again.status} ${again.text}`;
  };

  const order = (orderId: string, what: string) => `/svc/v3/orders/${orderId}/${what}`;
  return {
    create: (items, pointOfSale) =>
      act('create', null, '/svc/v3/orders', { items, ...(pointOfSale === undefined ? {} : { pointOfSale }) }),
    confirm: (id) => act('confirm', id, order(id, 'confirmation'), { onAccount: true }),
    cancel: (id, override) =>
      act('cancel', id, order(id, 'cancellation'), { reason: 'faults', ...(override ? { override } : {}) }),
    pay: (id, amount) => act('pay', id, order(id, 'payments'), { method: 'card', amount, status: 'captured' }, amount),
    reserve: (id, dueAt) => act('reserve', id, order(id, 'reservation'), { dueAt: dueAt.toISOString() }),
    extend: (id, minutes) => act('extend', id, order(id, 'extension'), { minutes }),
    print: (id) => act('print', id, `/svc/v3/tickets/${id}/printing`, {}),
    control: (id) => act('control', id, `/svc/v3/tickets/${id}/control`, { gate: 'A' }),
  };
};

/** The order that a creation returned, if it succeeded. */
export const createdBy = ({ action, answer }: Entry): OrderView | undefined =>
  action === 'create' && answer !== null ? (answer as OrderView) : undefined;
