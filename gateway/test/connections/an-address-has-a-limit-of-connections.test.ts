import { once } from 'node:events';
import { request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createMetrics } from '@boxoffice/runtime';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createTrust } from '../../src/exchange/peer.ts';
import { createConnectionLimit } from '../../src/limits/connection-limit.ts';
import { until } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const start = async (options: Parameters<typeof startInstallation>[0]): Promise<Installation> => {
  const its = await startInstallation(options);
  closing.push(() => its.close());
  return its;
};

/** A connection from this loopback address; whether it is admitted is known after its response or its close. */
const from = async (
  localAddress: string,
  { gateway }: Installation,
  tls = false,
): Promise<{ stays: boolean; socket: Socket }> => {
  const port = tls ? gateway.httpsPort : gateway.httpPort;
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  closing.push(() => socket.destroy());
  const closed = new Promise<false>((resolve) => {
    socket.on('error', () => resolve(false)).on('close', () => resolve(false));
  });
  const secure = tls ? connectTls({ socket, rejectUnauthorized: false }).on('error', () => undefined) : socket;
  secure.on('connect', () => undefined);
  const answered = once(secure, 'data').then(
    () => true,
    () => false,
  );
  secure.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return { stays: await Promise.race([answered, closed]), socket };
};

describe.each([
  ['plain', false],
  ['TLS', true],
])('over %s', (_, tls) => {
  test('the next connection of an address is refused, those of others are not, and a closed one makes room', async () => {
    const metrics = await createMetrics();
    const its = await start({ addressConnections: 3, metrics });
    const admitted = [
      await from('127.0.0.5', its, tls),
      await from('127.0.0.5', its, tls),
      await from('127.0.0.5', its, tls),
    ];
    expect(admitted.map(({ stays }) => stays)).toEqual([true, true, true]);
    expect((await from('127.0.0.5', its, tls)).stays).toBe(false);
    expect((await from('127.0.0.5', its, tls)).stays).toBe(false);
    expect((await from('127.0.0.6', its, tls)).stays).toBe(true);
    expect((await metrics.text()).text).toMatch(/^gateway_connections_refused_total 2$/m);
    admitted[0]?.socket.destroy();
    await until(async () => (await from('127.0.0.5', its, tls)).stays);
  });
});

test('the connections of both listeners count together', async () => {
  const its = await start({ addressConnections: 2 });
  const stay = [await from('127.0.0.5', its), await from('127.0.0.5', its, true), await from('127.0.0.5', its, true)];
  expect(stay.map(({ stays }) => stays)).toEqual([true, true, false]);
});

test('a trusted proxy is exempt', async () => {
  const its = await start({ addressConnections: 1, trustProxy: ['127.0.0.5/32'] });
  for (let count = 0; count < 4; count += 1) expect((await from('127.0.0.5', its, true)).stays).toBe(true);
});

test('a request on an admitted connection is answered', async () => {
  const its = await start({ addressConnections: 1 });
  const options = {
    host: '127.0.0.1',
    port: its.gateway.httpsPort,
    path: '/errors',
    localAddress: '127.0.0.7',
    ca: its.ca,
  };
  const sent = request({ ...options, agent: false }).end();
  const [{ statusCode }] = await once(sent, 'response');
  expect(statusCode).toBe(200);
});

describe('the limit', () => {
  const make = (most: number) => {
    const lines: object[] = [];
    const refused: true[] = [];
    let now = 0;
    const admit = createConnectionLimit({
      most,
      isTrusted: createTrust(['10.0.0.0/8']),
      onRefused: () => refused.push(true),
      logger: { warn: (_message, fields) => void lines.push(fields ?? {}) },
      now: () => now,
    });
    const ends: (() => void)[] = [];
    const come = (remoteAddress: string | undefined): boolean =>
      admit({ remoteAddress, once: (_: string, end: () => void) => ends.push(end) } as unknown as Socket);
    const wait = (ms: number) => {
      now += ms;
    };
    return { come, ends, lines, refused, wait };
  };

  test('counts an IPv6 /64 network, and both forms of an IPv4 address, as one address', () => {
    const { come } = make(2);
    expect(['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'].map(come)).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1', '192.0.2.2'].map(come)).toEqual([true, true, false, true]);
    expect(['10.1.2.3', '::ffff:10.1.2.3', '10.1.2.3', undefined].map(come)).toEqual([true, true, true, true]);
  });

  test('subtracts each closed connection once, and forgets addresses without any', () => {
    const { come, ends } = make(1);
    for (let round = 0; round < 3; round += 1) {
      expect([come('192.0.2.1'), come('192.0.2.1')]).toEqual([true, false]);
      for (const end of ends.splice(0)) end();
    }
  });

  test('counts every refusal and logs one line per minute, with the address and the number', () => {
    const { come, lines, refused, wait } = make(1);
    for (let count = 0; count < 6; count += 1) come('192.0.2.1');
    wait(60_000);
    come('192.0.2.1');
    expect([refused.length, lines]).toEqual([
      6,
      [
        { peer: '192.0.2.1', count: 1 },
        { peer: '192.0.2.1', count: 5 },
      ],
    ]);
  });
});
