// Demo data: two institutions with catalogues, clients, users and first sales, seeded through the services.

import { createInstitution, listInstitutions } from '@boxoffice/catalog';
import { StartFault } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { type DemoApiKey, registerApiKey } from './api-keys.ts';
import { type DemoApiUser, registerApiUsers } from './api-users.ts';
import { type Fixture, type FixtureIds, openPointOfSale, stockProducts, stockTariffs } from './catalogue.ts';
import { completeClients, type DemoClient, moveClients, registerClients } from './clients.ts';
import {
  type Addresses,
  type DemoCredentials,
  followAddresses,
  readDemo,
  removeDemo,
  type StoredDemo,
  writeDemo,
} from './credentials.ts';
import type { DemoInstitution } from './demo-institution.ts';
import { museum } from './museum.ts';
import { opera } from './opera.ts';
import type { AllFixtures, Progress } from './progress.ts';
import { sellUntilLeft } from './sales.ts';
import { createShopKeeper, type ShopKeeper } from './shop-keeper.ts';
import { type DemoUser, registerUsers } from './users.ts';

const institutions: readonly DemoInstitution[] = [opera, museum];

export interface SeedingOptions {
  readonly stores: { readonly authorizer: Store; readonly catalog: Store; readonly pos: Store };
  readonly progress: Progress;
  /** The folder of `demo.json`. */
  readonly directory: string;
  readonly authorizerUrl: string;
  readonly catalogUrl: string;
  readonly contactsUrl: string;
  readonly ordersUrl: string;
  readonly serviceRootSecret: string;
  readonly addresses: Addresses;
  readonly now: Date;
  /** Receives the current step, in a few words. */
  readonly tell: (what: string) => void;
  /** The services' last logged error: their responses do not reveal a full disk. */
  readonly trouble?: () => string | undefined;
}

/** The client with every scope, which creates an institution's demo data. */
const keeperOf = (clients: readonly DemoClient[], options: SeedingOptions): Promise<ShopKeeper> => {
  const { authorizerUrl, catalogUrl, contactsUrl, ordersUrl, serviceRootSecret } = options;
  const full = clients.find(({ name }) => name === 'full');
  if (full?.clientSecret === undefined) throw new Error('the demo data lacks a client for the seeding');
  const { clientId, clientSecret } = full;
  const urls = { authorizerUrl, catalogUrl, contactsUrl, ordersUrl };
  return createShopKeeper({ ...urls, serviceRootSecret, clientId, clientSecret });
};

/** Creates the missing parts of an institution's catalogue; returns its fixtures. */
const stock = async (
  institution: DemoInstitution,
  keeper: ShopKeeper,
  { now, tell }: SeedingOptions,
): Promise<FixtureIds> => {
  const tariffs = await stockTariffs(keeper, institution.tariffs);
  const products = institution.products(tariffs, now);
  const found = await stockProducts(keeper, products, (done) =>
    tell(`${institution.name}: ${done} of ${products.length} products`),
  );
  await openPointOfSale(keeper, institution, tariffs);
  const fixture = (code: string): Fixture => {
    const ids = found.get(code);
    if (!ids) throw new Error(`the demo data lacks the product ${code}`);
    return ids;
  };
  const { soldOut, numbered, twoLeft } = institution.fixtures;
  const ids = { soldOut: fixture(soldOut), numbered: fixture(numbered), twoLeft: fixture(twoLeft) };
  tell(`${institution.name}: first orders`);
  await sellUntilLeft(keeper, ids.soldOut, 0);
  await sellUntilLeft(keeper, ids.twoLeft, 2);
  return ids;
};

const credentials = (
  addresses: Addresses,
  clients: readonly DemoClient[],
  apiKeys: readonly DemoApiKey[],
  users: readonly DemoUser[],
  apiUsers: readonly DemoApiUser[],
  fixtures: AllFixtures,
): DemoCredentials => ({
  ...addresses,
  clients,
  apiKeys,
  pointsOfSale: institutions.map(({ id, serviceHost, languages, currency }) => ({
    serviceHost,
    institution: id,
    languages,
    currency,
  })),
  users,
  apiUsers,
  fixtures,
});

/** Registers the users of the institution API; the customer is the first user of the point of sale. */
const apiUsersOf = async (
  { stores, addresses }: SeedingOptions,
  institution: string,
  [shopper]: readonly DemoUser[],
): Promise<DemoApiUser[]> => {
  if (!shopper) throw new Error('the demo data lacks a contact for the user of the role customer');
  const { contactNumber } = shopper;
  return registerApiUsers(stores.authorizer, { institution, publicUrl: addresses.baseUrl, contactNumber });
};

