import { setTimeout as pause } from 'node:timers/promises';
import { changeReceipt, createInstitution, listInstitutions } from '@boxoffice/catalog';
import { StartFault } from '@boxoffice/runtime';
import { collection, type Document, insertUnlessTaken, type Store, StoreUnavailable } from '@boxoffice/store';
import { moveClients, registerApiKey, registerApiUsers, registerClients, registerUsers } from './accounts.ts';
import { type FixtureIds, stockCatalogue } from './catalogue.ts';
import { type Addresses, type DemoCredentials, readDemo, removeDemo, writeDemo } from './credentials.ts';
import { type DemoInstitution, museum, opera } from './institutions.ts';
import { createShopKeeper, RefusedCall, type ShopKeeperOptions } from './shop-keeper.ts';

type AllFixtures = Readonly<Record<string, FixtureIds>>;

type SeedingState =
  | { readonly state: 'never' }
  | { readonly state: 'started' }
  | { readonly state: 'done'; readonly fixtures: AllFixtures };

type SeedingRecord = Document & Exclude<SeedingState, { readonly state: 'never' }>;

const records = collection<SeedingRecord>('demo', []);

export const progressCollections = [records];

/** Stored with the data, so that it is true for any data directory. */
export type Progress = ReturnType<typeof openProgress>;

const ID = 'seeding';

export function openProgress(store: Store) {
  const documents = store.collection(records).of('installation');
  return {
    state: async (): Promise<SeedingState> => (await documents.get(ID)) ?? { state: 'never' },
    async begin(): Promise<void> {
      await insertUnlessTaken(documents, { id: ID, state: 'started' });
    },
    async finish(fixtures: AllFixtures): Promise<void> {
      await documents.update(ID, () => ({ next: { id: ID, state: 'done', fixtures } }));
    },
  };
}

const institutions: readonly DemoInstitution[] = [opera, museum];

export function formatDoorClientIds({ clients }: Pick<DemoCredentials, 'clients'>): string {
  return institutions
    .flatMap(({ id, name }) =>
      clients
        .filter((client) => client.institution === id && client.name === 'door')
        .map(({ clientId }) => `${name}=${clientId}`),
    )
    .join(',');
}

interface SeedingOptions extends Pick<ShopKeeperOptions, 'urls' | 'serviceRootSecret'> {
  readonly stores: { readonly authorizer: Store; readonly catalog: Store; readonly pos: Store };
  readonly progress: Progress;
  /** The folder of `demo.json`. */
  readonly directory: string;
  readonly addresses: Addresses;
  readonly now: Date;
  readonly tell: (what: string) => void;
  /** The services' last logged error: their responses do not reveal a full disk. */
  readonly trouble?: () => string | undefined;
  /** Called once it is certain that the installation has demo data, before anything of it is made. */
  readonly onBegin?: () => void;
  /** A server that others run, as messages name it: while it does not answer, the seeding waits. */
  readonly waitsFor?: string | undefined;
  readonly signal?: AbortSignal;
}

/** Seedings that fail before the start fails. */
const ATTEMPTS = 3;

/** Pauses between attempts while a server does not answer: at first, and at most. */
const PAUSE_MS = { first: 250, longest: 5_000 } as const;

/**
 * Completes an interrupted seeding, and writes a lost `demo.json` again. A failing one goes on twice, and for as long
 * as the server of `waitsFor` does not answer. Undefined for an installation that was set up without demo data.
 * @throws {StartFault} with the reason, such as a full disk
 */
export async function ensureDemo(options: SeedingOptions): Promise<DemoCredentials | undefined> {
  const { tell, trouble, waitsFor, signal } = options;
  let failures = 0;
  for (let pauseMs: number = PAUSE_MS.first; ; ) {
    try {
      return await ensure(options);
    } catch (error) {
      if (error instanceof StartFault || signal?.aborted) throw error;
      const reason = trouble?.() ?? (error instanceof Error ? error.message : String(error));
      if (waitsFor !== undefined && isPassing(error)) {
        tell(`waiting for ${waitsFor}: ${reason}`);
        await pause(pauseMs, undefined, { signal });
        pauseMs = Math.min(2 * pauseMs, PAUSE_MS.longest);
      } else {
        failures += 1;
        if (failures === ATTEMPTS) throw new StartFault(`the demo data cannot be created: ${reason}`);
        tell(`interrupted, and goes on: ${reason}`);
      }
    }
  }
}

