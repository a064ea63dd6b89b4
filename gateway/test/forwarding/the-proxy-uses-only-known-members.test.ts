import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import type { Exchange } from '../../src/exchange/exchange.ts';
import { createProxy, ProxiedRequest } from '../../src/forwarding/proxied-request.ts';
import { targetOf } from '../../src/upstream/target-address.ts';

/** What http-proxy-middleware may read of the object that it gets as request and as response. */
const KNOWN = [
  'finished',
  'headers',
  'headersSent',
  'httpVersion',
  'httpVersionMajor',
  'method',
  'on',
  'pipe',
  'socket',
  'url',
];

/** The object, with the names of the members that are read and written from outside. */
const watched = (proxied: ProxiedRequest) => {
  const read = new Set<string>();
  const written = new Set<string>();
  const watching = new Proxy(proxied, {
    get(target, name) {
      read.add(String(name));
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    has(target, name) {
      read.add(String(name));
      return Reflect.has(target, name);
    },
    set(target, name, value) {
      written.add(String(name));
      return Reflect.set(target, name, value, target);
    },
  });
  return { watching, read, written };
};

const nothing = () => undefined;

test.each(['answered', 'refused'])(
  'http-proxy-middleware reads only these members and writes none: %s',
  async (how) => {
    const upstream = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const { port } = upstream.address() as AddressInfo;
    if (how === 'refused') {
      upstream.close();
      await once(upstream, 'close');
    }
    const incoming = { method: 'GET', socket: {}, headers: {} } as unknown as IncomingMessage;
    const exchange = { request: incoming, target: { path: '/', query: '' } } as unknown as Exchange;
    const times = { deadline: Number.POSITIVE_INFINITY, dueAt: Number.POSITIVE_INFINITY, release: nothing };
    const events = { over: nothing };
    const { watching, read, written } = watched(
      new ProxiedRequest(exchange, { host: 'upstream', expect: '100-continue' }, undefined, times, events),
    );
    const agent = new Agent();
    const ended = await new Promise<string>((resolve) => {
      createProxy(targetOf(`http://127.0.0.1:${port}`), agent, {
        onRequest: nothing,
        onReply: (_proxied, reply) => reply.resume().on('end', () => resolve('answered')),
        onError: () => resolve('refused'),
      })(watching);
    });
    agent.destroy();
    if (how === 'answered') upstream.close();
    expect(ended).toBe(how);
    expect([...read].filter((name) => !KNOWN.includes(name))).toEqual([]);
    expect([...written]).toEqual([]);
  },
);
