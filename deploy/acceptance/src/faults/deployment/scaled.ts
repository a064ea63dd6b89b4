import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@boxoffice/testkit';
import type { Mutation } from '../inside/orders.ts';
import { type Balancer, openBalancer } from './balancer.ts';
import { type Deployment, together } from './deployment.ts';
import { certificateIn } from './embedded.ts';
import { type DataLocation, settingsOf, setUp, unlimited } from './installation.ts';
import { type ProductProcess, productProcess } from './process.ts';
import { startBroker } from './rabbitmq.ts';

const PROGRAM = new URL('../../../../local/src/service.ts', import.meta.url).pathname;
const names = ['authorizer', 'catalog', 'contacts', 'orders', 'tickets', 'pos'] as const;
const INSTANCES = 2;

/** The engines of the scaled deployment; undefined where the environment lacks one. */
export interface ScaledEngines {
  readonly mongodbUrl: string;
  readonly rabbitmqControl: string;
}

/** The engines that the environment names. */
export const scaledEngines = (env: Readonly<Record<string, string | undefined>>): ScaledEngines | undefined => {
  const { TEST_MONGODB_URL: mongodbUrl, TEST_RABBITMQ_CONTROL: rabbitmqControl } = env;
  return mongodbUrl && rabbitmqControl ? { mongodbUrl, rabbitmqControl } : undefined;
};

/** The reason for skipping the scaled deployment. */
export const NO_SCALED_ENGINES = 'the scaled deployment needs TEST_MONGODB_URL and TEST_RABBITMQ_CONTROL';

const secrets = { SERVICE_ROOT_SECRET: randomUUID() + randomUUID(), KEY_ENCRYPTION_KEY: randomUUID() + randomUUID() };

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

/**
 * MongoDB and RabbitMQ, two processes of every service behind a balancer, and a gateway, with these bugs planted;
 * `limits` are its rate limits.
 */
export const startScaled = async (
  { mongodbUrl, rabbitmqControl }: ScaledEngines,
  settings: Readonly<Record<string, string>> = {},
  limits: Readonly<Record<string, string>> = unlimited,
  mutations: readonly Mutation[] = [],
): Promise<Deployment> => {
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-faults-'));
  const broker = await startBroker(rabbitmqControl);
  const prefix = `faults_${randomUUID().slice(0, 8)}`;
  const data: DataLocation = { directory, mongodbUrl: `${mongodbUrl}/${prefix}`, amqpUrl: broker.url };
  const partner = await setUp(data);

  const [https, http] = await freePorts(2);
  const baseUrl = `https://localhost:${https}`;
  const balancers = await Promise.all(names.map(async (name) => [name, await openBalancer()] as const));
  const addresses = Object.fromEntries(balancers.map(([name, { url }]) => [`${name.toUpperCase()}_URL`, url]));
  const common = {
    ...settingsOf(data),
    ...secrets,
    ...addresses,
    ...limits,
    PUBLIC_URL: baseUrl,
    SIMULATED_PAYMENTS: 'on',
    ...settings,
  };
  const services = new Map<string, ProductProcess[]>();
  for (const [name, balancer] of balancers) services.set(name, await instancesOf(name, balancer, common, mutations));
  const gateway = productProcess({
    name: 'gateway',
    program: [PROGRAM, 'gateway'],
    mutations,
    healthUrl: `http://127.0.0.1:${http}/health/ready`,
    settings: {
      ...common,
      GATEWAY_PORT: `${https}`,
      GATEWAY_HTTP_PORT: `${http}`,
    },
  });
  const processes = [...[...services.values()].flat(), gateway];
  const all = together(processes);
  const close = async (): Promise<void> => {
    await Promise.all(processes.map((process) => process.stop('SIGKILL')));
    await Promise.all(balancers.map(([, balancer]) => balancer.close()));
    await broker.stop();
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await all.revive();
    const address = { baseUrl, ca: await certificateIn(directory) };
    return {
      engines: 'scaled',
      data,
      partner,
      address,
      processes,
      runs: (service) => services.get(service) ?? [gateway],
      broker,
      ...all,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};
