import type { Call, Client, Reply } from '@boxoffice/testkit';
import type { Action, Entry, Journal } from '../round/journal.ts';
import type { Random } from '../round/random.ts';
import type { RequestedItem } from '../round/stage.ts';
import { ask, isFinal, type OrderView } from './api.ts';

/** A client that sends one request after the other and records the outcome of each. */
export type Buyer = ReturnType<typeof openBuyer>;

/** What an action is beside a POST with a body. */
interface Particulars {
  readonly amount?: number;
  readonly detail?: string;
  readonly isSold?: true;
  readonly method?: 'POST' | 'PATCH' | 'DELETE';
}

interface BuyerOptions {
  readonly api: Client;
  readonly journal: Journal;
  readonly random: Random;
  /** Prefix of the idempotency keys; unique to the round. */
  readonly reference: string;
  /** Whether it always repeats an inconclusive request under the same key; otherwise it does so half of the time. */
  readonly persistent?: boolean;
}

export function openBuyer({ api, journal, random, reference, persistent }: BuyerOptions) {
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
    const { reply, ...course } = await ask(api, path, call, { insists });
    // A request that is reported as still in progress until the timeout is inconclusive.
    const answered = isFinal(reply);
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
    journal.entries.push(entry);
    return entry;
  };

  /** Repeats the request with the same key; undefined when the response is inconclusive. */
  const sameAgain = async (path: string, call: Call, first: Reply): Promise<string | undefined> => {
    const again = await api(path, call).catch(() => undefined);
    if (!isFinal(again)) return undefined;
    if (again.status === first.status && again.text === first.text) return 'the same';
    return `first ${first.status} ${first.text}, then ${again.status} ${again.text}`;
  };

  const order = (orderId: string, what: string) => `/svc/v3/orders/${orderId}/${what}`;
  const ticket = (ticketId: string, what: string) => `/svc/v3/tickets/${ticketId}/${what}`;
  return {
    create: (items: readonly RequestedItem[], pointOfSale?: string, codes: readonly string[] = []) =>
      act('create', null, '/svc/v3/orders', { items, ...(pointOfSale && { pointOfSale }), ...(codes[0] && { codes }) }),
    /** Creates and sells in one call, paid by this amount or, where it is null, on account. */
    sell: (items: readonly RequestedItem[], amount: number | null, pointOfSale?: string) => {
      const how = amount === null ? { confirmation: { onAccount: true } } : { payment: { method: 'card', amount } };
      const body = { items, ...how, ...(pointOfSale && { pointOfSale }) };
      return act('create', null, '/svc/v3/orders', body, { ...(amount !== null && { amount }), isSold: true });
    },
    /** Returns and exchanges lines; `amount`: captured with it. */
    alter: (id: string, body: object, amount = 0) => act('alter', id, order(id, 'changes'), body, { amount }),
    withdraw: (id: string, change: string) =>
      act('withdraw', id, order(id, `changes/${change}`), {}, { method: 'DELETE', detail: change }),
    confirm: (id: string) => act('confirm', id, order(id, 'confirmation'), { onAccount: true }),
    cancel: (id: string, override = false) =>
      act('cancel', id, order(id, 'cancellation'), { reason: 'faults', override }, { detail: `${override}` }),
    pay: (id: string, amount: number, changeId?: string) =>
      act(
        'pay',
        id,
        order(id, 'payments'),
        { method: 'card', amount, status: 'captured', ...(changeId && { changeId }) },
        { amount },
      ),
    pledge: (id: string, amount: number, changeId?: string) =>
      act('pledge', id, order(id, 'payments'), {
        method: 'card',
        amount,
        status: 'pending',
        ...(changeId && { changeId }),
      }),
    settle: (id: string, paymentId: string, amount: number) =>
      act('settle', id, order(id, `payments/${paymentId}`), { status: 'captured' }, { method: 'PATCH', amount }),
    refund: (id: string, amount: number) =>
      act('refund', id, order(id, 'refunds'), { method: 'card', amount }, { amount }),
    reserve: (id: string, dueAt: Date) => act('reserve', id, order(id, 'reservation'), { dueAt: dueAt.toISOString() }),
    extend: (id: string, minutes: number) => act('extend', id, order(id, 'extension'), { minutes }),
    add: (id: string, items: readonly RequestedItem[]) => act('add', id, order(id, 'lines'), { items }),
    remove: (id: string, line: string) =>
      act('remove', id, order(id, `lines/${line}`), {}, { method: 'DELETE', detail: line }),
    change: (id: string, contactNumber: string) =>
      act('change', id, `/svc/v3/orders/${id}`, { contactNumber }, { method: 'PATCH', detail: contactNumber }),
    print: (id: string) => act('print', id, ticket(id, 'printing'), {}),
    control: (id: string) => act('control', id, ticket(id, 'control'), { gate: 'A' }),
    revert: (id: string) => act('revert', id, ticket(id, 'control'), {}, { method: 'DELETE' }),
    replace: (id: string) => act('replace', id, ticket(id, 'replacement'), {}),
  };
}

export function getCreatedOrder({ action, answer }: Entry): OrderView | undefined {
  return action === 'create' && answer !== null ? (answer as OrderView) : undefined;
}
