import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, type Json, type Reply, send } from '@boxoffice/testkit';
import { type CheckoutAnswer, isOpen, type Journal, type Outcome } from '../round/journal.ts';
import type { Random } from '../round/random.ts';
import type { Hall } from '../round/stage.ts';
import { sendCommand, waitBeforeRepeat } from './api.ts';

/** What a visitor who pays on the provider's page did, and what he was told. */
export interface Payer {
  readonly orderId: string;
  readonly price: number;
  /** His cancellation; undefined: he did not ask for it. */
  readonly cancelled: Outcome | undefined;
  /** What the house gave back by hand: the amount, and the outcome. */
  readonly refund: { readonly amount: number; readonly outcome: Outcome } | undefined;
}

interface PayerOptions {
  /** A visitor's own client of the product. */
  readonly pos: Client;
  /** The institution's client, which refunds. */
  readonly api: Client;
  readonly serviceHost: string;
  readonly hall: Hall;
  /** A tariff that is cheaper than the hall's, and may be exchanged for it. */
  readonly returnable: string;
  readonly journal: Journal;
  readonly payers: Payer[];
  readonly random: Random;
}

/** How long he repeats what has no conclusive answer. */
const PERSISTENCE_MS = 25_000;
/** Between two looks at his order. */
const LOOK_MS = 300;

const isConclusive = (reply: Reply | undefined): boolean => reply !== undefined && reply.status < 500;

/**
 * One visit: a cart is ordered, and paid on the provider's page, or not. Some close the browser, some come back, some
 * ask for another page and pay on both, some cancel afterwards, or return or exchange a place. False: nothing could be ordered.
 */