/** Seeds the missing demo data. The credentials are written last: their presence means that the data is complete. */
const seed = async (options: SeedingOptions): Promise<DemoCredentials> => {
  const { stores, progress, directory, addresses } = options;
  const existing = await listInstitutions(stores.catalog);
  const allClients: DemoClient[] = [];
  const allApiKeys: DemoApiKey[] = [];
  const allUsers: DemoUser[] = [];
  const apiUsers: DemoApiUser[] = [];
  const allFixtures: Record<string, FixtureIds> = {};
  for (const institution of institutions) {
    const { id, name, currency, languages } = institution;
    if (!existing.some((known) => known.id === id)) {
      await createInstitution(stores.catalog, { id, name, currency, languages: [...languages], demo: true });
    }
    const clients = await registerClients(stores.authorizer, id, addresses.baseUrl);
    allClients.push(...clients);
    allApiKeys.push(await registerApiKey(stores.authorizer, id));
    const keeper = await keeperOf(clients, options);
    allFixtures[id] = await stock(institution, keeper, options);
    const users = await registerUsers(stores.pos, institution, async () => keeper);
    allUsers.push(...users);
    apiUsers.push(...(await apiUsersOf(options, id, users)));
  }
  const demo = credentials(addresses, allClients, allApiKeys, allUsers, apiUsers, allFixtures);
  writeDemo(directory, demo);
  await progress.finish(allFixtures);
  return demo;
};

/** Writes a lost `demo.json` again: the same clients and users with new secrets. */
const renew = async (options: SeedingOptions, fixtures: AllFixtures): Promise<DemoCredentials> => {
  const { stores, directory, addresses } = options;
  const clients: DemoClient[] = [];
  const apiKeys: DemoApiKey[] = [];
  const users: DemoUser[] = [];
  const apiUsers: DemoApiUser[] = [];
  for (const institution of institutions) {
    const own = await registerClients(stores.authorizer, institution.id, addresses.baseUrl);
    clients.push(...own);
    apiKeys.push(await registerApiKey(stores.authorizer, institution.id));
    const registered = await registerUsers(stores.pos, institution, () => keeperOf(own, options));
    users.push(...registered);
    apiUsers.push(...(await apiUsersOf(options, institution.id, registered)));
  }
  const demo = credentials(addresses, clients, apiKeys, users, apiUsers, fixtures);
  writeDemo(directory, demo);
  return demo;
};

/** The members of a file that an earlier release wrote stay; what this release adds is registered and appended. */
const complete = async (options: SeedingOptions, stored: StoredDemo): Promise<DemoCredentials> => {
  const { stores, addresses } = options;
  const ids = institutions.map(({ id }) => id);
  const others = <One extends { readonly institution: string }>(all: readonly One[] = []): One[] =>
    all.filter(({ institution }) => !ids.includes(institution));
  const clients: DemoClient[] = [];
  const apiKeys: DemoApiKey[] = [];
  const apiUsers: DemoApiUser[] = [];
  for (const { id, serviceHost } of institutions) {
    const ofIt = <One extends { readonly institution: string }>(all: readonly One[] = []) =>
      all.filter((one) => one.institution === id);
    const own = await completeClients(stores.authorizer, id, addresses.baseUrl, ofIt(stored.clients));
    clients.push(...own);
    const known = { apiKeys: ofIt(stored.apiKeys), apiUsers: ofIt(stored.apiUsers) };
    apiKeys.push(...(known.apiKeys.length > 0 ? known.apiKeys : [await registerApiKey(stores.authorizer, id)]));
    const users = stored.users.filter((user) => user.serviceHost === serviceHost);
    apiUsers.push(...(known.apiUsers.length > 0 ? known.apiUsers : await apiUsersOf(options, id, users)));
  }
  return {
    ...stored,
    clients: [...clients, ...others(stored.clients)],
    apiKeys: [...apiKeys, ...others(stored.apiKeys)],
    apiUsers: [...apiUsers, ...others(stored.apiUsers)],
  };
};

/** Updates the file to the settings and to what this release adds to it. */
const update = async (options: SeedingOptions, stored: StoredDemo): Promise<DemoCredentials> => {
  const { directory, addresses, stores } = options;
  const move = (clients: readonly DemoClient[], baseUrl: string) => moveClients(stores.authorizer, clients, baseUrl);
  const demo = await complete(options, await followAddresses(stored, addresses, move));
  if (JSON.stringify(demo) !== JSON.stringify(stored)) writeDemo(directory, demo);
  return demo;
};

const ensure = async (options: SeedingOptions): Promise<DemoCredentials | undefined> => {
  const { progress, directory, stores } = options;
  const recorded = await progress.state();
  const credentials = readDemo(directory);
  if (recorded.state === 'done') {
    return credentials ? update(options, credentials) : renew(options, recorded.fixtures);
  }
  if (recorded.state === 'never') {
    if ((await listInstitutions(stores.catalog)).length > 0) return undefined;
    // Credentials of other data, which no longer exists.
    if (credentials) removeDemo(directory);
    await progress.begin();
  }
  return seed(options);
};

/** Seedings that fail before the start fails. */
const ATTEMPTS = 3;

/**
 * Seeds an installation without institutions, completes an interrupted seeding and the `demo.json` of an earlier
 * release, and writes a lost one again. A seeding that fails, such as on a disk that is slow for seconds, goes on twice.
 * Returns the credentials; undefined for an installation that was set up without demo data. @throws {StartFault} with
 * the reason of a failure, such as a full disk
 */
export const ensureDemo = async (options: SeedingOptions): Promise<DemoCredentials | undefined> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ensure(options);
    } catch (error) {
      if (error instanceof StartFault) throw error;
      const reason = options.trouble?.() ?? (error instanceof Error ? error.message : String(error));
      if (attempt === ATTEMPTS) throw new StartFault(`the demo data cannot be created: ${reason}`);
      options.tell(`interrupted, and goes on: ${reason}`);
    }
  }
};
