import { randomBytes } from 'node:crypto';
import { createUser, pos } from '@boxoffice/pos';
import type { Client } from '@boxoffice/testkit';
import type { Deployment } from '../deployment/deployment.ts';
import { openBeside } from '../deployment/installation.ts';
import { type Hall, openCounter } from '../round/stage.ts';
import { must } from './api.ts';

/** A user who can log in. */
export interface ShopUser {
  readonly login: string;
  readonly password: string;
  readonly contactNumber: string;
}

/** A point of sale that sells a hall to visitors. */
export interface Shop {
  readonly host: string;
  readonly performanceId: string;
  readonly tariffId: string;
  readonly sections: readonly string[];
  readonly users: readonly ShopUser[];
  /** Whether the installation accepts simulated payments. */
  readonly simulated: boolean;
}

const USERS = 3;

/** Opens a shop for a hall: its point of sale holds places for `holdSeconds`, and its users may buy on account. */
export const openShop = async (
  { engine, engines, partner }: Deployment,
  api: Client,
  name: string,
  hall: Hall,
  holdSeconds: number,
): Promise<Shop> => {
  const host = await openCounter(api, name, hall, holdSeconds);
  const beside = await openBeside({ ...engine, amqpUrl: undefined });
  try {
    const store = await beside.store(pos.name, pos.collections);
    const users = await Promise.all(
      Array.from({ length: USERS }, async (_, index): Promise<ShopUser> => {
        const login = `user${index}@${host}`;
        const body = { lastName: `User ${index}`, email: login, criteria: ['account'] };
        const { contactNumber } = await must(api, '/svc/v3/contacts/individuals', { method: 'POST', body });
        const password = randomBytes(12).toString('base64url');
        await createUser(store, {
          institution: partner.institution,
          serviceHost: host,
          login,
          password,
          contactNumber,
        });
        return { login, password, contactNumber };
      }),
    );
    const { performanceId, tariffId, sections } = hall;
    // The embedded program accepts them only with its demo data.
    const simulated = engines === 'scaled';
    return { host, performanceId, tariffId, sections: sections.map(({ id }) => id), users, simulated };
  } finally {
    await beside.close();
  }
};
