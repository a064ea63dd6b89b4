import { randomUUID } from 'node:crypto';
import type { Fixture } from '../fixture/fixture.ts';

/** The members of an order or a cart that these tests read. */
export interface Shown {
  readonly id: string | null;
  readonly state: string;
  readonly contactNumber: string;
  readonly expiresAt: string | null;
  readonly items: Readonly<Record<string, { readonly ticketId: string | null; readonly barcode: string | null }>>;
}

/** The body of a checkout by a guest, with an external payment by default. */
export const asGuest = (more: object = {}) => ({
  contact: { firstName: 'Ana', lastName: 'Martin', email: `${randomUUID()}@example.org` },
  paymentMethod: 'external',
  ...more,
});

/** The requests of a visitor. */
export const shopperOf = (fixture: Fixture) => ({
  /** Adds a place to the cart; without a token in a new session. */
  fill: async (token?: string): Promise<{ token: string; cartId: string }> => {
    const { performanceId, seatCategoryId } = fixture.catalog.show();
    const body = { performanceId, seatCategoryId, tariffId: fixture.catalog.full.id };
    const added = await fixture.call('POST', '/shopping-cart/items', { token, body });
    return { token: added.token ?? String(token), cartId: String(added.data.id) };
  },
  cart: (token: string) => fixture.call<Shown>('GET', '/shopping-cart', { token }),
  buy: (token: string, body: object = asGuest(), key?: string) =>
    fixture.call<Shown>('POST', '/orders', {
      token,
      body,
      headers: key === undefined ? {} : { 'idempotency-key': key },
    }),
  order: (token: string, id: string) => fixture.call<Shown>('GET', `/orders/${id}`, { token }),
});
