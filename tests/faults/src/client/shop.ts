import { randomBytes, randomUUID } from 'node:crypto';
import { createUser, pos } from '@boxoffice/pos';
import type { Client, Reply } from '@boxoffice/testkit';
import { type Deployment, openStores } from '../deployment/deployment.ts';
import { type CheckoutAnswer, isOpen, type Journal } from '../round/journal.ts';
import type { Random } from '../round/random.ts';
import { type Hall, openPointOfSale } from '../round/stage.ts';
import { findOrder, type OrderView, requireData, waitBeforeRepeat } from './api.ts';

export type Shop = Awaited<ReturnType<typeof openShop>>;

const USERS = 3;

/** Creates a point of sale that holds places for `holdSeconds`, and its users, who may buy on account. */
export async function openShop(
  { data, engines, partner }: Deployment,
  api: Client,
  name: string,
  hall: Hall,
  holdSeconds: number,
) {
  const serviceHost = await openPointOfSale(api, name, hall, holdSeconds);
  const stores = await openStores({ ...data, amqpUrl: undefined });
  try {
    const store = await stores.store(pos.name, pos.collections);
    const users = await Promise.all(
      Array.from({ length: USERS }, async (_, index) => {
        const login = `user${index}@${serviceHost}`;
        const body = { lastName: `User ${index}`, email: login, criteria: ['account'] };
        const made = await requireData(api, '/svc/v3/contacts/individuals', { method: 'POST', body });
        const contactNumber: string = made.contactNumber;
        const password = randomBytes(12).toString('base64url');
        const { institution } = partner;
        await createUser(store, { institution, serviceHost, login, password, contactNumber });
        return { login, password, contactNumber };
      }),
    );
    const { performanceId, tariffId, sections } = hall;
    // An embedded installation accepts simulated payments only with demo data, which the harness does not load.
    const simulated = engines === 'scaled';
    return { serviceHost, performanceId, tariffId, seatCategoryIds: sections.map(({ id }) => id), users, simulated };
  } finally {
    await stores.close();
  }
}

interface VisitOptions {
  readonly pos: Client;
  readonly api: Client;
  readonly shop: Shop;
  readonly journal: Journal;
  readonly random: Random;
}

/** How long a visitor repeats a purchase without a conclusive response. */
const PERSISTENCE_MS = 25_000;

/**
 * One visit of a web shop: a cart is filled and bought. Resolves when its outcome is certain, or as certain as it
 * becomes. False: no cart could be filled.
 */
export async function visitShop({ pos, api, shop, journal, random }: VisitOptions): Promise<boolean> {
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
    const sightings: OrderView['state'][] = [];
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
      await waitBeforeRepeat(repeats);
      await click();
    }
    journal.checkouts.push({ cartId, key: key ?? null, answers, sightings, inSession: await inSession(token) });
  };

  const user = random.chance(0.5) ? random.pick(shop.users) : undefined;
  const seatCategoryId = random.pick(shop.seatCategoryIds);
  const { performanceId, tariffId } = shop;
  const item = { performanceId, tariffId, seatCategoryId, quantity: random.between(1, 2) };
  const paying = payment(shop, user, random);
  const guest = { firstName: 'Ada', lastName: 'Lovelace', email: `ada.${random.between(0, 1e9)}@example.org` };
  const buyer = user ? { contactNumber: user.contactNumber } : { contact: guest };
  const session = user && tokenOf(await post('/sessions', undefined, { login: user.login, password: user.password }));
  if (user && session === undefined) return false;
  if (user && session) await lookAtOwnContact(session, user.contactNumber);
  const added = await post('/shopping-cart/items', session, item, randomUUID());
  const token = session ?? tokenOf(added);
  const cartId: unknown = added?.body?.data?.id;
  if (added?.status !== 201 || token === undefined || typeof cartId !== 'string') return false;
  journal.carts.add(cartId);
  await buy(cartId, token, { ...buyer, ...paying });
  return true;
}

const answerOf = (reply: Reply | undefined): CheckoutAnswer => {
  const readMember = (member: string): boolean | null => {
    const value: unknown = reply?.body?.[member];
    return typeof value === 'boolean' ? value : null;
  };
  return {
    status: reply?.status ?? null,
    code: reply?.body?.errorCode ?? null,
    orderId: reply?.body?.data?.id ?? null,
    state: reply?.body?.data?.state ?? null,
    orderCancelled: readMember('orderCancelled'),
    userLoggedOut: readMember('userLoggedOut'),
  };
};

/** A visitor's payment: any method for a free order; a guest without simulated payments pays later. */
const payment = ({ simulated }: Shop, user: object | undefined, random: Random): object => {
  if (random.chance(0.1)) return { paymentMethod: 'external' };
  if (simulated && random.chance(0.6)) return { paymentMethod: 'simulated', paymentToken: 'ok' };
  return { paymentMethod: user ? 'on_account' : 'external' };
};
