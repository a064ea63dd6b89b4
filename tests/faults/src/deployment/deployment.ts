import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorizer, createClient, SCOPES } from '@boxoffice/authorizer';
import { catalog, createInstitution } from '@boxoffice/catalog';
import { createLogger } from '@boxoffice/runtime';
import { type Engines, openEngines } from '@boxoffice/service';
import { type Address, findFreePorts } from '@boxoffice/testkit';
import type { Modes, Mutation } from '../inside/orders.ts';
import type { ServiceName } from './crash-points.ts';
import type { Links } from './links.ts';
import { createProductProcess, type ProductProcess, type Start } from './process.ts';
import { openProvider, type PaymentProvider } from './provider.ts';
import type { Broker, Server } from './servers.ts';

// Deployments of the product whose processes and engines the harness starts, kills and revives.

/** `embedded`: SQLite and the in-process bus, in one process. `scaled`: MongoDB and RabbitMQ, two of each service. */
export type EnginesName = 'embedded' | 'scaled';

/** The product, started from its own programs, with an institution that has nothing on sale yet. */
export interface Deployment {
  readonly engines: EnginesName;
  readonly data: DataLocation;
  /** Of the gateway. */
  readonly address: Address;
  readonly partner: Partner;
  /** Every process that may be killed. */
  readonly processes: readonly ProductProcess[];
  /** The processes that run the service; in the embedded deployment one process runs all services. */
  runs(service: ServiceName): readonly ProductProcess[];
  /** Undefined with the in-process bus, and where the broker belongs to others. */
  readonly broker?: Broker | undefined;
  /** Undefined where the store belongs to others, or is embedded. */
  readonly storeServer?: Server | undefined;
  /** The payment provider, which lives beside the product. */
  readonly provider: PaymentProvider;
  /** Undefined unless the deployment was started with links. */
  readonly links?: Links | undefined;
  /** Starts those of the processes (default: all) that have ended; resolves with their starts when they are ready. */
  revive(processes?: readonly ProductProcess[]): Promise<Start[]>;
  /** Changes the engines' modes in all processes, also for their next starts. */
  behave(modes: Modes): Promise<void>;
  /** The facts that have arrived at the running processes since the last call, as `<queue> <id>`. */
  arrived(): Promise<readonly string[]>;
  /** The files of the mutations that took effect in any running process. */
  planted(): Promise<ReadonlySet<string>>;
  /** Ends all processes and removes the data. */
  close(): Promise<void>;
}

/** The operations on processes that both deployments share. */
export function combineProcesses(
  processes: readonly ProductProcess[],
): Pick<Deployment, 'revive' | 'behave' | 'arrived' | 'planted'> {
  return {
    revive: async (which = processes) =>
      (await Promise.all(which.map((process) => process.start()))).flatMap((started) => started ?? []),
    behave: async (modes) => void (await Promise.all(processes.map((process) => process.behave(modes)))),
    arrived: async () => (await Promise.all(processes.map((process) => process.arrived()))).flat(),
    planted: async () => new Set((await Promise.all(processes.map((process) => process.planted()))).flat()),
  };
}

/** Where an installation has its data: files in the directory, or the named servers. */
export interface DataLocation {
  readonly directory: string;
  readonly mongodbUrl: string | undefined;
  readonly amqpUrl: string | undefined;
}

/** The client of an institution, with every permission. */
export type Partner = Awaited<ReturnType<typeof setUp>>;

/** The settings that name the location of the data. */
export function toSettings({ directory, mongodbUrl, amqpUrl }: DataLocation): Record<string, string> {
  return {
    BOXOFFICE_DATA_DIR: directory,
    ...(mongodbUrl === undefined ? {} : { MONGODB_URL: mongodbUrl }),
    ...(amqpUrl === undefined ? {} : { AMQP_URL: amqpUrl }),
  };
}

/** Settings without rate limits: the harness is one client, and one address unless its request names another. */
export const unlimited: Readonly<Record<string, string>> = {
  TRUST_PROXY: '1',
  RATE_LIMIT_PER_MINUTE: '10000000',
  ADDRESS_LIMIT_PER_MINUTE: '10000000',
  POS_RATE_LIMIT_PER_MINUTE: '10000000',
  POS_HELD_PLACES_PER_ADDRESS: '100000',
  POS_HELD_PLACES_PER_LOGIN: '100000',
};

/** Webhooks of the harness are received on loopback. */
export const reachable: Readonly<Record<string, string>> = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };

/** Opens the stores and the bus of an installation, also while the product runs, as the operator's program does. */
export function openStores(data: DataLocation): Promise<Engines> {
  return openEngines({ ...data, logger: createLogger({ service: 'faults', level: 'error' }) });
}

/** Creates an institution and its client, with every permission, as an operator does at any time. */
export async function setUp(data: DataLocation) {
  const institution = 'opera';
  const engines = await openStores({ ...data, amqpUrl: undefined });
  try {
    const catalogStore = await engines.store(catalog.name, catalog.collections);
    await createInstitution(catalogStore, { id: institution, name: institution, currency: 'CHF', languages: ['en'] });
    const clients = await engines.store(authorizer.name, authorizer.collections);
    const made = await createClient(clients, { institution, name: 'faults', scopes: [...SCOPES] });
    return { institution, clientId: made.clientId, clientSecret: made.clientSecret };
  } finally {
    await engines.close();
  }
}

const MAIN = new URL('../../../../deploy/local/src/main.ts', import.meta.url).pathname;

/** The file of the certificate that clients of a product on its own data directory trust. */
export function readCertificate(directory: string): Promise<string> {
  return readFile(join(directory, 'development-certificate.pem'), 'utf8');
}

/** A new data directory of an installation on SQLite. */
export async function createEmptyDirectory(): Promise<DataLocation> {
  return {
    directory: await mkdtemp(join(tmpdir(), 'boxoffice-faults-')),
    mongodbUrl: undefined,
    amqpUrl: undefined,
  };
}

/**
 * `npm start` as one process on SQLite and the in-process bus, without rate limits and with these bugs planted; on a
 * new installation unless there is one, which `close` removes as well.
 */
export async function startEmbeddedDeployment(
  mutations: readonly Mutation[] = [],
  existing?: Pick<Deployment, 'data' | 'partner'>,
): Promise<Deployment> {
  const data = existing?.data ?? (await createEmptyDirectory());
  const { directory } = data;
  const partner = existing?.partner ?? (await setUp(data));
  const [https, http] = await findFreePorts(2);
  const provider = await openProvider(partner.institution);
  const whole = createProductProcess({
    name: 'npm start',
    program: [MAIN],
    mutations,
    healthUrls: [`http://127.0.0.1:${http}/health/ready`],
    settings: {
      ...toSettings(data),
      BOXOFFICE_DEMO: 'off',
      ...provider.settings,
      GATEWAY_PORT: `${https}`,
      GATEWAY_HTTP_PORT: `${http}`,
      ...reachable,
      ...unlimited,
    },
  });
  const close = async (): Promise<void> => {
    await whole.stop('SIGKILL');
    await provider.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await whole.start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    engines: 'embedded',
    data,
    partner,
    address: { baseUrl: `https://localhost:${https}`, ca: await readCertificate(directory) },
    processes: [whole],
    runs: () => [whole],
    provider,
    ...combineProcesses([whole]),
    close,
  };
}
