import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Hall } from '../stand/catalog.ts';
import type { Stand } from '../stand/stand.ts';

/** A cart or an order as the point of sale sees it. */
export interface ShopOrder {
  readonly id: string;
  readonly state: string;
  readonly listed: boolean;
  readonly payable: boolean;
  readonly version: number;
  readonly contactNumber: string | null;
  readonly currency: string;
  readonly total: number;
  readonly due: number;
  readonly lines: readonly {
    readonly id: string;
    readonly tariffId: string;
    readonly criterion: string | null;
    readonly amount: number;
    readonly place: { readonly id: string };
    readonly beneficiary: { readonly firstName: string | null; readonly lastName: string | null } | null;
    readonly ticketId: string | null;
  }[];
  readonly expiresAt: string | null;
  readonly deadline: string | null;
  readonly checkout: { readonly requestId: string; readonly paymentMethod: string } | null;
}

export interface Outcome {
  readonly outcome: 'done' | 'refused';
  readonly reason: string | null;
  readonly order: ShopOrder | null;
}

type Instance = Pick<Stand, 'shop'>;

/** An id of a cart as the point of sale makes it. */
export const mintCartId = (): string => `ord_${randomBytes(10).toString('hex').slice(0, 19)}`;

/** A POST below /internal/shop/orders, which answers what became of the wish. */
export const wish = async (instance: Instance, path: string, body?: object): Promise<Outcome> => {
  const { status, data, text } = await instance.shop<Outcome>('POST', path, { body });
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return data;
};

/** Puts items into a cart; every call is a request of its own unless it is given one. */
export const add = (
  instance: Instance,
  orderId: string,
  items: readonly object[],
  more: { readonly requestId?: string; readonly address?: string } = {},
): Promise<Outcome> =>
  wish(instance, '/items', {
    orderId,
    requestId: randomUUID(),
    pointOfSale: 'tickets.opera.example',
    address: randomUUID(),
    items,
    ...more,
  });

/** The order of an outcome that must be good. */
export const done = ({ outcome, reason, order }: Outcome): ShopOrder => {
  expect({ outcome, reason }).toEqual({ outcome: 'done', reason: null });
  if (!order) throw new Error('done, and no order');
  return order;
};

/** Makes a cart with so many places of a hall of its own with two places more. */
export const newCart = async (stand: Stand, places = 2, hall: Hall = stand.catalog.hall(places + 2)) => {
  const cart = done(await add(stand, mintCartId(), [hall.item(places)]));
  return { hall, cart, path: `/${cart.id}` };
};

/** A contact with these criteria. */
export const newContact = (stand: Stand, ...criteria: readonly string[]): string => {
  const contactNumber = `C${randomBytes(6).toString('hex').toUpperCase()}`;
  stand.contacts.known.set(contactNumber, null);
  stand.contacts.criteria.set(contactNumber, criteria);
  return contactNumber;
};

/** Buys a cart with a simulated payment unless told otherwise. */
export const checkout = (instance: Instance, path: string, body: object): Promise<Outcome> =>
  wish(instance, `${path}/checkout`, {
    requestId: 'checkout',
    paymentMethod: 'simulated',
    paymentToken: 'ok',
    ...body,
  });

/** The cart or order as it is now. */
export const read = async (instance: Instance, path: string): Promise<ShopOrder> =>
  (await instance.shop<ShopOrder>('GET', path)).data;
