import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Engine, probes, silent } from '@boxoffice/messaging/conformance';
import { describe, test } from '@jest/globals';
import amqp, { type ConfirmChannel } from 'amqplib';
import { type Bus, connectRabbitmq, listFacts, type RabbitmqOptions } from '../../src/index.ts';
import {
  createPlan,
  listTopologyMarks,
  nameDeadQueue,
  nameExchange,
  nameMovesExchange,
  nameRetryQueue,
  nameWorkQueue,
  type Plan,
} from '../../src/rabbitmq/names.ts';

/** The broker of the run; undefined if there is none. */
export const brokerUrl = process.env.TEST_AMQP_URL || undefined;

type Fixture = Awaited<ReturnType<typeof openFixture>>;

/** Declares a test with separate exchanges and queues. */
type FixtureTest = (
  title: string,
  work: (fixture: Fixture) => Promise<void>,
  settings?: Partial<RabbitmqOptions>,
) => void;

/** Declares a suite that needs a broker, or a skipped test with the reason. */
export function describeWithBroker(name: string, suite: (url: string, test: FixtureTest) => void): void {
  describe(name, () => {
    if (brokerUrl === undefined) return test.skip('not exercised: TEST_AMQP_URL names no RabbitMQ', () => {});
    suite(brokerUrl, (title, work, settings) =>
      test(title, async () => {
        const fixture = await openFixture(brokerUrl, settings);
        await work(fixture).finally(fixture.close);
      }),
    );
  });
}

/** Runs `work` with a channel of its own, apart from the code under test. */
export async function runOnChannel<T>(url: string, work: (channel: ConfirmChannel) => Promise<T>): Promise<T> {
  const connection = await amqp.connect(url);
  connection.on('error', () => {});
  try {
    const channel = await connection.createConfirmChannel();
    channel.on('error', () => {});
    return await work(channel);
  } finally {
    await connection.close();
  }
}

/** A TCP proxy to the broker that can be cut. */
export interface BrokerProxy {
  readonly url: string;
  /** Resets every connection and accepts none until `mend`. */
  cut(): void;
  mend(): void;
  /** Passes no more data on the open connections, without closing them: a silent broker. */
  freeze(): void;
  /** The number of chunks passed, both proxies. */
  readonly pieces: number;
  /** Cuts after this many more chunks. */
  cutAfter(pieces: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens a proxy to the broker on a free port. */
export async function openProxy(url: string): Promise<BrokerProxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let passable = true;
  const frozen = new WeakSet<Socket>();
  let pieces = 0;
  let watcher: (() => void) | undefined;
  const server = createServer((near) => {
    if (!passable) return void near.destroy();
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.on('data', (chunk) => {
        if (!frozen.has(one)) other.write(chunk);
        pieces++;
        watcher?.();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = new URL(url);
  proxy.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cut = () => {
    passable = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: proxy.toString(),
    cut,
    mend() {
      passable = true;
    },
    freeze() {
      for (const socket of sockets) frozen.add(socket);
    },
    get pieces() {
      return pieces;
    },
    cutAfter: (count) =>
      new Promise((resolve) => {
        const from = pieces;
        watcher = () => {
          if (pieces - from < count) return;
          watcher = undefined;
          cut();
          resolve();
        };
        watcher();
      }),
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** RabbitMQ with separate exchanges and queues; a process is a bus behind its own proxy, and killed by cutting it. */
export function createRabbitmqEngine(url: string): Engine {
  return {
    async open(settings) {
      const prefix = ownPrefix();
      const buses: Bus[] = [];
      const proxies: BrokerProxy[] = [];
      return {
        async start() {
          const proxy = await openProxy(url);
          proxies.push(proxy);
          const bus = await connectRabbitmq({ ...settings, url: proxy.url, prefix });
          buses.push(bus);
          return { bus, kill: async () => proxy.cut() };
        },
        async remove() {
          await Promise.all(buses.map((bus) => bus.close()));
          for (const proxy of proxies) await proxy.close();
          await removeAll(url, createPlan({ ...settings, prefix }));
        },
      };
    },
  };
}

/** A prefix that no other test uses. */
const ownPrefix = (): string => `test-${randomBytes(6).toString('hex')}.`;

/** Deletes all exchanges and queues of a plan from the broker. */
const removeAll = (url: string, plan: Plan): Promise<void> =>
  runOnChannel(url, async (channel) => {
    const { queues } = plan.declared;
    const names = queues.flatMap(({ name }) => [
      nameWorkQueue(name, plan),
      nameDeadQueue(name, plan),
      ...plan.retryDelaysMs.map((delayMs) => nameRetryQueue(name, delayMs, plan)),
    ]);
    const exchanges = [
      ...queues.map(({ name }) => nameMovesExchange(name, plan)),
      ...listTopologyMarks(plan),
      ...new Set(listFacts(plan.declared).map((type) => nameExchange(type, plan))),
    ];
    await Promise.all([
      ...names.map((name) => channel.deleteQueue(name)),
      ...exchanges.map((name) => channel.deleteExchange(name)),
    ]);
  });

/** Whether a promise is fulfilled. */
export function isFulfilled(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  );
}

/** Separate exchanges and queues for one test: buses behind proxies that can be cut. */
const openFixture = async (url: string, settings: Partial<RabbitmqOptions> = {}) => {
  const prefix = ownPrefix();
  const options = { url, prefix, logger: silent, retryDelaysMs: [40, 80, 160], declared: probes, ...settings };
  const plan = createPlan(options);
  const closers: (() => Promise<void>)[] = [];
  return {
    plan,
    options,
    /** Starts another process. */
    async start(own: Partial<RabbitmqOptions> = {}) {
      const proxy = await openProxy(url);
      closers.push(() => proxy.close());
      const bus = await connectRabbitmq({ ...options, url: proxy.url, ...own });
      closers.push(() => bus.close());
      return { bus, proxy };
    },
    async close() {
      for (const close of closers.reverse()) await close();
      await removeAll(url, plan);
    },
  };
};
