// Links that show one order without a session: to the visitor who closed the browser.
import { hash, randomBytes } from 'node:crypto';
import type { IdempotencyRecord, Store } from '@boxoffice/store';
import type { PointOfSale } from '../clients/catalog.ts';
import { type OrderLinkDocument, orderLinks } from '../store.ts';

/** A link with its plaintext token, returned only here. */
export interface NewOrderLink {
  /** The page of the shop that shows the order; the token is in its fragment, which browsers send to no server. */
  readonly url: string;
  readonly token: string;
  /** As the performances are dated now; ISO 8601 UTC. */
  readonly expiresAt: string;
}

/** Where a link is valid. */
export type LinkPlace = Pick<PointOfSale, 'institution' | 'serviceHost'>;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

const idOf = (token: string): string => hash('sha256', `order link ${token}`, 'base64url');

/** The links of the store. A token is 256 random bits; the store contains only its hash. */
export const createOrderLinks = (store: Pick<Store, 'collection'>, publicUrl: string) => {
  const all = store.collection(orderLinks);
  const { origin } = new URL(publicUrl);

  return {
    /** Makes a link until `expiresAt` (epoch milliseconds). @throws {IdempotencyKeyTaken} on a taken record */
    async add(
      { institution, serviceHost }: LinkPlace,
      { orderId, expiresAt }: Pick<OrderLinkDocument, 'orderId' | 'expiresAt'>,
      idempotencyRecord?: IdempotencyRecord<OrderLinkDocument>,
    ): Promise<NewOrderLink> {
      const token = randomBytes(32).toString('base64url');
      const link = { id: idOf(token), serviceHost, orderId, expiresAt, createdAt: new Date().toISOString() };
      await all.of(institution).insert(link, { idempotencyRecord });
      const url = `${origin}/shop/${serviceHost}/ticket-link#${token}`;
      return { url, token, expiresAt: new Date(expiresAt).toISOString() };
    },

    /** The link of a token at this point of sale, whatever its end; undefined if there is none. */
    async find({ institution, serviceHost }: LinkPlace, token: string): Promise<OrderLinkDocument | undefined> {
      if (!TOKEN.test(token)) return undefined;
      const link = await all.of(institution).get(idOf(token));
      return link?.serviceHost === serviceHost ? link : undefined;
    },

    /** Records the end of a link as it is computed now. */
    async renew({ institution, id }: OrderLinkDocument, expiresAt: number): Promise<void> {
      await all
        .of(institution)
        .update(id, (current) => (current.expiresAt === expiresAt ? undefined : { next: { ...current, expiresAt } }));
    },
  };
};

export type OrderLinks = ReturnType<typeof createOrderLinks>;

/** Ends the links to an order. */
export const deleteOrderLinks = async (store: Store, institution: string, orderId: string): Promise<void> => {
  const found = store.collection(orderLinks).of(institution);
  for (const { id } of await found.find({ where: { orderId } })) await found.delete(id);
};
