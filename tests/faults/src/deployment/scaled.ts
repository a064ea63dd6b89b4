import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@boxoffice/testkit';
import type { Mutation } from '../inside/orders.ts';
import { type Balancer, openBalancer } from './balancer.ts';
import { type Deployment, together } from './deployment.ts';
import { certificateIn } from './embedded.ts';
import { type DataLocation, reachable, settingsOf, setUp, unlimited } from './installation.ts';
import { openLinks, type Target } from './links.ts';
import { type ProductProcess, productProcess } from './process.ts';
import { startBroker, startStoreServer } from './servers.ts';

const PROGRAM = new URL('../../../../deploy/local/src/service.ts', import.meta.url).pathname;
const names = ['authorizer', 'catalog', 'contacts', 'orders', 'tickets', 'events', 'pos'] as const;
const INSTANCES = 2;

type Environment = Readonly<Record<string, string | undefined>>;

/** Why there is no scaled deployment here; undefined if there can be one. */
export const lacksScaledEngines = ({ TEST_MONGODB_URL, TEST_RABBITMQ_CONTROL, FAULTS_AMQP_URL }: Environment) =>
  TEST_MONGODB_URL && (TEST_RABBITMQ_CONTROL || FAULTS_AMQP_URL)
    ? undefined
    : 'the scaled deployment needs TEST_MONGODB_URL and TEST_RABBITMQ_CONTROL';

/** The address of a database on a server: its name is the path of the URL, before the options. */
const databaseAt = (url: string, name: string): string =>
  url.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${name}`);

const secrets = { SERVICE_ROOT_SECRET: randomUUID() + randomUUID(), KEY_ENCRYPTION_KEY: randomUUID() + randomUUID() };

interface ScaledOptions {
  /** Bugs to plant. */
  readonly mutations?: readonly Mutation[] | undefined;
  /** Whether every link between two processes goes through toxiproxy. */
  readonly links?: boolean;
}

/** The instances of a service behind its balancer, whose rotation has those that are ready. */
const instancesOf = async (
  name: string,
  balancer: Balancer,
  common: Readonly<Record<string, string>>,
  mutations: readonly Mutation[],
) => {
  const ports = await freePorts(INSTANCES);
  return ports.map((port, index): ProductProcess => {
    const one = productProcess({
      name: `${name} ${index + 1}`,
      program: [PROGRAM, name],
      mutations,
      settings: { ...common, PORT: `${port}` },
      healthUrl: `http://127.0.0.1:${port}/health/ready`,
    });
    return {
      ...one,
      async start() {
        const started = await one.start();
        if (!started) return undefined;
        balancer.add(port);
        void one.ended().then(() => balancer.remove(port));
        return started;
      },
    };
  });
};

/** Calls in the opposite order of their registration. */
type Closings = (() => Promise<unknown>)[];

const closeAll = async (closings: Closings): Promise<void> => {
  for (const close of closings.splice(0).reverse()) await close();
};

/**
 * MongoDB and RabbitMQ of the environment, two processes of every service behind a balancer, and a gateway. Servers that
 * TEST_RABBITMQ_CONTROL and TEST_MONGODB_CONTROL start belong to it and may be killed.
 */
export const startScaled = async (env: Environment, options: ScaledOptions = {}): Promise<Deployment> => {
  const closings: Closings = [];
  try {
    return await startOn(closings, env, options);
  } catch (error) {
    await closeAll(closings);
    throw error;
  }
};

const startOn = async (
  closings: Closings,
  env: Environment,
  { mutations = [], links: linked = false }: ScaledOptions,
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

  const [https, http] = await freePorts(2);
  const baseUrl = `https://localhost:${https}`;
  const balancers = await Promise.all(names.map(async (name) => [name, keep(await openBalancer())] as const));
  const urls = Object.fromEntries(balancers.map(([name, { url }]) => [name, url])) as Record<
    (typeof names)[number],
    string
  >;
  const ends: Record<Target, string> = { ...urls, store: mongodbUrl, broker: amqpUrl };
  const links = linked ? keep(await openLinks(env, ends)) : undefined;
  const settingsFor = (name: string) => ({
    ...settingsOf(data),
    ...secrets,
    ...Object.fromEntries(names.map((one) => [`${one.toUpperCase()}_URL`, urls[one]])),
    ...reachable,
    ...unlimited,
    PUBLIC_URL: baseUrl,
    SIMULATED_PAYMENTS: 'on',
    ...links?.settingsOf(name),
  });
  const services = new Map<string, ProductProcess[]>();
  for (const [name, balancer] of balancers)
    services.set(name, await instancesOf(name, balancer, settingsFor(name), mutations));
  const gateway = productProcess({
    name: 'gateway',
    program: [PROGRAM, 'gateway'],
    mutations,
    healthUrl: `http://127.0.0.1:${http}/health/ready`,
    settings: { ...settingsFor('gateway'), GATEWAY_PORT: `${https}`, GATEWAY_HTTP_PORT: `${http}` },
  });
  const processes = [...[...services.values()].flat(), gateway];
  closings.push(() => Promise.all(processes.map((process) => process.stop('SIGKILL'))));
  const all = together(processes);
  await all.revive();
  return {
    engines: 'scaled',
    data,
    partner,
    address: { baseUrl, ca: await certificateIn(directory) },
    processes,
    runs: (service) => services.get(service) ?? [gateway],
    broker,
    storeServer,
    links,
    ...all,
    close: () => closeAll(closings),
  };
};
