import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '@boxoffice/testkit';
import { serving as names } from './crash-points.ts';
import {
  combineProcesses,
  type DataLocation,
  type Deployment,
  reachable,
  readCertificate,
  setUp,
  toSettings,
  unlimited,
} from './deployment.ts';
import { type Environment, openLinks, type Target } from './links.ts';
import { createProductProcess, type ProductProcess } from './process.ts';
import { openProvider } from './provider.ts';
import { type Balancer, openBalancer, startBroker, startStoreServer } from './servers.ts';

const PROGRAM = new URL('../inside/services.ts', import.meta.url).pathname;
type Name = (typeof names)[number];

/** Services that share processes, so that a short run starts few: each calls others that do not die with it. */
export const grouped: readonly (readonly Name[])[] = [
  ['authorizer', 'events', 'pos'],
  ['catalog', 'contacts', 'tickets'],
  ['orders', 'payments'],
];
const INSTANCES = 2;

/** Why there is no scaled deployment here; undefined if there can be one. */
export function describeMissingScaledEngines({
  TEST_MONGODB_URL,
  TEST_RABBITMQ_CONTROL,
  FAULTS_AMQP_URL,
}: Environment) {
  return TEST_MONGODB_URL && (TEST_RABBITMQ_CONTROL || FAULTS_AMQP_URL)
    ? undefined
    : 'the scaled deployment needs TEST_MONGODB_URL and TEST_RABBITMQ_CONTROL';
}

const secrets = { SERVICE_ROOT_SECRET: randomUUID() + randomUUID(), KEY_ENCRYPTION_KEY: randomUUID() + randomUUID() };

interface ScaledOptions {
  /** Whether every link between two processes goes through toxiproxy. */
  readonly links?: boolean;
  /** The services of each process; default: each has its own. */
  readonly groups?: readonly (readonly Name[])[];
}

/** Calls in the opposite order of their registration. */
type Closings = (() => Promise<unknown>)[];

/**
 * MongoDB and RabbitMQ of the environment, two processes of every service behind a balancer, and a gateway. Servers
 * that TEST_RABBITMQ_CONTROL and TEST_MONGODB_CONTROL start belong to it and may be killed.
 */
export async function startScaledDeployment(env: Environment, options: ScaledOptions = {}): Promise<Deployment> {
  const closings: Closings = [];
  try {
    return await startOn(closings, env, options);
  } catch (error) {
    await closeAll(closings);
    throw error;
  }
}

/** The address of a database on a server: its name is the path of the URL, before the options. */
const databaseAt = (url: string, name: string): string =>
  url.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${name}`);

/** The instances of services that share processes, behind their balancers: each listens as soon as it can serve. */
const instancesOf = async (
  group: readonly Name[],
  balancers: ReadonlyMap<Name, Balancer>,
  settings: Readonly<Record<string, string>>,
): Promise<ProductProcess[]> => {
  const start = async (_: unknown, index: number): Promise<ProductProcess> => {
    const ports = await findFreePorts(group.length);
    const one = createProductProcess({
      name: `${group.join(' and ')} ${index + 1}`,
      program: [PROGRAM, ...group.map((name, at) => `${name}=${ports[at]}`)],
      settings,
      healthUrls: ports.map((port) => `http://127.0.0.1:${port}/health/ready`),
    });
    return {
      ...one,
      async start() {
        const starting = one.start();
        for (const [at, port] of ports.entries()) {
          const balancer = balancers.get(group[at] as Name);
          balancer?.add(port);
          void one.ended().then(() => balancer?.remove(port));
        }
        return starting;
      },
    };
  };
  return Promise.all(Array.from({ length: INSTANCES }, start));
};

const closeAll = async (closings: Closings): Promise<void> => {
  for (const close of closings.splice(0).reverse()) await close();
};

const startOn = async (
  closings: Closings,
  env: Environment,
  { links: linked = false, groups = names.map((name) => [name]) }: ScaledOptions,
): Promise<Deployment> => {
  const keep = <T extends { close(): Promise<unknown> }>(opened: T): T => {
    closings.push(() => opened.close());
    return opened;
  };
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-faults-'));
  closings.push(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  const { TEST_RABBITMQ_CONTROL: brokerScript, TEST_MONGODB_CONTROL: storeScript } = env;
  const broker = brokerScript ? keep(await startBroker(brokerScript)) : undefined;
  const storeServer = storeScript ? keep(await startStoreServer(storeScript)) : undefined;
  const amqpUrl = broker?.url ?? env.FAULTS_AMQP_URL ?? '';
  const mongodbUrl = databaseAt(storeServer?.url ?? env.TEST_MONGODB_URL ?? '', `faults_${randomUUID().slice(0, 8)}`);
  const data: DataLocation = { directory, mongodbUrl, amqpUrl };
  const partner = await setUp(data);
  const provider = keep(await openProvider(partner.institution));

  const [https, http] = await findFreePorts(2);
  const baseUrl = `https://localhost:${https}`;
  const balancers = new Map<Name, Balancer>();
  for (const name of names) balancers.set(name, keep(await openBalancer()));
  const urls = Object.fromEntries([...balancers].map(([name, { url }]) => [name, url])) as Record<Name, string>;
  const ends: Record<Target, string> = { ...urls, store: mongodbUrl, broker: amqpUrl };
  const links = linked ? keep(await openLinks(env, ends)) : undefined;
  const settingsFor = (name: string) => ({
    ...toSettings(data),
    ...secrets,
    ...provider.settings,
    ...Object.fromEntries(names.map((one) => [`${one.toUpperCase()}_URL`, urls[one]])),
    ...reachable,
    ...unlimited,
    PUBLIC_URL: baseUrl,
    SIMULATED_PAYMENTS: 'on',
    ...links?.settingsOf(name),
  });
  const services = new Map<string, ProductProcess[]>();
  for (const group of groups) {
    const instances = await instancesOf(group, balancers, settingsFor(String(group[0])));
    for (const name of group) services.set(name, instances);
  }
  const gateway = createProductProcess({
    name: 'gateway',
    program: [PROGRAM, 'gateway'],
    healthUrls: [`http://127.0.0.1:${http}/health/ready`],
    settings: { ...settingsFor('gateway'), GATEWAY_PORT: `${https}`, GATEWAY_HTTP_PORT: `${http}` },
  });
  const processes = [...new Set([...services.values()].flat()), gateway];
  closings.push(() => Promise.all(processes.map((process) => process.stop('SIGKILL'))));
  const all = combineProcesses(processes);
  await all.revive();
  return {
    engines: 'scaled',
    data,
    partner,
    address: { baseUrl, ca: await readCertificate(directory) },
    processes,
    runs: (service) => services.get(service) ?? [gateway],
    broker,
    storeServer,
    provider,
    links,
    ...all,
    close: () => closeAll(closings),
  };
};
