import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { developmentCertificate } from '@boxoffice/runtime';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAddressPolicy, createOwnListeners, type Resolve, Unresolvable } from '../../src/addresses.ts';
import { createSend } from '../../src/deliveries/attempt.ts';
import { openReceiver, type Receiver } from '../fixture/receiver.ts';

let at: Receiver;
beforeAll(async () => {
  at = await openReceiver();
});
afterAll(() => at.close());

const sender = (resolve: Resolve, { allowed = [] as readonly string[], ports = [] as number[], ca = '' } = {}) =>
  createSend({
    policy: createAddressPolicy({
      allowed: () => allowed,
      own: createOwnListeners({ urls: [], resolve: async () => [], ports: () => ports, interfaces: () => [] }),
      resolve,
    }),
    ...(ca === '' ? {} : { ca }),
  });

const LOOPBACK = ['127.0.0.0/8'];
const url = (host: string, scheme = 'http') => new URL(`${scheme}://${host}:${at.port}/hook`);

test('a name that leads elsewhere at the next look-up is checked again at each connection', async () => {
  const answers = [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1', '10.0.0.1']];
  const send = sender(async () => answers.shift() ?? [], { allowed: LOOPBACK });
  const before = at.received.length;
  expect(await send(url('receiver.example'), {}, '{}')).toEqual({ httpStatus: 204, error: null });
  expect(await send(url('receiver.example'), {}, '{}')).toEqual({ httpStatus: null, error: 'address_refused' });
  // Of several addresses only the permitted ones are tried.
  expect(await send(url('receiver.example'), {}, '{}')).toEqual({ httpStatus: 204, error: null });
  expect(at.received.length - before).toBe(2);
});

test('an address that is not allowed is never connected to, by name or as is', async () => {
  const before = at.received.length;
  const send = sender(async () => ['127.0.0.1']);
  for (const host of ['receiver.example', '127.0.0.1', '[::ffff:127.0.0.1]', '0.0.0.0'])
    for (const scheme of ['http', 'https'])
      expect(await send(url(host, scheme), {}, '{}')).toEqual({ httpStatus: null, error: 'address_refused' });
  expect(at.received.length).toBe(before);
});

test('a listener of the installation is never connected to, whatever is allowed', async () => {
  const before = at.received.length;
  const send = sender(async () => ['127.0.0.1'], { allowed: ['0.0.0.0/0', '::/0'], ports: [at.port] });
  for (const host of ['receiver.example', '127.0.0.1', '[::1]'])
    expect(await send(url(host), {}, '{}')).toEqual({ httpStatus: null, error: 'address_refused' });
  expect(at.received.length).toBe(before);
});

test('a name that does not resolve is said to be so', async () => {
  const send = sender(() => Promise.reject(new Unresolvable('ENOTFOUND')), { allowed: LOOPBACK });
  expect(await send(url('receiver.example'), {}, '{}')).toEqual({ httpStatus: null, error: 'name_not_resolved' });
});

test('certificates are verified, against the name of the URL', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-receiver-'));
  const { cert, key } = await developmentCertificate(directory);
  await rm(directory, { recursive: true });
  const server = createTlsServer({ cert, key }, (_request, response) => void response.writeHead(200).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const to = (host: string) => new URL(`https://${host}:${(server.address() as AddressInfo).port}/`);
  const resolve: Resolve = async () => ['127.0.0.1'];
  const [trusting, doubting] = [
    sender(resolve, { allowed: LOOPBACK, ca: cert }),
    sender(resolve, { allowed: LOOPBACK }),
  ];
  expect(await trusting(to('localhost'), {}, '{}')).toEqual({ httpStatus: 200, error: null });
  expect(await trusting(to('other.example'), {}, '{}')).toEqual({ httpStatus: null, error: 'tls_failed' });
  expect(await doubting(to('localhost'), {}, '{}')).toEqual({ httpStatus: null, error: 'tls_failed' });
  server.close();
  server.closeAllConnections();
});
