import { randomBytes } from 'node:crypto';
import { createUser, pos } from '@boxoffice/pos';
import type { Client } from '@boxoffice/testkit';
import type { Deployment } from '../deployment/deployment.ts';
import { openStores } from '../deployment/installation.ts';
import { type Hall, openPointOfSale } from '../round/stage.ts';
import { must } from './api.ts';

/** A user of the point of sale, with a login. */
export interface ShopUser {
  readonly login: string;
  readonly password: string;
  readonly contactNumber: string;
}

/** A point of sale that sells one performance (a hall) to visitors. */
export interface Shop {
  readonly serviceHost: string;
  readonly performanceId: string;
  readonly tariffId: string;
  /** The ids of the performance's seat categories. */
  readonly seatCategoryIds: readonly string[];
  readonly users: readonly ShopUser[];
  /** Whether the installation accepts simulated payments. */
  readonly simulated: boolean;
}

const USERS = 3;

/** Creates a point of sale that holds places for `holdSeconds`, and its users, who may buy on account. */
export const openShop = async (
  { data, engines, partner }: Deployment,
  api: Client,
  name: string,
  hall: Hall,
  holdSeconds: number,
): Promise<Shop> => {
  const serviceHost = await openPointOfSale(api, name, hall, holdSeconds);
  const stores = await openStores({ ...data, amqpUrl: undefined });
  try {
    const store = await stores.store(pos.name, pos.collections);
    const users = await Promise.all(
      Array.from({ length: USERS }, async (_, index): Promise<ShopUser> => {
        const login = `user${index}@${serviceHost}`;
        const body = { lastName: `User ${index}`, email: login, criteria: ['account'] };
        const { contactNumber } = await must(api, '/svc/v3/contacts/individuals', { method: 'POST', body });
        const password = randomBytes(12).toString('base64url');
        await createUser(store, {
          institution: partner.institution,
          serviceHost,
          login,
          password,
          contactNumber,
        });
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
};
