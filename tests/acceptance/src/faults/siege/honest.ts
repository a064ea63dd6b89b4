import { type Client, withToken } from '@boxoffice/testkit';
import { createdBy, openBuyer } from '../client/buyer.ts';
import type { Shop } from '../client/shop.ts';
import { openShopper } from '../client/shopper.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { Random } from '../round/random.ts';
import type { Round } from '../round/round.ts';
import { anyPlaces } from '../round/stage.ts';
import { addressesIn, clientFrom } from './addresses.ts';
import { type Samples, sampled } from './samples.ts';

/** The shares of arrivals that are a partner's order and a visitor's purchase; the others read the catalogue. */
export const SHARES = { orders: 0.35, visits: 0.25 } as const;

const PARTNER_ADDRESSES = 4;
const PARTNER_CONNECTIONS = 50;
const VISITOR_ADDRESSES = 200;
/** As many as a browser opens to one host. */
const VISITOR_CONNECTIONS = 6;

/** What honest buyers need of a sale. */
export interface Sale {
  readonly round: Round;
  readonly shop: Shop;
  readonly random: Random;
}

/** The honest buyers of a deployment: a partner from four addresses, visitors from two hundred. */
export interface Honest {
  /** An arrival: an order, a purchase at the point of sale, or a read. It never rejects. */
  arrive(sale: Sale, samples: Samples, name: string, intended: number): Promise<void>;
}

export const openHonest = ({ address, partner }: Deployment): Honest => {
  const partners = addressesIn(2, PARTNER_ADDRESSES).map((from) =>
    withToken(clientFrom(address, from, PARTNER_CONNECTIONS), partner),
  );
  const visitors = addressesIn(1, VISITOR_ADDRESSES).map((from) => clientFrom(address, from, VISITOR_CONNECTIONS));

  const order = async ({ round }: Sale, api: Client, random: Random, name: string): Promise<void> => {
    const { hall, journal, reference } = round;
    const buyer = openBuyer({ api, journal, random, reference: `${reference}/${name}`, persistent: true });
    const section = random.between(0, hall.sections.length - 1);
    const created = createdBy(await buyer.create([anyPlaces(hall, random.between(1, 2), section)]));
    if (!created) return;
    await buyer.confirm(created.id);
    await api(`/svc/v3/orders/${created.id}`);
  };

  const readCatalogue = async ({ shop }: Sale, api: Client, random: Random): Promise<void> => {
    const performance = `/svc/v3/catalog/performances/${shop.performanceId}`;
    await api(random.pick([`${performance}/availability`, performance, '/svc/v3/catalog/products?limit=20']));
  };

  const look = async ({ shop }: Sale, pos: Client): Promise<void> =>
    void (await pos('/tnwr/v1/products', { headers: { 'x-service-host': shop.serviceHost } }));

  return {
    async arrive(sale, samples, name, intended) {
      const random = sale.random.fork(name);
      const fate = random.next();
      const pos = sampled(random.pick(visitors), samples, intended);
      const unsampled = random.pick(partners);
      const api = sampled(unsampled, samples, intended);
      try {
        if (fate < SHARES.orders) await order(sale, api, random, name);
        else if (fate < SHARES.orders + SHARES.visits) {
          const { shop, round } = sale;
          await openShopper({ pos, api: unsampled, shop, journal: round.journal, random }).visit();
        } else if (random.chance(0.5)) await readCatalogue(sale, api, random);
        else await look(sale, pos);
      } catch {
        // The request that failed is in the samples.
      }
    },
  };
};
