import { randomUUID } from 'node:crypto';
import type { Client, Reply } from '@boxoffice/testkit';
import { type CheckoutAnswer, isOpen, type Journal } from '../round/journal.ts';
import type { Random } from '../round/random.ts';
import { findOrder } from './api.ts';
import { patience } from './request.ts';
import type { Shop, ShopUser } from './shop.ts';

/** A visitor of a web shop, who fills one cart after the other and buys it. */
interface Shopper {
  /** One visit; resolves when its outcome is certain, or as certain as it becomes. False: no cart could be filled. */
  visit(): Promise<boolean>;
}

interface ShopperOptions {
  /** A visitor's own client of the product. */
  readonly pos: Client;
  /** The institution's client, which reads the orders. */
  readonly api: Client;
  readonly shop: Shop;
  readonly journal: Journal;
  readonly random: Random;
}

/** How long a visitor repeats a purchase without a conclusive response. */
const PERSISTENCE_MS = 25_000;

const answerOf = (reply: Reply | undefined): CheckoutAnswer => {
  const said = (member: string): boolean | null => {
    const value: unknown = reply?.body?.[member];
    return typeof value === 'boolean' ? value : null;
  };
  return {
    status: reply?.status ?? null,
    code: reply?.body?.errorCode ?? null,
    orderId: reply?.body?.data?.id ?? null,
    state: reply?.body?.data?.state ?? null,
    orderCancelled: said('orderCancelled'),
    userLoggedOut: said('userLoggedOut'),
  };
};

/** A visitor's payment: any method for a free order; a guest without simulated payments pays later. */
const payment = ({ simulated }: Shop, user: ShopUser | undefined, random: Random): object => {
  if (random.chance(0.1)) return { paymentMethod: 'external' };
  if (simulated && random.chance(0.6)) return { paymentMethod: 'simulated', paymentToken: 'ok' };
  return { paymentMethod: user ? 'on_account' : 'external' };
};

/** Creates a shopper. */
export const openShopper = ({ pos, api, shop, journal, random }: ShopperOptions): Shopper => {
  const post = (path: string, token: string | undefined, body: object, key?: string): Promise<Reply | undefined> =>
    pos(`/tnwr/v1${path}`, {
      method: 'POST',
      headers: {
        'x-service-host': shop.serviceHost,
        ...(token === undefined ? {} : { 'x-auth-token': token }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body,
    }).catch(() => undefined);
  const tokenOf = (reply: Reply | undefined): string | undefined => {
    const token = reply?.headers['x-auth-token'];
    return typeof token === 'string' ? token : undefined;
  };

  const inSession = async (token: string): Promise<boolean | null> => {
    const headers = { 'x-service-host': shop.serviceHost, 'x-auth-token': token };
    const reply = await pos('/tnwr/v1/sessions/current', { headers }).catch(() => undefined);
    if (reply === undefined || reply.status >= 500) return null;
    return reply.status === 200;
  };

  /** Whatever the answer: nothing follows from it but that pos calls contacts. */
  const lookAtOwnContact = async (token: string, contactNumber: string): Promise<void> => {
    const headers = { 'x-service-host': shop.serviceHost, 'x-auth-token': token };
    await pos(`/tnwr/v1/contacts/${contactNumber}`, { headers }).catch(() => undefined);
  };

  /** Repeats the purchase until its outcome is certain; some visitors without a key stop earlier, some click twice. */
  const buy = async (cartId: string, token: string, body: object): Promise<void> => {
    const key = random.chance(0.7) ? randomUUID() : undefined;
    const clicks = random.chance(0.2) ? 2 : 1;
    const insists = key !== undefined || random.chance(0.5);
    const answers: CheckoutAnswer[] = [];
    const sightings: Parameters<Journal['checkedOut']>[0]['sightings'][number][] = [];
    const click = async (): Promise<void> => {
      const answer = answerOf(await post('/orders', token, body, key));
      answers.push(answer);
      if (answer.orderCancelled !== true) return;
      const seen = await findOrder(api, cartId);
      sightings.push(seen?.state ?? 'open');
    };
    const until = Date.now() + PERSISTENCE_MS;
    await Promise.all(Array.from({ length: clicks }, click));
    // A response that reports the order as cancelled is verified by another request.
    for (let repeats = 0; isOpen(answers.at(-1) as CheckoutAnswer) && insists && Date.now() < until; repeats++) {
      await patience(repeats);
      await click();
    }
    journal.checkedOut({ cartId, key: key ?? null, answers, sightings, inSession: await inSession(token) });
  };

  return {
    async visit() {
      const user = random.chance(0.5) ? random.pick(shop.users) : undefined;
      const seatCategoryId = random.pick(shop.seatCategoryIds);
      const { performanceId, tariffId } = shop;
      const item = { performanceId, tariffId, seatCategoryId, quantity: random.between(1, 2) };
      const paying = payment(shop, user, random);
      const guest = { firstName: 'Ada', lastName: 'Lovelace', email: `ada.${random.between(0, 1e9)}@example.org` };
      const buyer = user ? { contactNumber: user.contactNumber } : { contact: guest };
      const session =
        user && tokenOf(await post('/sessions', undefined, { login: user.login, password: user.password }));
      if (user && session === undefined) return false;
      if (user && session) await lookAtOwnContact(session, user.contactNumber);
      const added = await post('/shopping-cart/items', session, item, randomUUID());
      const token = session ?? tokenOf(added);
      const cartId: unknown = added?.body?.data?.id;
      if (added?.status !== 201 || token === undefined || typeof cartId !== 'string') return false;
      journal.filled(cartId);
      await buy(cartId, token, { ...buyer, ...paying });
      return true;
    },
  };
};
