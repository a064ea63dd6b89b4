import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDevelopmentCertificate } from '@boxoffice/runtime';
import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { createAddressPolicy, createOwnListeners, type Resolve, Unresolvable } from '../../src/addresses.ts';
import { createSend } from '../../src/deliveries/attempt.ts';
import { openReceiver } from '../fixture/receiver.ts';

const policyOf = (allowed: readonly string[] = [], resolve: Resolve = async () => []) =>
  createAddressPolicy({
    allowed: () => allowed,
    own: createOwnListeners({
      urls: ['https://tickets.example', 'http://10.1.2.3:8081', 'http://orders:8081'],
      resolve: async (host) => (host === 'orders' ? ['10.9.8.7', '203.0.113.77'] : ['203.0.113.9']),
      ports: () => [8443, 8080],
      interfaces: () => ['127.0.0.1', '::1', '192.0.2.7'],
    }),
    resolve,
  });

const https = (host: string, port = 443) => new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}/hook`);
const http = (host: string, port = 80) => new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}/hook`);

const refusal = (address: string, allowed: readonly string[] = []) =>
  policyOf(allowed).findRefusal(https('receiver.example'), address);

describe('an address', () => {
  test.each([
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.255', '127.0.0.1'],
    ...['127.255.255.254', '169.254.169.254', '172.16.0.1', '172.31.255.255', '192.168.1.1', '224.0.0.1'],
    ...['239.255.255.250', '255.255.255.255', '::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fdff:ffff::1'],
    ...['fec0::1', 'ff02::1', '::ffff:10.0.0.1', '::ffff:7f00:1', '::ffff:169.254.169.254', '::ffff:0:10.0.0.1'],
    ...['::127.0.0.1', '64:ff9b::10.0.0.1', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::1', '2002:7f00:1::'],
    ...['2002:c0a8:101::1'],
  ])('%s is refused', (address) => {
    expect(refusal(address)).toBe('its address is not allowed');
  });

  test.each([
    ...['1.1.1.1', '9.255.255.255', '11.0.0.1', '100.63.255.255', '100.128.0.1', '172.15.255.255', '172.32.0.1'],
    ...['192.167.255.255', '203.0.113.9', '223.255.255.255', '2606:4700::1111', '2001:db8::1', '::ffff:1.1.1.1'],
    ...['64:ff9b::1.1.1.1', '2002:101:101::1'],
  ])('%s is public', (address) => {
    expect(refusal(address)).toBeUndefined();
  });

  test.each([
    ['10.1.0.9', ['10.1.0.0/16']],
    ['::ffff:10.1.0.9', ['10.1.0.0/16']],
    ['64:ff9b::10.1.0.9', ['10.1.0.0/16']],
    ['127.0.0.1', ['127.0.0.0/8', '::1/128']],
    ['::1', ['127.0.0.0/8', '::1/128']],
    ['fd00::5', ['fd00::/8']],
  ])('%s may be connected to where %j are allowed, with http too', (address, allowed) => {
    expect(refusal(address, allowed)).toBeUndefined();
    expect(policyOf(allowed).findRefusal(http('receiver.example'), address)).toBeUndefined();
  });

  test('outside the allowed networks stays refused, and http does too', () => {
    expect(refusal('10.2.0.9', ['10.1.0.0/16'])).toBe('its address is not allowed');
    expect(policyOf(['10.1.0.0/16']).findRefusal(http('receiver.example'), '1.1.1.1')).toBe('it is not https');
  });
});

describe('the listeners of the installation', () => {
  const everything = ['0.0.0.0/0', '::/0'];
  const own = 'its address is not allowed';

  test.each([
    ['its public address by name', https('tickets.example'), '203.0.113.9'],
    ['its public address with the dot of the root', https('tickets.example.'), '203.0.113.9'],
    ['the address of a process', http('10.1.2.3', 8081), '10.1.2.3'],
    ['the same under another name', http('other.example', 8081), '10.1.2.3'],
    ['the same mapped into IPv6', http('other.example', 8081), '::ffff:10.1.2.3'],
    ['a port of this machine on loopback', http('127.0.0.1', 8080), '127.0.0.1'],
    ['… on another loopback address', http('127.0.0.2', 8443), '127.0.0.2'],
    ['… on IPv6', http('::1', 8443), '::1'],
    ['… by the unspecified address', http('0.0.0.0', 8443), '0.0.0.0'],
    ['… by the address of an interface', http('192.0.2.7', 8443), '192.0.2.7'],
    ['… by a name that leads there', http('other.example', 8443), '127.0.0.1'],
  ])('are refused whatever is allowed: %s', (_how, url, address) => {
    expect(policyOf(everything).findRefusal(url, address)).toBe(own);
  });

  test('are refused before their name is resolved', async () => {
    const policy = policyOf(everything, () => Promise.reject(new Error('not asked')));
    expect(await policy.findRefusalToRegister(https('tickets.example'))).toBe(own);
    expect(await policy.findRefusalToRegister(http('localhost', 8443))).toBe(own);
  });

  test('are refused by where the name of a process leads, whatever name leads there', async () => {
    const policy = policyOf(everything, async () => ['10.9.8.7']);
    expect(await policy.findRefusalToRegister(http('orders', 8081))).toBe(own);
    expect(await policy.findRefusalToRegister(http('other.example', 8081))).toBe(own);
    expect(policy.findRefusal(http('other.example', 8081), '10.9.8.7')).toBe(own);
    expect(policy.findRefusal(http('other.example', 8082), '10.9.8.7')).toBeUndefined();
  });

  test('a public address that others share is not theirs under another name', async () => {
    const policy = policyOf(everything, async () => ['203.0.113.9']);
    expect(await policy.findRefusalToRegister(https('receiver.example'))).toBeUndefined();
    expect(await policy.findRefusalToRegister(https('tickets.example'))).toBe(own);
  });

  test('other ports of the same hosts are not', () => {
    expect(policyOf(everything).findRefusal(https('tickets.example', 9443), '203.0.113.9')).toBeUndefined();
    expect(policyOf(everything).findRefusal(http('127.0.0.1', 9000), '127.0.0.1')).toBeUndefined();
  });
});

describe('connections go to checked addresses', () => {
  const at = useFixture(openReceiver);

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
  const url = (host: string, scheme = 'http') => new URL(`${scheme}://${host}:${at.port}${new URL(at.url).pathname}`);

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
    const { cert, key } = await ensureDevelopmentCertificate(directory);
    await rm(directory, { recursive: true });
    const server = createTlsServer({ cert, key }, (_request, response) => void response.writeHead(200).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const to = (host: string) => new URL(`https://${host}:${(server.address() as AddressInfo).port}/`);
    const resolve: Resolve = async () => ['127.0.0.1'];
    const trusting = sender(resolve, { allowed: LOOPBACK, ca: cert });
    const doubting = sender(resolve, { allowed: LOOPBACK });
    expect(await trusting(to('localhost'), {}, '{}')).toEqual({ httpStatus: 200, error: null });
    expect(await trusting(to('other.example'), {}, '{}')).toEqual({ httpStatus: null, error: 'tls_failed' });
    expect(await doubting(to('localhost'), {}, '{}')).toEqual({ httpStatus: null, error: 'tls_failed' });
    server.close();
    server.closeAllConnections();
  });
});