export async function payOnPage(options: PayerOptions): Promise<boolean> {
  const { pos, api, serviceHost, hall, returnable, journal, payers, random } = options;
  const address = `10.${random.between(0, 255)}.${random.between(0, 255)}.${random.between(1, 254)}`;
  const call = (path: string, method: string, token: string | undefined, body?: object, key?: string) =>
    pos(`/tnwr/vexp${path}`, {
      method,
      headers: {
        'x-service-host': serviceHost,
        'x-forwarded-for': address,
        ...(token === undefined ? {} : { 'x-auth-token': token }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body }),
    }).catch(() => undefined);

  /** Repeats until the answer is conclusive, or his patience ends. */
  const insist = async (ask: () => Promise<Reply | undefined>): Promise<Reply | undefined> => {
    const until = Date.now() + PERSISTENCE_MS;
    for (let repeats = 0; ; repeats++) {
      const reply = await ask();
      if (isConclusive(reply) || Date.now() > until) return reply;
      await waitBeforeRepeat(repeats);
    }
  };

  const [section] = hall.sections;
  const seat = { performanceId: hall.performanceId, seatCategoryId: String(section?.id) };
  const tariffId = random.pick([hall.tariffId, hall.tariffId, returnable]);
  const item = { ...seat, tariffId, quantity: random.between(1, 2) };
  const added = await call('/shopping-cart/items', 'POST', undefined, item, randomUUID());
  const token = added?.headers['x-auth-token'];
  const cartId: unknown = added?.body?.data?.id;
  if (added?.status !== 201 || typeof token !== 'string' || typeof cartId !== 'string') return false;
  journal.carts.add(cartId);

  const answers: CheckoutAnswer[] = [];
  const contact = { firstName: 'Ada', lastName: 'Lovelace', email: `ada.${random.between(0, 1e9)}@example.org` };
  const checkOut = async (): Promise<Json | undefined> => {
    const until = Date.now() + PERSISTENCE_MS;
    for (let [repeats, key] = [0, randomUUID()]; Date.now() < until; repeats++) {
      const reply = await call('/orders', 'POST', token, { contact, paymentMethod: 'stripe' }, key);
      const answer = toAnswer(reply);
      answers.push(answer);
      if (answer.status === 201 || answer.status === 200) return reply?.body.data;
      if (!isOpen(answer)) {
        if (answer.code !== 'payment_unavailable') return undefined;
        // The cart stays: another try is the same request or another one.
        if (random.chance(0.5)) key = randomUUID();
      }
      await waitBeforeRepeat(repeats);
    }
    return undefined;
  };
  const ordered = await checkOut();
  // Without a key: several tries had several.
  const checkout = { cartId, key: null, sightings: [], inSession: null };
  if (ordered === undefined) {
    journal.checkouts.push({ ...checkout, answers });
    return false;
  }

  const pay = (url: string, form: Readonly<Record<string, string>>): Promise<Reply> =>
    send(new URL(url), { method: 'POST', body: new URLSearchParams({ outcome: 'pay', ...form }) });
  const look = async (): Promise<Json | undefined> =>
    (await insist(() => call(`/orders/${cartId}`, 'GET', token)))?.body?.data;
  /** He stays at the page of his order until it says that it is bought. */
  const comeBack = async (): Promise<void> => {
    for (const until = Date.now() + PERSISTENCE_MS; Date.now() < until; await pause(LOOK_MS))
      if ((await look())?.state !== 'payment_pending') return;
  };

  /** An item goes, or becomes a dearer one, which he pays on another page, gives up, or both at once. */
  const change = async (lineId: string | undefined): Promise<void> => {
    const [path, key] = [`/orders/${cartId}/changes`, randomUUID()];
    const exchanges = [{ lineId, ...seat, tariffId: hall.tariffId }];
    const wish = random.chance(0.3) ? { returns: [{ lineId }] } : { exchanges };
    const quoted = await insist(() => call(`${path}/quotes`, 'POST', token, wish));
    const wanted = { ...wish, difference: quoted?.body?.data?.difference, paymentMethod: 'stripe' };
    const made = (await insist(() => call(path, 'POST', token, wanted, key)))?.body?.data;
    const page: unknown = made?.payment?.url;
    if (typeof page !== 'string') return;
    await Promise.all([
      ...(random.chance(0.8) ? [pay(page, random.chance(0.5) ? { webhook: 'none' } : {})] : []),
      ...(random.chance(0.3) ? [insist(() => call(`${path}/${made.id}`, 'DELETE', token))] : []),
    ]);
    await look();
  };

  const url: unknown = ordered.payment?.url;
  const fate = random.next();
  if (typeof url !== 'string' || fate < 0.1) {
    // He leaves without having paid.
  } else if (fate < 0.25) {
    const key = randomUUID();
    const another = await insist(() =>
      call(`/orders/${cartId}/payments`, 'POST', token, { paymentMethod: 'stripe' }, key),
    );
    const second: unknown = another?.body?.data?.payment?.url;
    await Promise.all([pay(url, {}), ...(typeof second === 'string' ? [pay(second, {})] : [])]);
  } else if (fate < 0.5) {
    // Nobody tells the house: it finds out as he comes back.
    await pay(url, { webhook: 'none' });
    await comeBack();
  } else {
    if (fate < 0.6) await pay(url, { outcome: 'decline' });
    await Promise.all([pay(url, {}), ...(fate < 0.7 ? [pay(url, {})] : [])]);
    if (fate < 0.8) await comeBack();
  }

  const { state, items } = (await look()) ?? {};
  const isBought = state === 'confirmed';
  let cancelled: Outcome | undefined;
  let refund: Payer['refund'];
  if (isBought && tariffId === returnable) {
    if (random.chance(0.8)) await change(Object.keys(items)[0]);
  } else if (isBought && random.chance(0.35)) {
    const key = randomUUID();
    const reply = await insist(() => call(`/orders/${cartId}/cancellation`, 'POST', token, {}, key));
    cancelled = !isConclusive(reply) ? 'unknown' : Number(reply?.status) < 300 ? 'ok' : 'refused';
  } else if (isBought && random.chance(0.4)) {
    const amount = random.between(1, Number(section?.amount));
    const made = await sendCommand(api, `/svc/v3/orders/${cartId}/refunds`, 'POST', { amount, provider: 'stripe' });
    refund = { amount, outcome: made.outcome };
  }
  // What he cancels himself is judged by what he paid.
  const isJudged = cancelled === undefined || cancelled === 'refused';
  journal.checkouts.push({ ...checkout, answers: isJudged ? answers : [] });
  payers.push({ orderId: cartId, price: ordered.total, cancelled, refund });
  return true;
}

const toAnswer = (reply: Reply | undefined): CheckoutAnswer => ({
  status: reply?.status ?? null,
  code: reply?.body?.errorCode ?? null,
  orderId: reply?.body?.data?.id ?? null,
  state: reply?.body?.data?.state ?? null,
  orderCancelled: typeof reply?.body?.orderCancelled === 'boolean' ? reply.body.orderCancelled : null,
  userLoggedOut: typeof reply?.body?.userLoggedOut === 'boolean' ? reply.body.userLoggedOut : null,
});