const ensure = async (options: SeedingOptions): Promise<DemoCredentials | undefined> => {
  const { progress, directory, stores } = options;
  const recorded = await progress.state();
  const credentials = readDemo(directory);
  if (recorded.state === 'done') {
    return credentials ? followAddresses(options, credentials) : seed(options, recorded.fixtures);
  }
  if (recorded.state === 'never') {
    if ((await listInstitutions(stores.catalog)).length > 0) return undefined;
    // Credentials of other data, which no longer exists.
    if (credentials) removeDemo(directory);
    await progress.begin();
  }
  return seed(options);
};

const followAddresses = async (
  { directory, addresses, stores }: SeedingOptions,
  stored: DemoCredentials,
): Promise<DemoCredentials> => {
  const { baseUrl, posUrl, caFile } = addresses;
  if (stored.baseUrl === baseUrl && stored.posUrl === posUrl && stored.caFile === caFile) return stored;
  const demo = { ...stored, ...addresses, clients: await moveClients(stores.authorizer, stored.clients, baseUrl) };
  writeDemo(directory, demo);
  return demo;
};

/** Only registers everybody again if the fixtures are known. The credentials come last: then the data is complete. */
const seed = async (options: SeedingOptions, known?: AllFixtures): Promise<DemoCredentials> => {
  const { stores, progress, directory, addresses, onBegin } = options;
  onBegin?.();
  const existing = await listInstitutions(stores.catalog);
  const seeded: Awaited<ReturnType<typeof seedInstitution>>[] = [];
  for (const institution of institutions) {
    const { id, name, currency, languages, receipt } = institution;
    if (!existing.some((one) => one.id === id))
      await createInstitution(stores.catalog, { id, name, currency, languages: [...languages], demo: true });
    await changeReceipt(stores.catalog, id, (known) => known ?? receipt);
    seeded.push(await seedInstitution(options, institution, known?.[id]));
  }
  const fixtures = Object.fromEntries(seeded.map((one) => [one.id, one.fixtures]));
  const demo: DemoCredentials = {
    ...addresses,
    clients: seeded.flatMap(({ clients }) => clients),
    apiKeys: seeded.map(({ apiKey }) => apiKey),
    pointsOfSale: institutions.map(({ id, serviceHost, languages, currency }) => ({
      serviceHost,
      institution: id,
      languages,
      currency,
    })),
    users: seeded.flatMap(({ users }) => users),
    apiUsers: seeded.flatMap(({ apiUsers }) => apiUsers),
    codes: institutions.flatMap(({ id, discounts = [] }) =>
      discounts.flatMap(({ name, codes = [] }) =>
        codes.map(({ code }) => ({ institution: id, code, discount: String(name.en) })),
      ),
    ),
    fixtures,
  };
  writeDemo(directory, demo);
  if (!known) await progress.finish(fixtures);
  return demo;
};

const seedInstitution = async (options: SeedingOptions, institution: DemoInstitution, known?: FixtureIds) => {
  const { stores, addresses } = options;
  const { id } = institution;
  const clients = await registerClients(stores.authorizer, institution, addresses.baseUrl);
  const full = clients.find(({ name }) => name === 'full');
  if (full?.clientSecret === undefined) throw new Error('the demo data lacks a client for the seeding');
  const { clientId, clientSecret } = full;
  const keeper = await createShopKeeper({ ...options, clientId, clientSecret });
  const fixtures = known ?? (await stockCatalogue(keeper, institution, options));
  const users = await registerUsers(stores.pos, institution, keeper);
  // The user of the role customer is the first user of the point of sale.
  const contactNumber = String(users[0]?.contactNumber);
  const customer = { institution: id, publicUrl: addresses.baseUrl, contactNumber };
  const apiUsers = await registerApiUsers(stores.authorizer, customer);
  return { id, clients, apiKey: await registerApiKey(stores.authorizer, id), fixtures, users, apiUsers };
};

const isPassing = (error: unknown): boolean =>
  error instanceof StoreUnavailable || (error instanceof RefusedCall && error.passes);
