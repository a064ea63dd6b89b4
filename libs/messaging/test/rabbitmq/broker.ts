import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, test } from '@jest/globals';
import amqp, { type ConfirmChannel } from 'amqplib';

/** The broker of the run; undefined if there is none. */
export const brokerUrl = process.env.TEST_AMQP_URL || undefined;

/** Declares a suite that needs a broker, or a skipped test with the reason. */
export const describeWithBroker = (name: string, suite: (url: string) => void): void => {
  if (brokerUrl !== undefined) describe(name, () => suite(brokerUrl));
  else describe(name, () => test.skip('not exercised: TEST_AMQP_URL names no RabbitMQ', () => {}));
};

/** Runs `work` with a channel of its own, apart from the code under test. */
export const onChannel = async <T>(url: string, work: (channel: ConfirmChannel) => Promise<T>): Promise<T> => {
  const connection = await amqp.connect(url);
  connection.on('error', () => {});
  try {
    const channel = await connection.createConfirmChannel();
    channel.on('error', () => {});
    return await work(channel);
  } finally {
    await connection.close();
  }
};

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
export const openProxy = async (url: string): Promise<BrokerProxy> => {
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
};
