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
import { openLinks } from './links/index.ts';
import type { Target } from './links/pairs.ts';
import { lacksToxiproxy, toxiproxyProgram } from './links/toxiproxy.ts';
import { openWriteGate } from './links/write-gate.ts';
import { startStoreServer } from './mongodb.ts';
import { type ProductProcess, productProcess } from './process.ts';
import { startBroker } from './rabbitmq.ts';

const PROGRAM = new URL('../../../../deploy/local/src/service.ts', import.meta.url).pathname;
const names = ['authorizer', 'catalog', 'contacts', 'orders', 'tickets', 'events', 'pos'] as const;
const INSTANCES = 2;

/** The engines of the scaled deployment; undefined where the environment lacks one. */
export interface ScaledEngines {
  readonly mongodbUrl: string;
  /** A script that starts and kills nodes, or the address of a broker that the harness leaves alone. */
  readonly rabbitmq: { readonly control: string } | { readonly url: string };
}

/** The engines that the environment names. */
export const scaledEngines = (env: Readonly<Record<string, string | undefined>>): ScaledEngines | undefined => {
  const { TEST_MONGODB_URL: mongodbUrl, TEST_RABBITMQ_CONTROL: control, FAULTS_AMQP_URL: url } = env;
  const rabbitmq = control ? { control } : url ? { url } : undefined;
  return mongodbUrl && rabbitmq ? { mongodbUrl, rabbitmq } : undefined;
};

/** The reason for skipping the scaled deployment. */
export const NO_SCALED_ENGINES = 'the scaled deployment needs TEST_MONGODB_URL and TEST_RABBITMQ_CONTROL';

/** Why the broker cannot be killed here; undefined if it can. */
export const lacksBrokerControl = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  env.TEST_RABBITMQ_CONTROL ? undefined : 'the broker is killed by the script that TEST_RABBITMQ_CONTROL names';

/** Why links to the store cannot be damaged here; undefined if they can. */
export const lacksLinks = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  /^mongodb\+srv:|,|[?&]replicaSet=/i.test(env.TEST_MONGODB_URL ?? '')
    ? 'the driver connects to the members of a replica set by itself, past toxiproxy'
    : lacksToxiproxy(env);

/** The address of a database on a server: its name is the path of the URL, before the options. */
const databaseAt = (url: string, name: string): string =>
  url.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${name}`);

/** The same. @throws {Error} where the environment lacks one */
export const needScaledEngines = (env: Readonly<Record<string, string | undefined>>): ScaledEngines => {
  const engines = scaledEngines(env);
  if (!engines) throw new Error(NO_SCALED_ENGINES);
  return engines;
};

const secrets = { SERVICE_ROOT_SECRET: randomUUID() + randomUUID(), KEY_ENCRYPTION_KEY: randomUUID() + randomUUID() };

export interface ScaledOptions {
  /** Bugs to plant. */
  readonly mutations?: readonly Mutation[] | undefined;
  /** Whether every link between two processes goes through toxiproxy. */
  readonly links?: boolean;
  /** Whether a gate before the store can refuse writes. */
  readonly writeGate?: boolean;
  /** Starts a store server of its own with the script that TEST_MONGODB_CONTROL names. */
  readonly mongodbControl?: string | undefined;
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

/** What was opened, closed in the opposite order. */
const createStack = () => {
  const closings: (() => Promise<unknown>)[] = [];
  return {
    /** Closes `opened` with the others. */
    keep<T>(opened: T, close: (opened: T) => Promise<unknown>): T {
      closings.unshift(() => close(opened));
      return opened;
    },
    async close(): Promise<void> {
      for (const close of closings.splice(0)) await close();
    },
  };
};

/** MongoDB and RabbitMQ, two processes of every service behind a balancer, and a gateway. */
export const startScaled = async (engines: ScaledEngines, options: ScaledOptions = {}): Promise<Deployment> => {
  const stack = createStack();
  try {
    return await startOn(stack, engines, options);
  } catch (error) {
    await stack.close();
    throw error;
  }
};

const startOn = async (
  { keep, close }: ReturnType<typeof createStack>,
  engines: ScaledEngines,
  options: ScaledOptions,
): Promise<Deployment> => {
  const directory = keep(await mkdtemp(join(tmpdir(), 'boxoffice-faults-')), (made) =>
    rm(made, { recursive: true, force: true, maxRetries: 5 }),
  );
  const { rabbitmq } = engines;
  const broker = 'control' in rabbitmq ? keep(await startBroker(rabbitmq.control), (one) => one.stop()) : undefined;
  const amqpUrl = broker?.url ?? ('url' in rabbitmq ? rabbitmq.url : '');
  const { mongodbControl, mutations = [] } = options;
  const storeServer =
    mongodbControl === undefined ? undefined : keep(await startStoreServer(mongodbControl), (one) => one.stop());
  const storeUrl = storeServer?.url ?? engines.mongodbUrl;
  const prefix = `faults_${randomUUID().slice(0, 8)}`;
  const data: DataLocation = { directory, mongodbUrl: databaseAt(storeUrl, prefix), amqpUrl };
  const partner = await setUp(data);
  const writeGate = options.writeGate ? keep(await openWriteGate(storeUrl), (gate) => gate.close()) : undefined;

  const [https, http] = await freePorts(2);
  const baseUrl = `https://localhost:${https}`;
  const balancers = await Promise.all(
    names.map(async (name) => [name, keep(await openBalancer(), (balancer) => balancer.close())] as const),
  );
  const urls = Object.fromEntries(balancers.map(([name, { url }]) => [name, url])) as Record<
    (typeof names)[number],
    string
  >;
  const ends: Record<Target, string> = {
    ...urls,
    store: databaseAt(writeGate?.url ?? storeUrl, prefix),
    broker: amqpUrl,
  };
  const links = options.links
    ? keep(await openLinks(toxiproxyProgram(process.env), ends), (all) => all.close())
    : undefined;
  const addresses = Object.fromEntries(names.map((name) => [`${name.toUpperCase()}_URL`, urls[name]]));
  const settingsFor = (name: string) => ({
    ...settingsOf({ ...data, mongodbUrl: ends.store }),
    ...secrets,
    ...addresses,
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
    settings: {
      ...settingsFor('gateway'),
      GATEWAY_PORT: `${https}`,
      GATEWAY_HTTP_PORT: `${http}`,
    },
  });
  const processes = keep([...[...services.values()].flat(), gateway], (all) =>
    Promise.all(all.map((process) => process.stop('SIGKILL'))),
  );
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
    ...(storeServer === undefined ? {} : { storeServer }),
    ...(links === undefined ? {} : { links }),
    ...(writeGate === undefined ? {} : { writeGate }),
    ...all,
    close,
  };
};
