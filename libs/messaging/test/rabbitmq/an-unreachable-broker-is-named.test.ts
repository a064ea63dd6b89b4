import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { silent } from '@boxoffice/messaging/conformance';
import { expect, test } from '@jest/globals';
import { connectRabbitmq } from '../../src/index.ts';
import { describeWithBroker } from './broker.ts';

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
