import type { Call, Client, Reply } from '@boxoffice/testkit';
import type { Action, Entry, Journal } from '../round/journal.ts';
import type { Random } from '../round/random.ts';
import type { RequestedItem } from '../round/stage.ts';
import { ask, isBusy, type OrderView } from './api.ts';

/** A client that sends one request after the other and records the outcome of each. */
export interface Buyer {
  create(items: readonly RequestedItem[], pointOfSale?: string): Promise<Entry>;
  confirm(orderId: string): Promise<Entry>;
  cancel(orderId: string, override?: boolean): Promise<Entry>;
  add(orderId: string, items: readonly RequestedItem[]): Promise<Entry>;
  remove(orderId: string, lineId: string): Promise<Entry>;
  /** Names the contact who buys. */
  change(orderId: string, contactNumber: string): Promise<Entry>;
  /** Records a pending payment. */
  pledge(orderId: string, amount: number): Promise<Entry>;
  /** Captures a pending payment. */
  settle(orderId: string, paymentId: string, amount: number): Promise<Entry>;
  refund(orderId: string, amount: number): Promise<Entry>;
  /** Pays with immediate capture. */
  pay(orderId: string, amount: number): Promise<Entry>;
  reserve(orderId: string, dueAt: Date): Promise<Entry>;
  extend(orderId: string, minutes: number): Promise<Entry>;
  print(ticketId: string): Promise<Entry>;
  control(ticketId: string): Promise<Entry>;
  revert(ticketId: string): Promise<Entry>;
  replace(ticketId: string): Promise<Entry>;
}

/** What an action is beside a POST with a body. */
interface Particulars {
  readonly amount?: number;
  readonly detail?: string;
  readonly method?: 'POST' | 'PATCH' | 'DELETE';
}

interface BuyerOptions {
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
export function openBuyer({ api, journal, random, reference, persistent }: BuyerOptions): Buyer {
  let serial = 0;
  const name = `${reference}/${random.between(0, 0xffff_ffff).toString(36)}`;

  const act = async (
    action: Action,
    subject: string | null,
    path: string,
    body: object,
    { method = 'POST', ...particulars }: Particulars = {},
  ): Promise<Entry> => {
    serial += 1;
    const key = `${name}.${serial}`;
    const insists = persistent ?? random.chance(0.5);
    const checksRepeat = random.chance(0.2);
    const sent = action === 'create' ? { ...body, externalReference: key } : body;
    const headers = { 'idempotency-key': key };
    const call: Call = method === 'DELETE' ? { method, headers } : { method, body: sent, headers };
    const { reply, ...course } = await ask(api, path, call, insists);
    // A request that is reported as still in progress until the timeout is inconclusive.
    const answered = reply !== undefined && reply.status < 500 && !isBusy(reply);
    const ok = answered && reply.status < 300;
    const repeated = ok && checksRepeat && method === 'POST' ? await sameAgain(path, call, reply) : undefined;
    const entry: Entry = {
      action,
      key,
      subject,
      ...particulars,
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
    pay: (id, amount) =>
      act('pay', id, order(id, 'payments'), { method: 'card', amount, status: 'captured' }, { amount }),
    reserve: (id, dueAt) => act('reserve', id, order(id, 'reservation'), { dueAt: dueAt.toISOString() }),
    extend: (id, minutes) => act('extend', id, order(id, 'extension'), { minutes }),
    print: (id) => act('print', id, `/svc/v3/tickets/${id}/printing`, {}),
    control: (id) => act('control', id, `/svc/v3/tickets/${id}/control`, { gate: 'A' }),
    revert: (id) => act('revert', id, `/svc/v3/tickets/${id}/control`, {}, { method: 'DELETE' }),
    replace: (id) => act('replace', id, `/svc/v3/tickets/${id}/replacement`, {}),
    add: (id, items) => act('add', id, order(id, 'lines'), { items }),
    remove: (id, line) => act('remove', id, order(id, `lines/${line}`), {}, { method: 'DELETE', detail: line }),
    change: (id, contactNumber) =>
      act('change', id, `/svc/v3/orders/${id}`, { contactNumber }, { method: 'PATCH', detail: contactNumber }),
    pledge: (id, amount) => act('pledge', id, order(id, 'payments'), { method: 'card', amount, status: 'pending' }),
    settle: (id, paymentId, amount) =>
      act('settle', id, order(id, `payments/${paymentId}`), { status: 'captured' }, { method: 'PATCH', amount }),
    refund: (id, amount) => act('refund', id, order(id, 'refunds'), { method: 'card', amount }, { amount }),
  };
}

/** The order that a creation returned, if it succeeded. */
export function getCreatedOrder({ action, answer }: Entry): OrderView | undefined {
  return action === 'create' && answer !== null ? (answer as OrderView) : undefined;
}
