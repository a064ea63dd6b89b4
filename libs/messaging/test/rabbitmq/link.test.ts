import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { silent, waitUntil } from '@boxoffice/messaging/conformance';
import { expect, test } from '@jest/globals';
import type { ConfirmChannel } from 'amqplib';
import { connectRabbitmq } from '../../src/index.ts';
import { type Link, openLink } from '../../src/rabbitmq/link.ts';
import { type BrokerProxy, describeWithBroker, openProxy } from './broker.ts';

/** Runs a test with a link behind its own proxy. */
const throughProxy =
  (url: string, work: (link: Link, proxy: BrokerProxy) => Promise<void>, query = '') =>
  async () => {
    const proxy = await openProxy(url);
    const limits = { openingMs: 500, closingMs: 200 };
    const link = await openLink({ url: `${proxy.url}${query}`, name: 'test', logger: silent, ...limits });
    try {
      await work(link, proxy);
    } finally {
      await link.close();
      await proxy.close();
    }
  };

describeWithBroker('a connection to RabbitMQ', (url) => {
  test(
    'that falls silent while its channels are opened is closed and replaced',
    throughProxy(
      url,
      async (link, proxy) => {
        let attempts = 0;
        const open = async (channel: ConfirmChannel) => {
          attempts++;
          if (attempts === 1) proxy.freeze();
          await channel.prefetch(1);
        };
        await link.attach({ name: 'test', open, onLost() {} }, 0);
        await waitUntil('another channel', () => attempts >= 2 && link.isUp());
        await link.waitUntilEstablished(60_000);
      },
      '?heartbeat=1',
    ),
  );

  test(
    'that is cut at any moment of its opening is reopened',
    throughProxy(url, async (link, proxy) => {
      let opened = 0;
      const open = async (channel: ConfirmChannel) => {
        await channel.prefetch(1);
        opened++;
      };
      await link.attach({ name: 'test', open, onLost() {} }, 60_000);
      const pieces = proxy.pieces;
      for (let moment = 0; moment <= pieces; moment += 3) {
        proxy.cut();
        proxy.mend();
        await proxy.cutAfter(moment);
        const before = opened;
        proxy.mend();
        await waitUntil(`an opening after cut ${moment}`, () => opened > before && link.isUp());
      }
      expect(pieces).toBeGreaterThan(5);
    }),
  );

  test(
    'closes in time although the broker is silent',
    throughProxy(url, async (link, proxy) => {
      await link.waitUntilEstablished(60_000);
      proxy.freeze();
      await link.close();
    }),
  );
});

const failureOf = (url: string, connectTimeoutMs = 500): Promise<string> =>
  connectRabbitmq({ url, logger: silent, connectTimeoutMs }).then(
    () => 'connected',
    (error: Error) => error.message,
  );

test('a broker that accepts the connection and does not answer is named with that reason', async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await failureOf(`amqp://${host}`)).toBe(
    `RabbitMQ at ${host} accepted the connection and did not answer within 0.5 s`,
  );
  for (const socket of sockets) socket.destroy();
  server.close();
});

test('an unreachable broker is named with the error', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.close();
  await once(server, 'close');
  // Long enough for the first attempt to fail before, on any machine.
  const failure = await failureOf(`amqp://${host}`, 4_000);
  expect(failure).toMatch(`RabbitMQ at ${host} cannot be reached: connect ECONNREFUSED`);
});

test('an address of another protocol is refused', async () => {
  expect(await failureOf('http://127.0.0.1:1')).toMatch('must begin with amqp://');
});

describeWithBroker('a running broker', (url) => {
  test('that refuses the login is named with the reason, at once and without the password', async () => {
    const address = new URL(url);
    address.password = 'wrong';
    expect(await failureOf(address.href, 3_600_000)).toMatch(
      /^RabbitMQ at [\w.]+:\d+ refuses the login: (?!.*wrong@).*ACCESS_REFUSED/s,
    );
  });
});
